"""Whose a document is: assigned by a lead, taken by a person, or lent to who was sent to it.

A document is one person's at a time. Who has assigned documents goes through these first; then through
what is nobody's. Who is sent to one of those has it for a while, so that nobody is sent to it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from core.review.listed import (
    COUNTED,
    UNFINISHED,
    adjudicated_by,
    not_annotated_by,
    to_annotate,
)
from core.review.people.skips import is_skipped_by
from core.review.reports.following import next_unfinished
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


def set_urgent(
    store: Store, project_id: int, document_ids: Iterable[str], *, is_urgent: bool
) -> None:
    """Say whether documents of a project come before others in everybody's queue.

    Their annotations, or those of the document of which one is named, come with them.
    """
    its_id = func.coalesce(document.c.annotation_of, document.c.document_id)
    of_project = document.c.project_id == project_id
    with store.write() as connection:
        for some in in_groups(list(document_ids)):
            named = select(its_id).where(of_project, document.c.document_id.in_(some))
            ids = list(connection.scalars(named))
            these = or_(document.c.document_id.in_(ids), document.c.annotation_of.in_(ids))
            connection.execute(update(document).where(these).values(is_urgent=is_urgent))


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
    adjudicated, then of what is nobody's: of each what is urgent, then what is due first, then in the
    order of `next_unfinished`. What they have skipped today is left out.

    Args:
        adjudicates: which documents the person may adjudicate; None for none.
    """
    fresh = ~is_skipped_by(person_id)
    own = (to_annotate(person_id), and_(UNFINISHED, _is_of(person_id)))
    for queue in (*own, *(() if adjudicates is None else (adjudicates,))):
        following = _first_of(store, project_id, document_id, and_(queue, fresh))
        if following is not None:
            return following
    nobodys = and_(UNFINISHED, _is_free(person_id), fresh)
    for _ in range(MOST_TRIES):
        free = _first_of(store, project_id, document_id, nobodys)
        if free is None or _lend(store, free, person_id):
            return free
    return None


def _first_of(
    store: Store, project_id: int, document_id: str | None, queue: ColumnElement[bool]
) -> str | None:
    """Return the next document of a queue among those that come first by urgency and day."""
    here = assignment.c.document_id == document.c.document_id
    due = select(assignment.c.due_on).where(here).correlate(document).scalar_subquery()
    query = select(document.c.is_urgent, due.label("due_on")).where(
        document.c.project_id == project_id, document.c.document_id != (document_id or ""), queue
    )
    in_order = query.order_by(document.c.is_urgent.desc(), due.is_(None), due).limit(1)
    with store.read() as connection:
        first = connection.execute(in_order).first()
    if first is None:
        return None
    is_due = due.is_(None) if first.due_on is None else due == first.due_on
    first_ones = and_(queue, document.c.is_urgent == first.is_urgent, is_due)
    return next_unfinished(store, project_id, document_id, queue=first_ones)


def next_to_review(
    store: Store, project_id: int, document_id: str, *, unless_by: int | None = None
) -> str | None:
    """Return the finished document to judge after this one; None where no other waits.

    In the order in which they were finished, round to the first.

    Args:
        unless_by: who has neither annotated nor adjudicated it; None for anybody.
    """
    finished = document.c.finished_at.is_not(None), document.c.approved_at.is_(None)
    listed = document.c.project_id == project_id, COUNTED, document.c.erased_at.is_(None)
    query = select(document.c.document_id).where(*finished, *listed)
    if unless_by is not None:
        query = query.where(not_annotated_by(unless_by), ~adjudicated_by(unless_by))
    others = query.where(document.c.document_id != document_id)
    in_order = others.order_by(document.c.finished_at, document.c.document_id).limit(1)
    this = select(document.c.finished_at).where(document.c.document_id == document_id)
    with store.read() as connection:
        moment = connection.scalar(this)
        if moment is None:
            return connection.scalar(in_order)
        same = and_(document.c.finished_at == moment, document.c.document_id > document_id)
        later = in_order.where(or_(document.c.finished_at > moment, same))
        return connection.scalar(later) or connection.scalar(in_order)


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
    hand_over(connection, document_id, person_id, person_id, lease_ends_at=lease_ends_at)
    return True


def hand_over(
    connection: Connection,
    document_id: str,
    person_id: int,
    assigned_by: int,
    *,
    lease_ends_at: datetime | None = None,
) -> None:
    """Make a document a person's, whosever it was, in an open transaction."""
    connection.execute(delete(assignment).where(assignment.c.document_id == document_id))
    row = {
        "document_id": document_id,
        "person_id": person_id,
        "assigned_by": assigned_by,
        "assigned_at": datetime.now(UTC),
        "lease_ends_at": lease_ends_at,
    }
    connection.execute(insert(assignment).values(row))


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
