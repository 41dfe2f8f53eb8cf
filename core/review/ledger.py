"""What a document's events mean: their order, what was undone, and what holds now.

Pure functions over the events of one document. The store's `decision` table is what
`in_force` says, so it can always be rebuilt from the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

STATES = {"accept": "accepted", "add": "accepted", "reject": "rejected"}
ACTIONS = frozenset({*STATES, "clear", "undo"})


@dataclass(frozen=True, slots=True)
class Event:
    """One stored operation of one person on one document."""

    event_id: int
    client_id: str
    sequence: int
    person_id: int
    action: str
    concept_id: str | None = None
    group: str | None = None
    undone_event_id: int | None = None


def in_order(events: Iterable[Event]) -> list[Event]:
    """Events as they were decided: by arrival, but each client's own by its sequence.

    A late operation of a client takes its place among this client's operations and never
    overrides a newer one of the same client.
    """
    arrived = sorted(events, key=lambda event: event.event_id)
    own: dict[str, list[Event]] = {}
    for event in arrived:
        own.setdefault(event.client_id, []).append(event)
    turns = {
        client: iter(sorted(theirs, key=lambda event: event.sequence))
        for client, theirs in own.items()
    }
    return [next(turns[event.client_id]) for event in arrived]


def undone(events: Sequence[Event]) -> frozenset[int]:
    """Ids of the events that were taken back, with all members of an undone group.

    A group ends with its undo: what a client decides later under the same name stands.
    """
    by_id = {event.event_id: event for event in events}
    taken_back = set()
    for undo in events:
        if undo.undone_event_id is None:
            continue
        target = by_id[undo.undone_event_id]
        taken_back.add(target.event_id)
        if target.group:
            taken_back |= {
                event.event_id
                for event in events
                if (event.client_id, event.group) == (target.client_id, target.group)
                and _precedes(event, undo)
            }
    return frozenset(taken_back)


def _precedes(event: Event, undo: Event) -> bool:
    """Whether an event was decided before an undo, however late it arrived."""
    if event.client_id == undo.client_id:
        return event.sequence < undo.sequence
    return event.event_id < undo.event_id


def in_force(events: Sequence[Event]) -> dict[str, Event]:
    """For each decided concept, the event that decides it: the last one that was not undone."""
    taken_back = undone(events)
    last: dict[str, Event] = {}
    for event in in_order(events):
        if event.concept_id is not None and event.event_id not in taken_back:
            last[event.concept_id] = event
    return {concept: event for concept, event in last.items() if event.action in STATES}


def last_own(
    events: Sequence[Event], *, person_id: int, client_id: str, before: int
) -> Event | None:
    """The action that an undo takes back: this person's last one that still stands.

    Args:
        client_id: who asks for the undo.
        before: the undo's own sequence; later operations of this client are not its business.
    """
    taken_back = undone(events)
    for event in reversed(in_order(events)):
        later = event.client_id == client_id and event.sequence > before
        own = event.person_id == person_id and event.action != "undo"
        if own and not later and event.event_id not in taken_back:
            return event
    return None
