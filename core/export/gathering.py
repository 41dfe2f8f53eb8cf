"""What is exported: the chosen documents with the chosen decisions, in a few queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.review.decisions.decided import below, places_of
from core.review.reports.snapshot import (
    ACCEPTED,
    ASKED_AT_ONCE,
    EXCLUDED,
    GIVEN,
    NOT_TAKEN,
    REJECTED,
    ExportedDecision,
    Snapshot,
)
from core.review.reports.summaries import FINISHED, IN_PROGRESS, NEW, DocumentSummary
from core.review.store.proposed_terms import ProposedTerm
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of, is_code

__all__ = [
    "ACCEPTED",
    "DECISIONS",
    "EXCLUDED",
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
STATUSES = (NEW, IN_PROGRESS, FINISHED)


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


def gather(store: Store, selection: Selection, hierarchy: Hierarchy) -> list[ExportedDocument]:
    """Return the chosen documents with their decisions at one moment, oldest first."""
    with store.read() as connection:
        snapshot = Snapshot(connection)
        chosen = choose(snapshot, selection, hierarchy.vocabulary_id)
        return [
            exported
            for start in range(0, len(chosen), ASKED_AT_ONCE)
            for exported in _gathered(
                snapshot, chosen[start : start + ASKED_AT_ONCE], selection, hierarchy
            )
        ]


def choose(snapshot: Snapshot, selection: Selection, vocabulary_id: str) -> list[DocumentSummary]:
    """Return the chosen documents, oldest first; none of a project of another vocabulary."""
    own = [project for project in snapshot.projects() if project.vocabulary_id == vocabulary_id]
    named = (project for project in own if selection.project_id in (None, project.project_id))
    project = next(named, None)
    if project is None:
        return []
    wanted = None if selection.document_ids is None else set(selection.document_ids)
    chosen = [
        summary
        for summary in snapshot.documents(project.project_id)
        if (wanted is None or summary.document_id in wanted)
        and (selection.batch is None or summary.batch == selection.batch)
        and summary.status in selection.statuses
    ]
    return sorted(chosen, key=lambda summary: (summary.created_at, summary.document_id))


def _gathered(
    snapshot: Snapshot,
    chosen: Sequence[DocumentSummary],
    selection: Selection,
    hierarchy: Hierarchy,
) -> list[ExportedDocument]:
    """Return some documents with their decisions."""
    ids = [summary.document_id for summary in chosen]
    wanted = selection.decisions
    decided = snapshot.decided(ids)
    left = snapshot.not_taken(ids) if NOT_TAKEN in wanted else {}
    given = snapshot.given(ids) if GIVEN in wanted else {}
    terms = snapshot.proposed_terms(ids) if selection.proposed_terms else {}
    gathered = []
    for summary in chosen:
        items_decided = decided.get(summary.document_id, [])
        known = {item.concept_id for item in items_decided}
        roots = {item.concept_id for item in items_decided if item.decision == EXCLUDED}
        here = _in_order(
            [item for item in items_decided if not _is_no_code(item, summary, hierarchy)]
        )
        rest = _undecided(
            (*left.get(summary.document_id, ()), *given.get(summary.document_id, ())), known
        )
        items = (
            *(item for item in here if item.decision in wanted),
            *(item for item in rest if not below(item.concept_id, roots, hierarchy)),
        )
        gathered.append(ExportedDocument(summary, items, tuple(terms.get(summary.document_id, ()))))
    return gathered


def _is_no_code(item: ExportedDecision, summary: DocumentSummary, hierarchy: Hierarchy) -> bool:
    """Return whether a category was accepted where only codes are, as earlier pages allowed.

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


def _in_order(items: list[ExportedDecision]) -> list[ExportedDecision]:
    """Return the accepted concepts with their places, in the order that a person gave them."""
    ordered = {item.concept_id: item.place for item in items if item.decision == ACCEPTED}
    places = places_of(ordered)
    placed = [replace(item, place=places.get(item.concept_id)) for item in items]
    if not any(ordered.values()):
        return placed
    return sorted(placed, key=lambda item: item.place or len(placed) + 1)
