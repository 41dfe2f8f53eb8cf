"""Hypertension with diseases of the heart and the kidneys, for all of which there is one code.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.9.a: that hypertension is the
cause is presumed, unless the record says that they have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.clinical.coding.findings import NOTE, WARNING, CheckedCodes, Finding

SOURCE, CRISIS_SOURCE = "Guidelines I.C.9.a", "Guidelines I.C.9.a.10"
ESSENTIAL, CRISIS = "I10", "I16"
ANY = ("I10", "I11", "I12", "I13", "I15", "I1A", "O10", "O11", "O13", "O14", "O16")
WITH_HEART, WITH_KIDNEYS, WITH_BOTH = "I11", "I12", "I13"
FAILURE = ("I50",)
HEART = ("I51.4", "I51.5", "I51.6", "I51.7", "I51.89", "I51.9")
KIDNEYS, LAST_STAGES = ("N18",), ("N18.5", "N18.6")
STATED = (ESSENTIAL, WITH_HEART, WITH_KIDNEYS, WITH_BOTH)
DISEASES = (*FAILURE, *HEART, *KIDNEYS)
SAYS_FAILURE = ("I11.0", "I13.0", "I13.2")
SAYS_LAST_STAGES = ("I12.0", "I13.11", "I13.2")


def hypertension(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield codes of hypertension in place of which another one says all of it."""
    stated = checked.beginning(*STATED)
    diseases = checked.beginning(*DISEASES)
    instead = combined(stated, diseases)
    wrong = [code for code in stated if code != instead]
    if instead in checked.hierarchy and wrong:
        beside = diseases or [code for code in stated if code == instead]
        cause = f"With {', '.join(diseases)}, {instead}" if diseases else instead
        words = (
            f"{cause} stands instead of {' and '.join(wrong)}, unless the record says that they "
            "have nothing to do with each other."
        )
        remedy = checked.replaced(wrong, instead, before=diseases)
        about = (*wrong, *beside)
        yield Finding("combined", WARNING, words, about, source=SOURCE, remedy=remedy)
    crisis = checked.beginning(CRISIS)
    if crisis and not checked.beginning(*ANY):
        words = f"{crisis[0]} goes with a code of the hypertension (I10-I15)."
        yield Finding("codeAlso", NOTE, words, (crisis[0],), source=CRISIS_SOURCE)


def combined(stated: Sequence[str], diseases: Sequence[str]) -> str:
    """Return the one code of hypertension with these diseases; "" without hypertension.

    Args:
        stated: codes of I10-I13, each of which may itself say heart, failure, kidneys and stage.
        diseases: codes of heart failure, other heart disease and chronic kidney disease.
    """
    if not stated:
        return ""
    codes = [*stated, *diseases]
    stages = [code for code in diseases if code.startswith(KIDNEYS)]
    failure = _any(codes, FAILURE + SAYS_FAILURE)
    heart = failure or _any(codes, (*HEART, WITH_HEART, WITH_BOTH))
    kidneys = _any(codes, (*KIDNEYS, WITH_KIDNEYS, WITH_BOTH))
    last = _any(stages, LAST_STAGES) if stages else _any(stated, SAYS_LAST_STAGES)
    if not kidneys:
        return ("I11.0" if failure else "I11.9") if heart else ESSENTIAL
    if failure:
        return "I13.2" if last else "I13.0"
    if heart:
        return "I13.11" if last else "I13.10"
    return "I12.0" if last else "I12.9"


def _any(codes: Sequence[str], beginnings: tuple[str, ...]) -> bool:
    return any(code.startswith(beginnings) for code in codes)
