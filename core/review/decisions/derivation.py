"""What is derived from the events, kept in tables: written anew where events changed it.

All inside a transaction that the store opened. What runs with every decision is built once, here:
to build a statement takes SQLAlchemy longer than SQLite takes to run it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from core.review.decisions import ledger
from core.review.store.tables import decision, decision_event, document, undone_event

# In the order of `ledger.Event`.
EVENT_COLUMNS = (
    decision_event.c.event_id,
    decision_event.c.client_id,
    decision_event.c.sequence,
    decision_event.c.position,
    decision_event.c.person_id,
    decision_event.c.document_id,
    decision_event.c.action,
    decision_event.c.decided_at,
    decision_event.c.concept_id,
    decision_event.c.group_id,
    decision_event.c.undone_event_id,
    decision_event.c.value,
)
EventQuery = Select[Any]


STANDS = ~(
    select(undone_event.c.event_id)
    .where(undone_event.c.event_id == decision_event.c.event_id)
    .correlate(decision_event)
    .exists()
)


def standing(*conditions: ColumnElement[bool]) -> EventQuery:
    """Build a query of events that were not taken back."""
    query: EventQuery = select(*EVENT_COLUMNS).where(*conditions, STANDS)
    return query


HERE: BindParameter[str] = bindparam("here")
THESE: BindParameter[str] = bindparam("these", expanding=True)
ON_DOCUMENT = (decision_event.c.document_id == HERE, decision_event.c.concept_id.is_(None))
STANDING_TURNS = standing(*ON_DOCUMENT, decision_event.c.action != "order")
LAST_ORDER = (
    standing(*ON_DOCUMENT, decision_event.c.action == "order")
    .order_by(
        decision_event.c.position.desc(),
        decision_event.c.client_id.desc(),
        decision_event.c.sequence.desc(),
    )
    .limit(1)
)
ON_CONCEPTS = (decision_event.c.document_id == HERE, decision_event.c.concept_id.in_(THESE))
# What was decided on a concept before the last event that ends its acceptance says nothing of it.
LAST_ENDS = (
    select(
        decision_event.c.concept_id.label("concept_id"),
        func.max(decision_event.c.position).label("position"),
    )
    .where(*ON_CONCEPTS, decision_event.c.action.in_(ledger.ENDING), STANDS)
    .group_by(decision_event.c.concept_id)
    .subquery()
)
STANDING_DECISIONS = (
    standing(*ON_CONCEPTS)
    .outerjoin_from(
        decision_event, LAST_ENDS, LAST_ENDS.c.concept_id == decision_event.c.concept_id
    )
    .where(
        or_(
            LAST_ENDS.c.position.is_(None),
            decision_event.c.position >= LAST_ENDS.c.position,
        )
    )
)
FORGET_DECISIONS = delete(decision).where(
    decision.c.document_id == HERE, decision.c.concept_id.in_(THESE)
)
KEEP_DECISIONS = insert(decision)
FORGET_PLACES = update(decision).where(decision.c.document_id == HERE).values(place=None)
KEEP_PLACES = (
    update(decision)
    .where(decision.c.document_id == HERE, decision.c.concept_id == bindparam("this"))
    .values(place=bindparam("at"))
)
TOUCH_DOCUMENT = (
    update(document)
    .where(document.c.document_id == HERE)
    .values(version=bindparam("version"), updated_at=bindparam("updated_at"))
)
TURN_DOCUMENT = TOUCH_DOCUMENT.values({name: bindparam(name) for name in ledger.Turns().moments()})


def events(
    connection: Connection, query: EventQuery, values: Mapping[str, object] | None = None
) -> list[ledger.Event]:
    """Read the events that a query over `EVENT_COLUMNS` finds."""
    rows: Iterable[Any] = connection.execute(query, dict(values or {}))
    return [ledger.Event(*row) for row in rows]


def turns_of(connection: Connection, document_id: str) -> ledger.Turns:
    """Return how far a document is."""
    return ledger.turns_in_force(events(connection, STANDING_TURNS, {"here": document_id}))


def turns_of_several(connection: Connection, ids: Sequence[str]) -> dict[str, ledger.Turns]:
    """Return how far documents are, at most a group of `in_groups`; without those that are new."""
    event = decision_event.c
    turns = standing(event.document_id.in_(ids), event.action.in_(ledger.TURNS))
    by_document: dict[str, list[ledger.Event]] = {}
    for turn in events(connection, turns):
        by_document.setdefault(turn.document_id, []).append(turn)
    return {document_id: ledger.turns_in_force(turns) for document_id, turns in by_document.items()}


def derive_concepts(connection: Connection, document_id: str, concept_ids: Collection[str]) -> None:
    """Write what holds now for these concepts of a document."""
    if not concept_ids:
        return
    values = {"here": document_id, "these": list(concept_ids)}
    held = ledger.in_force(events(connection, STANDING_DECISIONS, values))
    connection.execute(FORGET_DECISIONS, values)
    if held:
        places = _places(connection, document_id)
        connection.execute(KEEP_DECISIONS, decision_rows(document_id, held, places))


def derive_places(connection: Connection, document_id: str) -> None:
    """Write in which order the concepts of a document stand now."""
    connection.execute(FORGET_PLACES, {"here": document_id})
    places = _places(connection, document_id)
    rows = [{"here": document_id, "this": this, "at": at} for this, at in places.items()]
    if rows:
        connection.execute(KEEP_PLACES, rows)


def _places(connection: Connection, document_id: str) -> dict[str, int]:
    return ledger.order_in_force(events(connection, LAST_ORDER, {"here": document_id}))


def derive_document(
    connection: Connection, document_id: str, *, version: int, now: datetime, turned: bool
) -> None:
    """Note that a document was touched.

    Args:
        turned: whether it may have been finished, reopened or judged, too.
    """
    values = {"here": document_id, "version": version, "updated_at": now}
    if not turned:
        connection.execute(TOUCH_DOCUMENT, values)
        return
    moments = turns_of(connection, document_id).moments()
    connection.execute(TURN_DOCUMENT, values | moments)


def decision_rows(
    document_id: str, held: Mapping[str, ledger.Holding], places: Mapping[str, int]
) -> list[dict[str, object]]:
    """Return what the table of decisions has of a document."""
    return [
        {
            "document_id": document_id,
            "concept_id": concept_id,
            "event_id": holding.event.event_id,
            "state": holding.state,
            "added": holding.event.action == "add",
            "main": holding.main,
            "present": holding.present or None,
            "performed_on": date.fromisoformat(holding.performed) if holding.performed else None,
            "place": places.get(concept_id),
            "cited": holding.cited or None,
        }
        for concept_id, holding in held.items()
    ]
