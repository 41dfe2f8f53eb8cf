"""The history of documents: every event with who, when, what, and what the person saw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, select

from core.review.store.store import Store
from core.review.store.tables import (
    decision_event,
    person,
    prediction_run,
    proposed_term,
    suggestion,
    undone_event,
)

PROPOSE = "propose"


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One thing that a person did to a document.

    Attributes:
        event_id: None of a proposed term, which is no event of the ledger.
        action: such as "accept", "undo" or "finish"; "propose" for a term.
        label: of the concept as it was shown, or the words of a proposed term.
        value: what else was said: an order, a mark, which hints were shown; the note of a term.
        probability, rank, source: as the person saw them; None for what was not suggested.
        shown: of a finish: how many suggestions, by rank, were on the page.
        bundle_hash, vocabulary_version: of the prediction that was on the page.
        group: of events that are undone together.
        undoes, undone_by: ids of events.
    """

    event_id: int | None
    person: str
    decided_at: datetime
    action: str
    concept_id: str | None = None
    uri: str | None = None
    notation: str | None = None
    label: str | None = None
    value: Any = None
    probability: float | None = None
    rank: int | None = None
    source: str | None = None
    shown: int | None = None
    bundle_hash: str | None = None
    vocabulary_version: str | None = None
    group: str | None = None
    undoes: int | None = None
    undone_by: int | None = None


def read_history(store: Store, document_id: str) -> list[HistoryEvent]:
    """Return the events of a document in the order in which they count, then its proposed terms."""
    with store.read() as connection:
        return [*_events(connection, document_id), *_terms(connection, document_id)]


def _events(connection: Connection, document_id: str) -> Iterable[HistoryEvent]:
    event = decision_event.c
    shown = and_(suggestion.c.run_id == event.run_id, suggestion.c.concept_id == event.concept_id)
    query = (
        select(event.event_id, person.c.name, event.decided_at, event.action, event.concept_id)
        .add_columns(suggestion.c.uri, suggestion.c.notation, suggestion.c.pref_label, event.value)
        .add_columns(event.probability, event.rank, event.source, event.shown)
        .add_columns(prediction_run.c.bundle_hash, prediction_run.c.vocabulary_version)
        .add_columns(event.group_id, event.undone_event_id, undone_event.c.undo_event_id)
        .join(person, person.c.person_id == event.person_id)
        .outerjoin(prediction_run, prediction_run.c.run_id == event.run_id)
        .outerjoin(suggestion, shown)
        .outerjoin(undone_event, undone_event.c.event_id == event.event_id)
        .where(event.document_id == document_id)
        .order_by(event.position, event.client_id, event.sequence)
    )
    rows: Iterable[Any] = connection.execute(query)
    return [HistoryEvent(*row) for row in rows]


def _terms(connection: Connection, document_id: str) -> Iterable[HistoryEvent]:
    """Yield the terms that were proposed, also those that were withdrawn."""
    term = proposed_term.c
    query = (
        select(person.c.name, term.created_at, term.text, term.note)
        .join(person, person.c.person_id == term.person_id)
        .where(term.document_id == document_id)
        .order_by(term.term_id)
    )
    for name, created_at, text, note in connection.execute(query):
        yield HistoryEvent(None, name, created_at, PROPOSE, label=text, value=note)
