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
from core.coding.instructions import with_ancestors
from core.coding.pairs import excluded_pairs, sequence
from core.documents.clinical.stay import Stay
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import ICD10CM, Conventions, is_code

# Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.A.13: codes with these words in
# their title are never the first, nor (I.C.20.a.6) are those of external causes; B95-B97 go with
# the code of an infection (I.B.7).
MANIFESTATION = re.compile(r"\bin\b.*\bclassified elsewhere")
AGENT = "as the cause of diseases classified elsewhere"


def check(
    codes: Sequence[DocumentCode],
    hierarchy: Hierarchy,
    conventions: Conventions,
    stay: Stay | None = None,
) -> list[Finding]:
    """Return all findings, errors first; none where the vocabulary has no such check.

    Args:
        codes: the accepted ones in their order, and the open categories.
        stay: what is known of it; no rule asks for it yet.
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
    """Yield categories whose codes are still to be found."""
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
    """Yield procedures without a day, and diagnoses without a mark of their presence on admission.

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


# ---------------------------------------------------------------------- sides

SIDES = (("right", "left"), ("right dominant", "left dominant"))  # the latter of hemiplegia
_UNSPECIFIED = re.compile(r"\bunspecified\b", re.IGNORECASE)


def unspecified_side(concept_id: str, hierarchy: Hierarchy) -> Finding | None:
    """Return a warning where a code, or one above it, has siblings for right and left."""
    if concept_id not in hierarchy:
        return None
    for above in with_ancestors(concept_id, hierarchy):
        named = _sided_siblings(above, hierarchy)
        if named:
            ending = concept_id.removeprefix(above)
            right, left = (_sided(side, ending, hierarchy) for side in named)
            words = f"{concept_id} leaves the side open; {right} is right, {left} is left."
            return Finding("laterality", WARNING, words, (concept_id,))
    return None


def _sided(side: str, ending: str, hierarchy: Hierarchy) -> str:
    """Return the code of a side with the ending of the coded one; a category cannot be coded."""
    if side + ending in hierarchy:
        return side + ending
    return side if is_code(side, hierarchy) else f"what is below {side}"


def _sided_siblings(concept_id: str, hierarchy: Hierarchy) -> list[str]:
    """Return the siblings for right and left, where this label says "unspecified"."""
    siblings = {
        _label(other, hierarchy): other
        for broader in hierarchy.broader(concept_id)
        for other in hierarchy.narrower(broader)
    }
    for wording in _wordings(_label(concept_id, hierarchy)):
        if all(words in siblings for words in wording):
            return [siblings[words] for words in wording]
    return []


def _label(concept_id: str, hierarchy: Hierarchy) -> str:
    return hierarchy[concept_id].label().lower()


def _wordings(label: str) -> Iterator[tuple[str, ...]]:
    """Yield the label with each side in place of each "unspecified"."""
    for found in _UNSPECIFIED.finditer(label):
        for sides in SIDES:
            yield tuple(label[: found.start()] + side + label[found.end() :] for side in sides)


# ---------------------------------------------------------------------- hypertension
# Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.9.a: that hypertension is the
# cause is presumed, unless the record says that they have nothing to do with each other.

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
