"""What is decided on a document, read inside a transaction that the store opened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select

from core.review.store.tables import decision, decision_event, person

ACCEPTED, OPEN = "accepted", "open"


@dataclass(frozen=True, slots=True)
class Decision:
    """What holds now for one concept of one document.

    Attributes:
        state: "accepted", "rejected", "excluded" (with all that is below it) or "open" (a category
            whose code is still to be found).
        added: accepted without having been suggested.
        main: a main topic of the document.
        action: what brought the state about, such as "back_off".
        probability: as the person saw it; None, with `rank`, where it was not suggested.
        source: the suggester, "given", or where an added concept was found; or None.
        present: on admission: "Y", "N", "U", "W", or "" while nobody said so.
        performed_on: the day of a procedure.
        place: of an accepted concept among those of its document, from 1 on; None for the others.
    """

    concept_id: str
    state: str
    added: bool
    main: bool
    action: str
    probability: float | None
    rank: int | None
    source: str | None
    person: str
    decided_at: datetime
    present: str = ""
    performed_on: date | None = None
    place: int | None = None


DECIDED = (
    select(
        decision.c.concept_id,
        decision.c.state,
        decision.c.added,
        decision.c.main,
        decision_event.c.action,
        decision_event.c.probability,
        decision_event.c.rank,
        decision_event.c.source,
        person.c.name,
        decision_event.c.decided_at,
        decision.c.present,
        decision.c.performed_on,
        decision.c.place,
    )
    .join(decision_event, decision_event.c.event_id == decision.c.event_id)
    .join(person, person.c.person_id == decision_event.c.person_id)
    .where(decision.c.document_id == bindparam("here"))
    .order_by(decision.c.event_id)
)


def decided(connection: Connection, document_id: str) -> dict[str, Decision]:
    """The decisions that hold on a document, by concept id, in the order they were made."""
    rows: Iterable[Any] = connection.execute(DECIDED, {"here": document_id})
    found = [replace(Decision(*row), present=row.present or "") for row in rows]
    accepted = [one for one in found if one.state == ACCEPTED]
    places = places_of({one.concept_id: one.place for one in accepted})
    return {one.concept_id: replace(one, place=places.get(one.concept_id)) for one in found}


def places_of(ordered: dict[str, int | None]) -> dict[str, int]:
    """The places of accepted concepts, 1, 2, 3 …: what no order names comes behind.

    Args:
        ordered: their places in the order in force, in the order in which they were accepted.
    """
    last = len(ordered) + max((place or 0 for place in ordered.values()), default=0)
    in_order = sorted(ordered, key=lambda concept_id: ordered[concept_id] or last)
    return {concept_id: place for place, concept_id in enumerate(in_order, start=1)}
