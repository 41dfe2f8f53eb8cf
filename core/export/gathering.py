"""Gathers what is exported: for each chosen document, the chosen decisions, in a few queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, and_, select

from core.export.selection import ACCEPTED, EXCLUDED, GIVEN, NOT_TAKEN, REJECTED, Selection
from core.review.decisions import ledger
from core.review.decisions.decided import places_of
from core.review.decisions.derivation import events, standing
from core.review.decisions.not_taken import below, untouched
from core.review.reports.summaries import FINISHED, DocumentSummary, select_summaries
from core.review.store.projects import select_projects
from core.review.store.proposed_terms import ProposedTerm
from core.review.store.store import Store
from core.review.store.tables import (
    decision,
    decision_event,
    given_concept,
    person,
    prediction_run,
    proposed_term,
    suggestion,
)
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of, is_code

T = TypeVar("T")

ASKED_AT_ONCE = 500  # documents in one query
EXPLICIT = (ACCEPTED, REJECTED, EXCLUDED)


@dataclass(frozen=True, slots=True)
class ExportedDecision:
    """A concept of a document, and what was decided on it.

    Attributes:
        decision: one of `selection.DECISIONS`.
        uri, notation, label: as they were shown; None where it was not suggested.
        person, decided_at: of a suggestion that was not taken, who finished the document and when.
        present: on admission: "Y", "N", "U", "W", or None while nobody said so.
        performed_on: the day of a procedure.
        place: of an accepted concept among those of its document, from 1 on.
    """

    concept_id: str
    decision: str
    main: bool = False
    probability: float | None = None
    rank: int | None = None
    source: str | None = None
    person: str | None = None
    decided_at: datetime | None = None
    bundle_hash: str | None = None
    vocabulary_version: str | None = None
    uri: str | None = None
    notation: str | None = None
    label: str | None = None
    present: str | None = None
    performed_on: date | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class ExportedDocument:
    """A chosen document with its chosen decisions: the accepted in their order, as they were made."""

    summary: DocumentSummary
    items: tuple[ExportedDecision, ...]
    proposed_terms: tuple[ProposedTerm, ...] = ()


def gather(store: Store, selection: Selection, hierarchy: Hierarchy) -> list[ExportedDocument]:
    """The chosen documents, oldest first, each with what is to be said of it at one moment."""
    with store.read() as connection:
        chosen = choose(connection, selection, hierarchy.vocabulary_id)
        return [
            one
            for start in range(0, len(chosen), ASKED_AT_ONCE)
            for one in _gathered(
                connection, chosen[start : start + ASKED_AT_ONCE], selection, hierarchy
            )
        ]


def choose(
    connection: Connection, selection: Selection, vocabulary_id: str
) -> list[DocumentSummary]:
    """The chosen documents, oldest first; none of a project of another vocabulary."""
    own = [one for one in select_projects(connection) if one.vocabulary_id == vocabulary_id]
    named = (one for one in own if selection.project_id in (None, one.project_id))
    project = next(named, None)
    if project is None:
        return []
    wanted = None if selection.document_ids is None else set(selection.document_ids)
    chosen = [
        one
        for one in select_summaries(connection, project.project_id, removed=False)
        if (wanted is None or one.document_id in wanted)
        and (selection.batch is None or one.batch == selection.batch)
        and one.status in selection.statuses
    ]
    return sorted(chosen, key=lambda one: (one.created_at, one.document_id))


def _gathered(
    connection: Connection,
    chosen: Sequence[DocumentSummary],
    selection: Selection,
    hierarchy: Hierarchy,
) -> list[ExportedDocument]:
    """Some documents with their decisions."""
    ids = [one.document_id for one in chosen]
    wanted = selection.decisions
    decided = _decided(connection, ids)
    left = _left(connection, ids) if NOT_TAKEN in wanted else {}
    given = _given(connection, ids) if GIVEN in wanted else {}
    terms = _terms(connection, ids) if selection.proposed_terms else {}
    gathered = []
    for one in chosen:
        said = decided.get(one.document_id, [])
        known = {item.concept_id for item in said}
        roots = {item.concept_id for item in said if item.decision == EXCLUDED}
        here = _in_order([item for item in said if not _is_no_code(item, one, hierarchy)])
        rest = _untold((*left.get(one.document_id, ()), *given.get(one.document_id, ())), known)
        items = (
            *(item for item in here if item.decision in wanted),
            *(item for item in rest if not below(item.concept_id, roots, hierarchy)),
        )
        gathered.append(ExportedDocument(one, items, tuple(terms.get(one.document_id, ()))))
    return gathered


def _is_no_code(item: ExportedDecision, summary: DocumentSummary, hierarchy: Hierarchy) -> bool:
    """Whether a category was accepted where only codes are, as an earlier page could send it.

    What was accepted until the document was finished stands: it was a code on that day, also where
    the vocabulary of today divides it.
    """
    if item.decision != ACCEPTED or summary.status == FINISHED:
        return False
    if not conventions_of(hierarchy.vocabulary_id).leaves_only:
        return False
    return item.concept_id in hierarchy and not is_code(item.concept_id, hierarchy)


def _untold(items: Iterable[ExportedDecision], known: set[str]) -> Iterator[ExportedDecision]:
    """The items of concepts that nothing was said of yet."""
    told = set(known)
    for item in items:
        if item.concept_id not in told:
            told.add(item.concept_id)
            yield item


def _decided(connection: Connection, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
    """Every explicit decision on these documents."""
    shown = and_(
        suggestion.c.run_id == decision_event.c.run_id,
        suggestion.c.concept_id == decision.c.concept_id,
    )
    query = (
        select(
            decision.c.document_id,
            decision.c.concept_id,
            decision.c.state,
            decision.c.main,
            decision_event.c.probability,
            decision_event.c.rank,
            decision_event.c.source,
            person.c.name,
            decision_event.c.decided_at,
            prediction_run.c.bundle_hash,
            prediction_run.c.vocabulary_version,
            suggestion.c.uri,
            suggestion.c.notation,
            suggestion.c.pref_label,
            decision.c.present,
            decision.c.performed_on,
            decision.c.place,
        )
        .join(decision_event, decision_event.c.event_id == decision.c.event_id)
        .join(person, person.c.person_id == decision_event.c.person_id)
        .outerjoin(prediction_run, prediction_run.c.run_id == decision_event.c.run_id)
        .outerjoin(suggestion, shown)
        .where(decision.c.document_id.in_(ids), decision.c.state.in_(EXPLICIT))
        .order_by(decision.c.document_id, decision.c.event_id)
    )
    return _by_document(connection, query, ExportedDecision)


def _in_order(items: list[ExportedDecision]) -> list[ExportedDecision]:
    """The accepted ones with their places, and where a person ordered them, in that order."""
    ordered = {one.concept_id: one.place for one in items if one.decision == ACCEPTED}
    places = places_of(ordered)
    placed = [replace(one, place=places.get(one.concept_id)) for one in items]
    if not any(ordered.values()):
        return placed
    return sorted(placed, key=lambda one: one.place or len(placed) + 1)


def _left(connection: Connection, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
    """What was shown and not taken on those of these documents that are finished."""
    event = decision_event.c
    turns = standing(event.document_id.in_(ids), event.concept_id.is_(None))
    by_document: dict[str, list[ledger.Event]] = {}
    for one in events(connection, turns):
        by_document.setdefault(one.document_id, []).append(one)
    found = (ledger.finish_in_force(theirs) for theirs in by_document.values())
    finishes = {one.document_id: one for one in found if one is not None}
    said = _said_of(connection, [one.event_id for one in finishes.values()])
    left = untouched(connection, [one.event_id for one in finishes.values()])
    return {
        document_id: [
            ExportedDecision(
                one.concept_id,
                NOT_TAKEN,
                False,
                one.probability,
                one.rank,
                one.source,
                *said[finishes[document_id].event_id],
                one.uri,
                one.notation,
                one.pref_label,
            )
            for one in theirs
        ]
        for document_id, theirs in left.items()
    }


def _said_of(
    connection: Connection, event_ids: Sequence[int]
) -> Mapping[int, tuple[str, datetime, str | None, str | None]]:
    """Person, moment, model and vocabulary version of events."""
    query = (
        select(decision_event.c.event_id, person.c.name, decision_event.c.decided_at)
        .add_columns(prediction_run.c.bundle_hash, prediction_run.c.vocabulary_version)
        .join(person, person.c.person_id == decision_event.c.person_id)
        .outerjoin(prediction_run, prediction_run.c.run_id == decision_event.c.run_id)
        .where(decision_event.c.event_id.in_(event_ids))
    )
    rows: Iterable[Any] = connection.execute(query)
    return {event_id: tuple(said) for event_id, *said in rows}


def _given(connection: Connection, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
    """What came with these documents."""
    query = (
        select(given_concept.c.document_id, given_concept.c.concept_id)
        .where(given_concept.c.document_id.in_(ids))
        .order_by(given_concept.c.document_id, given_concept.c.position)
    )
    return _by_document(
        connection, query, lambda concept_id: ExportedDecision(concept_id, GIVEN, source=GIVEN)
    )


def _terms(connection: Connection, ids: Sequence[str]) -> dict[str, list[ProposedTerm]]:
    """The terms that people missed on these documents."""
    columns = proposed_term.c
    query = (
        select(columns.document_id, columns.term_id, columns.document_id.label("again"))
        .add_columns(columns.text, columns.note, person.c.name, columns.created_at)
        .join(person, person.c.person_id == columns.person_id)
        .where(columns.document_id.in_(ids), columns.withdrawn_at.is_(None))
        .order_by(columns.term_id)
    )
    return _by_document(connection, query, ProposedTerm)


def _by_document(
    connection: Connection, query: Select[Any], make: Callable[..., T]
) -> dict[str, list[T]]:
    """What is made of each row after its first column, by the first column."""
    found: dict[str, list[T]] = {}
    rows: Iterable[Any] = connection.execute(query)
    for document_id, *values in rows:
        found.setdefault(document_id, []).append(make(*values))
    return found
