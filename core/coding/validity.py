"""The check before an encounter is finished: what is not allowed, what is unusual, and why.

The same code cannot be there twice: a document has one decision on each concept. ICD-9-CM comes
without instructions here, so of its codes only what the tree itself says is checked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from core.coding.findings import (
    ERROR,
    NOTE,
    WARNING,
    DocumentCode,
    Finding,
    by_severity,
    is_external_cause,
    is_procedure_of,
    is_status_code,
)
from core.coding.laterality import unspecified_side
from core.coding.pairs import excluded_pairs, sequence
from core.coding.presumed import presumed_combination
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import Conventions, is_code

# Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.A.13: codes with these words in
# their title are never the first, nor (I.C.20.a.6) are those of external causes; B95-B97 go with
# the code of an infection (I.B.7).
MANIFESTATION = re.compile(r"\bin\b.*\bclassified elsewhere")
AGENT = "as the cause of diseases classified elsewhere"


def check(
    codes: Sequence[DocumentCode], hierarchy: Hierarchy, conventions: Conventions
) -> list[Finding]:
    """Return all findings, errors first; none where the vocabulary has no such check.

    Args:
        codes: the accepted ones in their order, and the open categories.
    """
    if not conventions.checked:
        return []
    accepted = [code for code in codes if not code.is_open]
    ids = [code.concept_id for code in accepted]
    found = [*_open(codes, ids, hierarchy), *_not_assignable(ids, hierarchy)]
    if not ids:
        found.append(Finding("empty", WARNING, "No code was accepted for this encounter.", ()))
    system = hierarchy.vocabulary_id
    diagnoses = [code for code in ids if not is_procedure_of(code, system)]
    found += _principal(diagnoses, hierarchy)
    found += excluded_pairs(ids, hierarchy)
    found += sequence(diagnoses, ids, hierarchy)
    found += [finding for finding in (presumed_combination(ids, hierarchy),) if finding]
    found += [side for code in ids if (side := unspecified_side(code, hierarchy))]
    found += _marks(accepted, system, conventions)
    return by_severity(found)


def still_open(
    categories: Collection[str], accepted: Collection[str], hierarchy: Hierarchy
) -> list[str]:
    """Return the open categories of which no code was accepted yet."""
    settled = hierarchy.augment(code for code in accepted if code in hierarchy)
    return [code for code in categories if code not in settled]


def _open(
    codes: Sequence[DocumentCode], accepted: list[str], hierarchy: Hierarchy
) -> Iterator[Finding]:
    """Categories whose codes are still to be found."""
    categories = [code.concept_id for code in codes if code.is_open]
    for concept_id in still_open(categories, accepted, hierarchy):
        words = f"{concept_id} is still open: accept one of the codes below it, or clear it."
        yield Finding("open", ERROR, words, (concept_id,))


def _not_assignable(ids: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    """Yield what cannot be a code: categories, what was withdrawn, what is not there at all."""
    for concept_id in ids:
        if concept_id in hierarchy:
            if not is_code(concept_id, hierarchy):
                words = f"{concept_id} is a category: accept one of the codes below it instead."
                yield Finding("category", ERROR, words, (concept_id,))
        elif concept_id in hierarchy.deprecated:
            instead = ", ".join(hierarchy.deprecated[concept_id].replaced_by)
            words = f"{concept_id} was withdrawn" + (f"; use {instead}." if instead else ".")
            yield Finding("withdrawn", ERROR, words, (concept_id,))
        else:
            words = f"{concept_id} is no code of {hierarchy.vocabulary_id} {hierarchy.version}."
            yield Finding("unknown", ERROR, words, (concept_id,))


def _principal(diagnoses: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    """Yield a finding where the first diagnosis cannot be the principal one."""
    if not diagnoses or diagnoses[0] not in hierarchy:
        return
    first = diagnoses[0]
    if is_external_cause(first, hierarchy.vocabulary_id):
        words = f"{first} says how it came about, so it cannot be the principal diagnosis."
        yield Finding("externalCause", ERROR, words, (first,))
    label = hierarchy[first].label().lower()
    if AGENT in label:
        words = f"{first} names what caused a disease, whose code has to stand first."
        yield Finding("agent", WARNING, words, (first,))
    if MANIFESTATION.search(label):
        words = f"{first} is a manifestation of another disease, whose code has to stand first."
        yield Finding("manifestation", ERROR, words, (first,))


def _marks(
    codes: Sequence[DocumentCode], system: str, conventions: Conventions
) -> Iterator[Finding]:
    """Procedures without a day, and diagnoses of which nobody said whether they came with the patient.

    Most codes of external causes and of factors that influence health are exempt from that mark, so
    it is not asked of any.
    """
    procedures = [code for code in codes if is_procedure_of(code.concept_id, system)]
    undated = tuple(code.concept_id for code in procedures if not code.performed_on)
    if conventions.dated_procedures and undated:
        words = f"{_named(undated)} without the day on which it was done."
        yield Finding("undated", WARNING, words, undated)
    unmarked = tuple(
        code.concept_id
        for code in codes
        if code not in procedures and not code.present
        if not is_external_cause(code.concept_id, system)
        if not is_status_code(code.concept_id, system)
    )
    if conventions.present_on_admission and unmarked:
        words = f"{_named(unmarked)} without a mark whether it was present on admission."
        yield Finding("unmarked", NOTE, words, unmarked)


def _named(ids: Sequence[str], limit: int = 3) -> str:
    """Return some codes, and how many more there are."""
    more = f" and {len(ids) - limit} more" if len(ids) > limit else ""
    verb = "are" if len(ids) > 1 else "is"
    return f"{', '.join(ids[:limit])}{more} {verb}"
