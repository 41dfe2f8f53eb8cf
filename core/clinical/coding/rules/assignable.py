"""Codes that cannot be one: open categories, headings, what was withdrawn, what does not exist, and
what was none on the day of discharge.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.2; the code sets by fiscal year.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from core.clinical.coding.code_sets import code_sets, valid_above
from core.clinical.coding.findings import ERROR, WARNING, CheckedCodes, Finding, Remedy
from core.clinical.coding.published import fiscal_year_on
from core.clinical.encounters import name_of_date
from core.clinical.instructions import with_ancestors
from core.clinical.notation import ICD10CM
from core.vocabulary.concepts import Hierarchy, is_code

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


def editions(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield each code of today that was not valid on the day, and each that was not any more."""
    day = checked.day
    if day is None:
        return
    for code in checked.diagnoses:
        if code not in checked.hierarchy or code_sets().valid_on(code, day) is not False:
            continue
        validity = code_sets().by_code[code]
        is_newer = day < validity.since
        when = (
            f"valid from {name_of_date(validity.since)}"
            if is_newer
            else f"valid until {name_of_date(validity.until)}"
        )
        sentence = f"{code} is {when}, and the stay ended on {name_of_date(day)}."
        former = valid_above(with_ancestors(code, checked.hierarchy), day) if is_newer else ""
        if former:
            sentence += f" The code of that day is {former}."
        source = f"ICD-10-CM code set of fiscal year {fiscal_year_on(day)}"
        yield Finding("edition", ERROR, sentence, (code,), source=source)
