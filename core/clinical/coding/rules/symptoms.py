"""Symptoms that belong to a disease beside them.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.5: what is routinely associated
with a disease is not coded beside it. The guidelines have no list. Excludes1 notes are checked as
such; what remains is the table here: symptoms of chapter 18, and pain of the back and the limbs
(chapter 13), with diseases that are defined, or found, by them. It leaves out what is coded beside
its disease by instruction (ascites with cirrhosis, retention with an enlarged prostate) or as a
deficit (aphasia with a stroke).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.clinical.coding.findings import NOTE, CheckedCodes, Finding
from core.clinical.coding.titles import LEFT, RIGHT, side_of
from core.clinical.instructions import CODE_ALSO, USE_ADDITIONAL, instructions
from core.clinical.names.tables import lists
from core.vocabulary.concepts import Hierarchy

SOURCE = "Guidelines I.B.5"
INTEGRAL = lists("coding", "belongs to")


def symptoms(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield each symptom that belongs to a disease, once."""
    for code in checked.beginning(*INTEGRAL):
        disease = next(diseases_of(code, checked.diagnoses, checked.hierarchy), "")
        if disease:
            sentence = f"{code} belongs to {disease}, and is as a rule not coded beside it."
            remedy = checked.without(code, keeping=disease)
            about = (code, disease)
            yield Finding("integral", NOTE, sentence, about, source=SOURCE, remedy=remedy)


def diseases_of(symptom: str, codes: Iterable[str], hierarchy: Hierarchy) -> Iterator[str]:
    """Yield the diseases among codes that a symptom belongs to, without those that ask for it."""
    begin = next((begin for begin in INTEGRAL if symptom.startswith(begin)), "")
    for code in codes:
        if not begin or code == symptom or not code.startswith(INTEGRAL[begin]):
            continue
        if _is_of_no_other_side(symptom, code, hierarchy) and not _asks_for(
            code, symptom, hierarchy
        ):
            yield code


def _is_of_no_other_side(symptom: str, disease: str, hierarchy: Hierarchy) -> bool:
    sides = {side_of(hierarchy[code].label()) for code in (symptom, disease) if code in hierarchy}
    return not {RIGHT, LEFT} <= sides


def _asks_for(disease: str, symptom: str, hierarchy: Hierarchy) -> bool:
    stated = instructions(disease, hierarchy, (USE_ADDITIONAL, CODE_ALSO))
    return any(instruction.codes.matches(symptom) for instruction in stated)
