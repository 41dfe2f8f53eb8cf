"""The annotations of a document beside each other, for who makes one outcome of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select

from core.review.decisions.decided import Decision, accepted_in_order, decided
from core.review.store.store import Store
from core.review.store.tables import document, person


@dataclass(frozen=True, slots=True)
class Side:
    """One annotation: who made it, by the name of the account, and what holds on it."""

    annotator: str
    decisions: Mapping[str, Decision]

    @property
    def codes(self) -> list[str]:
        """The accepted concepts in their order."""
        return [row.concept_id for row in accepted_in_order(self.decisions)]


def read_sides(store: Store, document_id: str) -> list[Side]:
    """Return the annotations of a document that stand, in the order in which they were asked for."""
    query = (
        select(document.c.document_id, person.c.name)
        .join(person, person.c.person_id == document.c.annotator_id)
        .where(document.c.annotation_of == document_id, document.c.removed_at.is_(None))
        .order_by(document.c.document_id)
    )
    with store.read() as connection:
        rows = connection.execute(query).fetchall()
        return [Side(row.name, decided(connection, row.document_id)) for row in rows]
