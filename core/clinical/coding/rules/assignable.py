"""Codes that cannot be one: open categories, headings, what was withdrawn, what does not exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from core.clinical.coding.code_sets import code_sets
from core.clinical.coding.findings import ERROR, WARNING, CheckedCodes, Finding, Remedy
from core.clinical.conventions import ICD10CM
from core.clinical.encounters import name_of_date
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import is_code

COMPLETE = "Guidelines I.B.2"  # codes are used to their full number of characters


def still_open(
    categories: Collection[str], accepted: Collection[str], hierarchy: Hierarchy
) -> list[str]:
    """Return the open categories of which no code was accepted yet."""
    settled = hierarchy.augment(code for code in accepted if code in hierarchy)
    return [code for code in categories if code not in settled]


def assignable(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield what is no code, and that there is none at all."""
    for category in still_open(checked.open, checked.ids, checked.hierarchy):
        words = f"{category} is still open: accept one of the codes below it, or clear it."
        yield Finding("open", ERROR, words, (category,))
    for code in checked.ids:
        finding = _not_assignable(code, checked.hierarchy)
        if finding:
            yield finding
    if not checked.ids:
        yield Finding("empty", WARNING, "No code was accepted for this encounter.", ())


def _not_assignable(code: str, hierarchy: Hierarchy) -> Finding | None:
    """Return why a concept cannot be a code; None where it can."""
    if code in hierarchy:
        if is_code(code, hierarchy):
            return None
        words = f"{code} is a category: accept one of the codes below it instead."
        instead = Remedy(f"Choose a code of {code}", add=(code,))
        return Finding("category", ERROR, words, (code,), source=COMPLETE, remedy=instead)
    if code in hierarchy.deprecated:
        replaced_by = ", ".join(hierarchy.deprecated[code].replaced_by)
        words = f"{code} was withdrawn" + (f"; use {replaced_by}." if replaced_by else ".")
        return Finding("withdrawn", ERROR, words, (code,))
    words = f"{code} is no code of {hierarchy.vocabulary_id} {hierarchy.version}{_while(code, hierarchy)}."
    return Finding("unknown", ERROR, words, (code,))


def _while(code: str, hierarchy: Hierarchy) -> str:
    """Return when a code that is none of this edition was one; "" where nothing is known of it."""
    validity = code_sets().by_code.get(code) if hierarchy.vocabulary_id == ICD10CM else None
    if validity is None:
        return ""
    if validity.until is not None:
        return f"; it was one until {name_of_date(validity.until)}"
    return f"; it is one from {name_of_date(validity.since)}"
