"""Documents that people leave for others, with a reason or none.

Who has skipped a document is not sent there again on that day, which ends at midnight UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, delete, exists, func, insert, select

from core.review.store.documents import storable
from core.review.store.store import Store
from core.review.store.tables import assignment, document, skip

LONGEST_REASON = 200  # characters


@dataclass(frozen=True, slots=True)
class Skip:
    """Who has left a document last, and why; "" where they did not say."""

    person_id: int
    reason: str


def skip_document(store: Store, document_id: str, person_id: int, reason: str = "") -> None:
    """Note that a person leaves an unfinished document; what was lent to them is free again."""
    here = document.c.document_id == document_id, document.c.finished_at.is_(None)
    row = {
        "document_id": document_id,
        "person_id": person_id,
        "skipped_at": datetime.now(UTC),
        "reason": " ".join(storable(reason).split())[:LONGEST_REASON],
    }
    lent = (
        assignment.c.document_id == document_id,
        assignment.c.person_id == person_id,
        assignment.c.lease_ends_at.is_not(None),
    )
    with store.write() as connection:
        if connection.scalar(select(document.c.document_id).where(*here)) is not None:
            connection.execute(insert(skip).values(row))
            connection.execute(delete(assignment).where(*lent))


def list_skips(store: Store, project_id: int) -> dict[str, Skip]:
    """Return the unfinished documents of a project that somebody has left, by id.

    Of an annotation, by the id of its document, as a lead sees no annotation.
    """
    listed_id = func.coalesce(document.c.annotation_of, document.c.document_id)
    query = (
        select(listed_id.label("document_id"), skip.c.person_id, skip.c.reason)
        .join(document, document.c.document_id == skip.c.document_id)
        .where(document.c.project_id == project_id, document.c.finished_at.is_(None))
        .where(document.c.removed_at.is_(None))
        .order_by(skip.c.skip_id)
    )
    with store.read() as connection:
        rows = connection.execute(query)
        return {row.document_id: Skip(row.person_id, row.reason) for row in rows}


def is_skipped_by(person_id: int) -> ColumnElement[bool]:
    """Whether a person has skipped the document in the outer query today."""
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return exists().where(
        skip.c.document_id == document.c.document_id,
        skip.c.person_id == person_id,
        skip.c.skipped_at >= midnight,
    )
