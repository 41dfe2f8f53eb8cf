"""Whose a document is: assigned by a lead, taken by a person, or lent to who was sent to it.

A document is one person's at a time. Who has assigned documents goes through these first; then through
what is nobody's. Who is sent to one of those has it for a while, so that nobody is sent to it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, insert, or_, select

from core.review.listed import UNFINISHED, to_annotate
from core.review.reports.summaries import next_unfinished
from core.review.store.store import Store
from core.review.store.tables import assignment, document, in_groups

LEASE_MINUTES = 30
MOST_TRIES = 5  # to be sent to a document that somebody else is not sent to at this moment


@dataclass(frozen=True, slots=True)
class Assignment:
    """Whose a document is.

    Attributes:
        due_on: until when it is to be finished; None where nobody said so.
    """

    person_id: int
    due_on: date | None = None


def assign(
    store: Store,
    document_ids: Iterable[str],
    person_ids: Sequence[int],
    *,
    assigned_by: int,
    due_on: date | None = None,
) -> None:
    """Share documents out among people in turn, in the order given; among none, they are nobody's."""
    ids = list(document_ids)
    now = datetime.now(UTC)
    rows = [
        {
            "document_id": document_id,
            "person_id": person_ids[number % len(person_ids)],
            "assigned_by": assigned_by,
            "assigned_at": now,
            "due_on": due_on,
        }
        for number, document_id in enumerate(ids)
        if person_ids
    ]
    with store.write() as connection:
        for some in in_groups(ids):
            connection.execute(delete(assignment).where(assignment.c.document_id.in_(some)))
        if rows:
            connection.execute(insert(assignment), rows)


def take(store: Store, document_ids: Iterable[str], person_id: int) -> list[str]:
    """Make documents a person's that are nobody's; return those that are somebody else's."""
    with store.write(alone=True) as connection:
        return [
            document_id
            for document_id in document_ids
            if not _take_free(connection, document_id, person_id, lease_ends_at=None)
        ]


def give_back(store: Store, document_ids: Iterable[str], person_id: int) -> None:
    """Let go of documents that are a person's own."""
    with store.write() as connection:
        for some in in_groups(list(document_ids)):
            own = (assignment.c.person_id == person_id, assignment.c.document_id.in_(some))
            connection.execute(delete(assignment).where(*own))


def list_assignments(store: Store, project_id: int) -> dict[str, Assignment]:
    """Return whose the documents of a project are, by id; what is lent is in it while it is."""
    query = (
        select(assignment.c.document_id, assignment.c.person_id, assignment.c.due_on)
        .join(document, document.c.document_id == assignment.c.document_id)
        .where(document.c.project_id == project_id, _holds(datetime.now(UTC)))
    )
    with store.read() as connection:
        rows = connection.execute(query)
        return {row.document_id: Assignment(row.person_id, row.due_on) for row in rows}


def next_for(
    store: Store,
    project_id: int,
    document_id: str | None,
    person_id: int,
    *,
    adjudicates: ColumnElement[bool] | None = None,
) -> str | None:
    """Return the document that a person goes on with, and lend it to them; None where none is left.

    Of those that they annotate first, as others wait for that; then of their own, then of what is to be
    adjudicated, then of what is nobody's, in the order of `next_unfinished`.

    Args:
        adjudicates: which documents the person may adjudicate; None for none.
    """
    own = (to_annotate(person_id), and_(UNFINISHED, _is_of(person_id)))
    for queue in (*own, *(() if adjudicates is None else (adjudicates,))):
        following = next_unfinished(store, project_id, document_id, queue=queue)
        if following is not None:
            return following
    nobodys = and_(UNFINISHED, _is_free(person_id))
    for _ in range(MOST_TRIES):
        free = next_unfinished(store, project_id, document_id, queue=nobodys)
        if free is None or _lend(store, free, person_id):
            return free
    return None


def _lend(store: Store, document_id: str, person_id: int) -> bool:
    ends_at = datetime.now(UTC) + timedelta(minutes=LEASE_MINUTES)
    with store.write(alone=True) as connection:
        return _take_free(connection, document_id, person_id, lease_ends_at=ends_at)


def _take_free(
    connection: Connection, document_id: str, person_id: int, *, lease_ends_at: datetime | None
) -> bool:
    now = datetime.now(UTC)
    here = assignment.c.document_id == document_id
    holder = connection.scalar(select(assignment.c.person_id).where(here, _holds(now)))
    if holder not in (None, person_id):
        return False
    connection.execute(delete(assignment).where(here))
    row = {
        "document_id": document_id,
        "person_id": person_id,
        "assigned_by": person_id,
        "assigned_at": now,
        "lease_ends_at": lease_ends_at,
    }
    connection.execute(insert(assignment).values(row))
    return True


def _holds(now: datetime) -> ColumnElement[bool]:
    """Whether an assignment is one still: what is lent comes back by itself."""
    return or_(assignment.c.lease_ends_at.is_(None), assignment.c.lease_ends_at > now)


def _is_of(person_id: int) -> ColumnElement[bool]:
    return exists().where(
        assignment.c.document_id == document.c.document_id,
        assignment.c.person_id == person_id,
        assignment.c.lease_ends_at.is_(None),
    )


def _is_free(person_id: int) -> ColumnElement[bool]:
    return ~exists().where(
        and_(
            assignment.c.document_id == document.c.document_id,
            assignment.c.person_id != person_id,
            _holds(datetime.now(UTC)),
        )
    )
