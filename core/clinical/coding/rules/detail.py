"""Codes that say less than another one of their category beside them.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.A.9.b: an unspecified code is for
where the record does not say more; I.B.2: codes are used in their most specific form. Of stages of
one disease one is coded: I.C.12.a and b (ulcers; both are coded where one has got worse during the
stay, so that their marks differ), I.C.14.a (kidney disease).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from core.clinical.coding.findings import WARNING, CheckedCodes, Finding, is_external_cause
from core.clinical.coding.titles import open_places, stated_words, words

SOURCE = "Guidelines I.A.9.b, I.B.2"
_WITHOUT = re.compile(r",? without | without |, uncomplicated$")


def detail(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield each code that another one makes needless, once."""
    for code in checked.diagnoses:
        if code not in checked.hierarchy or is_external_cause(code, checked.system):
            continue
        specific = next(
            (one for one in checked.beginning(code[:3]) if _is_more(one, code, checked)), ""
        )
        if specific:
            sentence = f"{specific} says more exactly what {code} leaves open."
            if " without " in checked.label(code) and not _leaves_open(code, specific, checked):
                sentence = f"{specific} says what {code} says is not there."
            remedy = checked.without(code, keeping=specific)
            about = (code, specific)
            yield Finding("unspecified", WARNING, sentence, about, source=SOURCE, remedy=remedy)


def _is_more(specific: str, code: str, checked: CheckedCodes) -> bool:
    if specific == code or specific not in checked.hierarchy:
        return False
    return _leaves_open(code, specific, checked) or _denies(code, specific, checked)


def _leaves_open(code: str, specific: str, checked: CheckedCodes) -> bool:
    """Return whether a code is the unspecified one among siblings, of which the other is one."""
    hierarchy = checked.hierarchy
    stated = stated_words(checked.label(code))
    above = hierarchy.ancestors(specific) | {specific}
    for place, parent in open_places(code, hierarchy):
        if parent not in above or place in above:
            continue
        # A category may name two things, of which its codes are each one.
        saying = (above & hierarchy.descendants(parent)) | ({parent} - {code[:3]})
        named = frozenset[str]().union(*(words(checked.label(one)) for one in saying))
        if stated <= named:
            return True
    return False


def _denies(code: str, specific: str, checked: CheckedCodes) -> bool:
    """Return whether one title is "… without reflux" and the other "… with reflux"."""
    parts = _WITHOUT.split(checked.label(code))
    head, lacking = parts[0], parts[1:2]
    other = checked.label(specific)
    if not lacking or not other.startswith(f"{head} with "):
        return False
    return words(lacking[0]) <= words(other.removeprefix(head).partition(" without ")[0])


# ---------------------------------------------------------------------- stages

ULCERS, KIDNEYS = ("L89", "L97"), "N18."
ULCER_SOURCE, KIDNEY_SOURCE = "Guidelines I.C.12.a-b", "Guidelines I.C.14.a"
# The last character of an ulcer's code is its stage, the others are its site.
SITE_LENGTH = len("L89.15")
STAGE_LENGTH = len("N18.3")
PRESSURE_STAGES = "1234"


def stages(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield two stages of one ulcer, and two of kidney disease."""
    for one, other in combinations(checked.beginning(*ULCERS), 2):
        progressed = {checked.present(one), checked.present(other)} == {"Y", "N"}
        if one[:SITE_LENGTH] == other[:SITE_LENGTH] and not progressed:
            words = (
                f"{one} and {other} are two stages of an ulcer of one site: both are coded only "
                "where it has got worse during the stay, the first present on admission, the "
                "second not."
            )
            yield _of_stages(one, other, words, ULCER_SOURCE, checked)
    for one, other in combinations(checked.beginning(KIDNEYS), 2):
        if one[:STAGE_LENGTH] != other[:STAGE_LENGTH] and not {"N18.9"} & {one, other}:
            words = f"{one} and {other} are two stages of kidney disease; one is coded."
            yield _of_stages(one, other, words, KIDNEY_SOURCE, checked)


def _of_stages(one: str, other: str, words: str, source: str, checked: CheckedCodes) -> Finding:
    """Return the finding, with the lower stage to be removed where both are numbered."""
    low, high = sorted((one, other))
    numbered = low.startswith(KIDNEYS) or (
        low.startswith("L89") and low[-1] in PRESSURE_STAGES and high[-1] in PRESSURE_STAGES
    )
    remedy = checked.without(low, keeping=high) if numbered else None
    return Finding("stages", WARNING, words, (one, other), source=source, remedy=remedy)
