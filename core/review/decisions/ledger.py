"""What events mean: their order, what was undone, and what holds now.

Pure functions. What the store derives (`undone_event`, `decision`, when a document was finished,
approved or sent back) is what they say; tests derive all of it anew from the events.

An event has a position when it arrives, and keeps it: behind all that is there, or, where it is
late, before the first later operation of its own client. So a late operation never overrides a
newer one of the same client, nor anything that arrived after that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

STATES = {
    "accept": "accepted",
    "add": "accepted",
    "reject": "rejected",
    "back_off": "rejected",
    "exclude": "excluded",
    "hold": "open",
}
# After one of these, nothing that was said of the concept before holds any more.
ENDING = frozenset({"clear", *(action for action, state in STATES.items() if state != "accepted")})
# Of what is accepted; in the browser, states.js and sides.js of assets/components/tree know them too.
TRAITS = frozenset({"mark", "unmark", "present", "performed", "cite"})
CONCEPT_ACTIONS = frozenset({*STATES, *TRAITS, "clear"})
JUDGING = frozenset({"approve", "send_back"})  # of a finished document, by who may review
TURNS = frozenset({"finish", "reopen", *JUDGING})
OPENING = frozenset({"reopen", "send_back"})  # a finished document again
DOCUMENT_ACTIONS = frozenset({*TURNS, "undo", "order"})
ACTIONS = CONCEPT_ACTIONS | DOCUMENT_ACTIONS

Order = tuple[int, str, int]


@dataclass(frozen=True, slots=True)
class Event:
    """One stored operation of one person on one document.

    Attributes:
        position: of the operation among all others; ties are of one client.
        undone_event_id: what an undo takes back, in whatever document; none for other actions.
        value: of "present", "performed" and "cite" a word, of "order" concept ids, of "finish" which hints
            were shown, of "send_back" a note; none for other actions.
    """

    event_id: int
    client_id: str
    sequence: int
    position: int
    person_id: int
    document_id: str
    action: str
    decided_at: datetime
    concept_id: str | None = None
    group: str | None = None
    undone_event_id: int | None = None
    value: str | Sequence[str] | Mapping[str, Sequence[str]] | None = None

    @property
    def order(self) -> Order:
        """By which events are sorted into the order in which they were decided."""
        return self.position, self.client_id, self.sequence


@dataclass(frozen=True, slots=True)
class Holding:
    """What holds for one concept, by the event that decides it.

    Attributes:
        main: it is a main topic.
        present: whether a diagnosis was present on admission, "" while nobody said so.
        performed: the day of a procedure as ISO 8601 writes it, "" while nobody said it.
        cited: places of the text that a person attached as evidence, such as "10-25 40-52".
    """

    event: Event
    main: bool = False
    present: str = ""
    performed: str = ""
    cited: str = ""

    @property
    def state(self) -> str:
        """Such as "accepted"."""
        return STATES[self.event.action]


def in_force(standing: Iterable[Event]) -> dict[str, Holding]:
    """Return what holds for each decided concept.

    Args:
        standing: events of one document that were not taken back, in any order.
    """
    held: dict[str, Holding] = {}
    for event in sorted(standing, key=lambda event: event.order):
        if event.concept_id is not None:
            _apply(held, event, event.concept_id)
    return held


def _apply(held: dict[str, Holding], event: Event, concept_id: str) -> None:
    """One event after the others; what is not accepted any more loses its traits."""
    before = held.get(concept_id)
    accepted = before is not None and before.state == "accepted"
    if event.action in STATES:
        stays = before is not None and accepted and STATES[event.action] == "accepted"
        held[concept_id] = replace(before, event=event) if before and stays else Holding(event)
    elif event.action == "clear":
        held.pop(concept_id, None)
    elif before is not None and accepted:
        held[concept_id] = _with_trait(before, event)


def _with_trait(before: Holding, event: Event) -> Holding:
    value = event.value if isinstance(event.value, str) else ""
    if event.action == "present":
        return replace(before, present=value)
    if event.action == "performed":
        return replace(before, performed=value)
    if event.action == "cite":
        cited = dict.fromkeys([*before.cited.split(), value]) if value else ()
        return replace(before, cited=" ".join(cited))
    return replace(before, main=event.action == "mark")


def order_in_force(standing: Iterable[Event]) -> dict[str, int]:
    """Return the place of each concept in the last order, from 1 on; nothing without an order.

    Args:
        standing: events of one document that were not taken back, in any order.
    """
    orders = [event for event in standing if event.action == "order"]
    last = max(orders, key=lambda event: event.order, default=None)
    if last is None or last.value is None or isinstance(last.value, str):
        return {}
    return {concept_id: place for place, concept_id in enumerate(last.value, start=1)}


@dataclass(frozen=True, slots=True)
class Turns:
    """How far a document is, by the events that say so.

    Attributes:
        finish: what finished it; None where it was reopened or sent back since.
        approval: of that finish.
        sent_back: what sent it back, until it is finished again.
    """

    finish: Event | None = None
    approval: Event | None = None
    sent_back: Event | None = None

    def moments(self) -> dict[str, datetime | None]:
        """Return the columns of a document that say so."""
        turns = {
            "finished_at": self.finish,
            "approved_at": self.approval,
            "sent_back_at": self.sent_back,
        }
        return {name: turn.decided_at if turn else None for name, turn in turns.items()}


def turns_in_force(standing: Iterable[Event]) -> Turns:
    """Return how far a document is.

    Args:
        standing: events of one document that were not taken back, in any order.
    """
    turns = Turns()
    theirs = (event for event in standing if event.action in TURNS)
    for event in sorted(theirs, key=lambda event: event.order):
        if event.action == "finish":
            turns = Turns(finish=event)
        elif event.action == "approve":
            turns = replace(turns, approval=event if turns.finish else None)
        else:
            turns = Turns(sent_back=event if event.action == "send_back" else None)
    return turns
