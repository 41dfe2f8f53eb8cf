"""Invented radiology reports: their words, their codes, and the tree of these."""

from __future__ import annotations

WORDS = {
    "486": "fish in the bay",
    "493.90": "honey on the label",
    "599.0": "railway and the ticket",
    "786.2": "tax on the bank",
}

REPORTS_TREE = """@\troot
001-999.99\tDiseases and injuries
001-139.99\tInfections
460-519.99\tDiseases of the bay
480-488.99\tFish and quota
486\tFish of the bay, organism unspecified
493\tHoney
493.9\tHoney, unspecified
493.90\tHoney, unspecified type
580-629.99\tDiseases of the railway
599\tOther disorders of the railway
599.0\tTicket of the railway, site not specified
780-799.99\tSymptoms
786\tSymptoms of tax
786.2\tTax
"""


def report(number: int) -> str:
    """Return a report as the challenge's file has it, with one or two of the codes."""
    codes = list(WORDS)
    own = [codes[number % 4], *([codes[(number + 1) % 4]] if number % 3 == 0 else [])]
    gold = "".join(f'<code origin="CMC_MAJORITY">{code}</code>' for code in own)
    text = ". ".join(WORDS[code] for code in own)
    return (
        f'<doc id="r{number}"><codes>{gold}</codes><texts>'
        f'<text type="CLINICAL_HISTORY">the school teacher, noise</text>'
        f'<text type="IMPRESSION">{text}.</text></texts></doc>'
    )
