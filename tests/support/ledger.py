"""What is derived from the events, derived anew from them alone, to be compared with what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter

from sqlalchemy import Connection, delete, insert, select, update

from core.review.decisions import ledger
from core.review.decisions.derivation import EVENT_COLUMNS, decision_rows, events
from core.review.decisions.ledger import Event
from core.review.store.store import Store
from core.review.store.tables import decision, document, undone_event


def rebuild(store: Store) -> None:
    """Derive again, from the events alone, everything that is derived from them."""
    with store.write() as connection:
        _derive_all(connection)


def _derive_all(connection: Connection) -> None:
    connection.execute(delete(decision))
    connection.execute(delete(undone_event))
    connection.execute(update(document).values(version=0, **ledger.Turns().moments()))
    everything = events(connection, select(*EVENT_COLUMNS))
    back = taken_back(everything)
    if back:
        rows = [{"event_id": event, "undo_event_id": undo} for event, undo in back.items()]
        connection.execute(insert(undone_event), rows)
    latest = versions(everything, back)
    in_turn = attrgetter("document_id")
    for document_id, theirs in groupby(sorted(everything, key=in_turn), key=in_turn):
        left = [event for event in theirs if event.event_id not in back]
        _write_all(connection, document_id, left, latest[document_id])


def _write_all(
    connection: Connection, document_id: str, left: Iterable[ledger.Event], version: int
) -> None:
    theirs = list(left)
    held = ledger.in_force(theirs)
    if held:
        places = ledger.order_in_force(theirs)
        connection.execute(insert(decision), decision_rows(document_id, held, places))
    values: dict[str, object] = {"version": version, **ledger.turns_in_force(theirs).moments()}
    here = document.c.document_id == document_id
    connection.execute(update(document).where(here).values(values))


def taken_back(events: Iterable[Event]) -> dict[int, int]:
    """Return, for every event that was taken back, the undo that did it first.

    An undo takes its target back, and with it all of the target's group on that document that
    were decided before the undo, however late they arrive. A group ends with its undo: what a
    client decides later under the same name stands.
    """
    by_id = {event.event_id: event for event in events}
    groups: dict[tuple[str, str | None, str], list[Event]] = {}
    for event in by_id.values():
        if event.action != "undo":
            groups.setdefault((event.client_id, event.group, event.document_id), []).append(event)
    undone_by: dict[int, int] = {}
    for undo in sorted(by_id.values(), key=lambda event: event.event_id):
        if undo.undone_event_id is None:
            continue
        target = by_id[undo.undone_event_id]
        members = groups[target.client_id, target.group, target.document_id] if target.group else []
        for member in (target, *members):
            if member.order < undo.order:
                undone_by.setdefault(member.event_id, undo.event_id)
    return undone_by


def versions(events: Iterable[Event], back: Mapping[int, int]) -> dict[str, int]:
    """Return, for each document, the id of the last event or undo that touched it.

    Args:
        back: as `taken_back` returns it.
    """
    latest: dict[str, int] = {}
    for event in events:
        touched = max(event.event_id, back.get(event.event_id, 0))
        latest[event.document_id] = max(touched, latest.get(event.document_id, 0))
    return latest
