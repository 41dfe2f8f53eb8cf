"""Documents that arrive in numbers: many in one transaction, each added once.

A commit waits until the disk has it, so one for each of thousands of documents takes minutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from core.documents.document import Document
from core.review.store import documents as document_rows
from core.review.store.store import Store
from core.review.store.tables import document

ADDED, HERE, RESTORED = "added", "here", "restored"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A document that came with others.

    Attributes:
        given: ids of concepts that came with it as assigned.
    """

    document: Document
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an arrival: ADDED, or of one with the same text HERE or RESTORED."""

    document_id: str
    kind: str


def take_in(
    store: Store, arrivals: Iterable[Arrival], *, project_id: int, batch: str
) -> Sequence[Outcome]:
    """Store documents in one transaction, in their order; the same text is not stored twice.

    What lies in the bin comes back from it.

    Raises:
        StoreError: none of them was stored.
    """
    with store.write() as connection:
        return [_take(connection, one, project_id, batch) for one in arrivals]


def _take(connection: Connection, arrival: Arrival, project_id: int, batch: str) -> Outcome:
    here = document_rows.find_same_text(connection, arrival.document, project_id)
    if here is None:
        document_id = document_rows.add(
            connection,
            arrival.document,
            project_id=project_id,
            given=arrival.given,
            batch=batch,
        )
        return Outcome(document_id, ADDED)
    removed = select(document.c.removed_at).where(document.c.document_id == here)
    if connection.scalar(removed) is None:
        return Outcome(here, HERE)
    document_rows.set_removed(connection, here, None)
    return Outcome(here, RESTORED)
