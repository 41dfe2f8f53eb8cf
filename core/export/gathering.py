"""What is exported: the chosen documents with the chosen decisions, in a few queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.clinical.joined import is_procedure_in
from core.clinical.stay import NO_STAY, Stay
from core.review.decisions.decided import below, places_of
from core.review.reports.snapshot import (
    ACCEPTED,
    EXCLUDED,
    EXPLICIT,
    GIVEN,
    NOT_TAKEN,
    REJECTED,
    ExportedDecision,
    Snapshot,
)
from core.review.reports.summaries import (
    FINISHED,
    IN_PROGRESS,
    NEW,
    STATUSES,
    DocumentSummary,
)
from core.review.store.proposed_terms import ProposedTerm
from core.review.store.store import Store
from core.review.store.tables import in_groups
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of, is_code

__all__ = [
    "ACCEPTED",
    "DECISIONS",
    "EXCLUDED",
    "EXPLICIT",
    "FINISHED",
    "GIVEN",
    "IN_PROGRESS",
    "NEW",
    "NOT_TAKEN",
    "PROPOSED",
    "REJECTED",
    "STATUSES",
    "ExportedDecision",
    "ExportedDocument",
    "Selection",
    "choose",
    "gather",
]

PROPOSED = "proposed"
DECISIONS = (ACCEPTED, REJECTED, EXCLUDED, NOT_TAKEN, GIVEN)


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of documents of a project that are on the list, and of decisions.

    Attributes:
        document_ids: these alone; None for all.
        batch: those that came with this upload; None for all.
        statuses: some of `STATUSES`.
        decisions: some of `DECISIONS`. "not taken" is what was shown and left untouched on a
            finished document; "given" is what came with a document and is not decided yet.
        proposed_terms: whether the terms that people missed in the vocabulary come along.
        project_id: of a project with this vocabulary; None for the vocabulary's oldest.
    """

    document_ids: tuple[str, ...] | None = None
    batch: str | None = None
    statuses: frozenset[str] = frozenset(STATUSES)
    decisions: frozenset[str] = frozenset({ACCEPTED})
    proposed_terms: bool = False
    project_id: int | None = None


@dataclass(frozen=True, slots=True)
class ExportedDocument:
    """A chosen document with its chosen decisions, the accepted ones in their order."""

    summary: DocumentSummary
    items: tuple[ExportedDecision, ...]
    proposed_terms: tuple[ProposedTerm, ...] = ()
    stay: Stay = NO_STAY


def gather(
    store: Store, selection: Selection, hierarchy: Hierarchy, *, limit: int | None = None
) -> Iterator[ExportedDocument]:
    """Yield the chosen documents with their decisions at one moment, oldest first.

    They are read some at a time, so that few are in memory however many are chosen.

    Args:
        limit: documents at most; None for all.
    Raises:
        StoreError: the store cannot be read.
    """
    with store.read() as connection:
        snapshot = Snapshot(connection)
        project = project_of(snapshot, selection, hierarchy.vocabulary_id)
        if project is None:
            return
        chosen = choose(snapshot, selection, project)[:limit]
        for some in in_groups(chosen):
            yield from _gathered(snapshot, _listed(snapshot, project, some), selection, hierarchy)


def project_of(snapshot: Snapshot, selection: Selection, vocabulary_id: str) -> int | None:
    """Return the project that is chosen from; None where it is none of this vocabulary."""
    own = [project for project in snapshot.projects() if project.vocabulary_id == vocabulary_id]
    named = (project for project in own if selection.project_id in (None, project.project_id))
    project = next(named, None)
    return None if project is None else project.project_id


def choose(snapshot: Snapshot, selection: Selection, project_id: int) -> list[str]:
    """Return the ids of the chosen documents of a project, oldest first."""
    found = snapshot.document_ids(project_id, batch=selection.batch, statuses=selection.statuses)
    if selection.document_ids is None:
        return found
    wanted = set(selection.document_ids)
    return [document_id for document_id in found if document_id in wanted]


def _listed(snapshot: Snapshot, project_id: int, ids: Sequence[str]) -> list[DocumentSummary]:
    """Return the lines of documents in the order of their ids.

    A server shows each query the moment at which it is asked: a document may be off the list again.
    """
    lines = snapshot.documents(project_id, ids)
    return [lines[document_id] for document_id in ids if document_id in lines]


def _gathered(
    snapshot: Snapshot,
    chosen: Sequence[DocumentSummary],
    selection: Selection,
    hierarchy: Hierarchy,
) -> Iterator[ExportedDocument]:
    """Yield some documents with their decisions."""
    ids = [summary.document_id for summary in chosen]
    wanted = selection.decisions
    decided = snapshot.decided(ids)
    left = snapshot.not_taken(ids) if NOT_TAKEN in wanted else {}
    given = snapshot.given(ids) if GIVEN in wanted else {}
    stays = snapshot.stays(ids)
    terms = snapshot.proposed_terms(ids) if selection.proposed_terms else {}
    for summary in chosen:
        items_decided = decided.get(summary.document_id, [])
        known = {item.concept_id for item in items_decided}
        roots = {item.concept_id for item in items_decided if item.decision == EXCLUDED}
        here = _in_order(
            [item for item in items_decided if not _is_no_code(item, summary, hierarchy)],
            hierarchy,
        )
        rest = _undecided(
            (*left.get(summary.document_id, ()), *given.get(summary.document_id, ())), known
        )
        items = (
            *(item for item in here if item.decision in wanted),
            *(item for item in rest if not below(item.concept_id, roots, hierarchy)),
        )
        yield ExportedDocument(
            summary,
            items,
            tuple(terms.get(summary.document_id, ())),
            stays.get(summary.document_id, NO_STAY),
        )


def _is_no_code(item: ExportedDecision, summary: DocumentSummary, hierarchy: Hierarchy) -> bool:
    """Return whether a category is accepted where only codes are, since it was a code once.

    What was accepted until the document was finished stands: it was a code on that day, also where
    the vocabulary of today divides it.
    """
    if item.decision != ACCEPTED or summary.status == FINISHED:
        return False
    if not conventions_of(hierarchy.vocabulary_id).leaves_only:
        return False
    return item.concept_id in hierarchy and not is_code(item.concept_id, hierarchy)


def _undecided(items: Iterable[ExportedDecision], known: set[str]) -> Iterator[ExportedDecision]:
    """Yield the items of concepts that have no decision yet."""
    seen = set(known)
    for item in items:
        if item.concept_id not in seen:
            seen.add(item.concept_id)
            yield item


def _in_order(items: list[ExportedDecision], hierarchy: Hierarchy) -> list[ExportedDecision]:
    """Return the accepted concepts with their places, in the order that a person gave them.

    Procedures stand behind the diagnoses.
    """
    ordered = {item.concept_id: item.place for item in items if item.decision == ACCEPTED}
    places = places_of(ordered)
    procedures = {i for i in ordered if is_procedure_in(i, hierarchy)}
    ranked = sorted(places, key=lambda i: (i in procedures, places[i]))
    places = {concept_id: place for place, concept_id in enumerate(ranked, start=1)}
    placed = [replace(item, place=places.get(item.concept_id)) for item in items]
    if not any(ordered.values()) and not procedures:
        return placed
    return sorted(placed, key=lambda item: item.place or len(placed) + 1)
