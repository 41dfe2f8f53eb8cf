"""Hypertension beside a disease of the heart or the kidneys, for which one code stands.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.9.a: that hypertension is the
cause is presumed, unless the record says that they have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.coding.findings import WARNING, Finding
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import ICD10CM

HYPERTENSION = "I10"
FAILURE = ("I50",)
HEART = ("I51.4", "I51.5", "I51.6", "I51.7", "I51.89", "I51.9")
KIDNEYS, LAST_STAGES = ("N18",), ("N18.5", "N18.6")
COMBINED = ("I11", "I12", "I13")


def presumed_combination(codes: Sequence[str], hierarchy: Hierarchy) -> Finding | None:
    """Return a warning where the code of hypertension stands beside what it is combined with."""
    if hierarchy.vocabulary_id != ICD10CM or HYPERTENSION not in codes:
        return None
    beside = [code for code in codes if code.startswith((*FAILURE, *HEART, *KIDNEYS))]
    instead = _combined(beside)
    if instead not in hierarchy or any(code.startswith(COMBINED) for code in codes):
        return None
    words = (
        f"With {', '.join(beside)}, {instead} stands instead of {HYPERTENSION}, unless the record "
        "says that they have nothing to do with each other."
    )
    return Finding("combined", WARNING, words, (HYPERTENSION, *beside))


def _combined(beside: Sequence[str]) -> str:
    """Return the code of hypertension with these diseases; "" without any."""
    failure, heart, kidneys, last = (
        any(code.startswith(group) for code in beside)
        for group in (FAILURE, HEART, KIDNEYS, LAST_STAGES)
    )
    if failure:
        return ("I13.2" if last else "I13.0") if kidneys else "I11.0"
    if heart:
        return ("I13.11" if last else "I13.10") if kidneys else "I11.9"
    return ("I12.0" if last else "I12.9") if kidneys else ""
