"""Taking back one's own last action or group, wherever it was, inside the store's transaction."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, Tuple, and_, func, insert, select, tuple_
from sqlalchemy.sql import FromClause

from core.review import ledger
from core.review.derivation import events, standing
from core.review.operations import Undone
from core.review.tables import decision_event, document, person, undone_event

SHOWN_TITLE_CHARACTERS = 80


def lock_person(connection: Connection, person_id: int) -> None:
    """On a database with row locks, let two undos of one person wait for each other."""
    query = select(person.c.person_id).where(person.c.person_id == person_id)
    connection.execute(query.with_for_update())


def last_own(connection: Connection, person_id: int, order: ledger.Order) -> ledger.Event | None:
    """The action that an undo takes back: this person's last one before it that still stands.

    Args:
        order: of the undo; what was decided later is not its business.
    """
    event = decision_event.c
    own = and_(event.person_id == person_id, event.action != "undo")
    latest = standing(own, _precedes(decision_event, order)).order_by(
        event.position.desc(), event.client_id.desc(), event.sequence.desc()
    )
    return next(iter(events(connection, latest.limit(1))), None)


def take_back(
    connection: Connection, target: ledger.Event, order: ledger.Order, undo_id: int
) -> list[ledger.Event]:
    """Note that an undo took its target back, with its group; returns these events."""
    back = [target]
    if target.group:
        event = decision_event.c
        back = events(
            connection,
            standing(
                event.group_id == target.group,
                event.client_id == target.client_id,
                event.document_id == target.document_id,
                _precedes(decision_event, order),
            ),
        )
    rows = [{"event_id": event.event_id, "undo_event_id": undo_id} for event in back]
    connection.execute(insert(undone_event), rows)
    return back


def take_back_late(connection: Connection, event_id: int) -> None:
    """Take a late operation back where its group was undone after it was decided."""
    late, target, undo = decision_event.alias(), decision_event.alias(), decision_event.alias()
    same_group = and_(
        target.c.group_id == late.c.group_id,
        target.c.client_id == late.c.client_id,
        target.c.document_id == late.c.document_id,
    )
    query = (
        select(func.min(undo.c.event_id))
        .select_from(late)
        .join(target, same_group)
        .join(undo, undo.c.undone_event_id == target.c.event_id)
        .where(late.c.event_id == event_id, _order(late) < _order(undo))
    )
    undo_id = connection.scalar(query)
    if undo_id is not None:
        row = {"event_id": event_id, "undo_event_id": undo_id}
        connection.execute(insert(undone_event).values(row))


def told(connection: Connection, client_id: str, sequences: Sequence[int]) -> tuple[Undone, ...]:
    """What each of a client's undos took back, the same now and when it is sent again."""
    if not sequences:
        return ()
    undo = decision_event.alias()
    query = (
        select(undo.c.sequence, document.c.document_id, document.c.title)
        .add_columns(decision_event.c.action, decision_event.c.concept_id)
        .join(undone_event, undone_event.c.undo_event_id == undo.c.event_id)
        .join(decision_event, decision_event.c.event_id == undone_event.c.event_id)
        .join(document, document.c.document_id == decision_event.c.document_id)
        .where(undo.c.client_id == client_id, undo.c.sequence.in_(sequences))
        .order_by(undo.c.sequence, decision_event.c.position, decision_event.c.sequence)
    )
    actions: dict[tuple[int, str, str], list[tuple[str, str]]] = {}
    for *place, action, concept_id in connection.execute(query):
        sequence, document_id, title = place
        actions.setdefault((sequence, document_id, title), []).append((action, concept_id or ""))
    return tuple(Undone(*place, tuple(theirs)) for place, theirs in actions.items())


def refusal(connection: Connection, document_id: str) -> str:
    """Why an action cannot be taken back in a document that was finished since."""
    title = connection.scalar(select(document.c.title).where(document.c.document_id == document_id))
    shown = (title or document_id)[:SHOWN_TITLE_CHARACTERS]
    return (
        f"Your last action was in “{shown}”, which was finished since; reopen it to take the "
        "action back."
    )


def _precedes(event: FromClause, order: ledger.Order) -> ColumnElement[bool]:
    """Whether an event was decided before this order."""
    return _order(event) < tuple_(*order)


def _order(event: FromClause) -> Tuple:
    """What `ledger.Event.order` is, in the database."""
    return tuple_(event.c.position, event.c.client_id, event.c.sequence)
