"""A history of a cancer beside the same cancer.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.2.m. Which cancer a history is
of stands in the tabular list ("Conditions classifiable to C34").
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.codes.icd10cm import INCLUSION_TERM
from core.clinical.coding.findings import WARNING, CheckedCodes, Finding
from core.clinical.coding.titles import LEFT, RIGHT, UNSPECIFIED, side_of, words
from core.clinical.instructions import References, references, with_ancestors
from core.vocabulary.concepts import Hierarchy

SOURCE = "Guidelines I.C.2.m"
HISTORY, CANCERS, ABSENCE = "Z85", "C", "Z90"
CLASSIFIABLE = "Conditions classifiable to "
_GENERAL = frozenset(["personal", "history", "malignant", "neoplasm", "carcinoid", "tumor", "part"])
OPPOSITE = {RIGHT: LEFT, LEFT: RIGHT}


def history(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield histories of a cancer that is coded as present."""
    for code in checked.beginning(HISTORY):
        cancer = next(
            (one for one in checked.beginning(CANCERS) if _is_of_cancer(code, one, checked)), ""
        )
        if cancer:
            sentence = (
                f"{code} says that a cancer is over, and {cancer} that it is there; both are "
                "coded only for two cancers."
            )
            remedy = checked.without(code)
            yield Finding(
                "history", WARNING, sentence, (code, cancer), source=SOURCE, remedy=remedy
            )


def _is_of_cancer(code: str, cancer: str, checked: CheckedCodes) -> bool:
    hierarchy = checked.hierarchy
    if code not in hierarchy or cancer not in hierarchy or _removed_opposite(cancer, checked):
        return False
    stated_at, meant = _classifiable(code, hierarchy)
    if not meant.matches(cancer):
        return False
    title = hierarchy[code].label()
    if stated_at == code:
        return True
    site = words(title) - _GENERAL
    named = words(checked.label(cancer)) | words(checked.label(cancer[:3]))
    return UNSPECIFIED not in title and "other" not in title.lower() and site <= named


def _classifiable(code: str, hierarchy: Hierarchy) -> tuple[str, References]:
    """Return the nearest concept that says what a history is of, and the codes that it names."""
    for above in with_ancestors(code, hierarchy):
        for text in hierarchy[above].notes.get(INCLUSION_TERM, {}).get("en", ()):
            if text.startswith(CLASSIFIABLE):
                return above, references(text)
    return code, References()


def _removed_opposite(cancer: str, checked: CheckedCodes) -> bool:
    """Return whether an organ of the other side is coded as removed, so that there were two."""
    opposite = OPPOSITE.get(side_of(checked.label(cancer)), "")
    return any(
        side_of(checked.label(absence)) == opposite for absence in checked.beginning(ABSENCE)
    ) and bool(opposite)
