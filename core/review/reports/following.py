"""Which document follows another in the queue of whoever finishes it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, or_, select

from core.review.listed import UNFINISHED
from core.review.reports.summaries import NEWEST_FIRST, OLDEST_FIRST
from core.review.store.store import Store
from core.review.store.tables import document


def next_unfinished(
    store: Store,
    project_id: int,
    document_id: str | None,
    *,
    queue: ColumnElement[bool] = UNFINISHED,
) -> str | None:
    """Return the next unfinished document after this one; None where none is left.

    The documents of a batch follow each other in the order of its rows, in which they are read, too.
    Otherwise it is what the list has next, round to its beginning.

    Args:
        queue: which documents may follow.
    """
    here = document.c.document_id == document_id
    is_in_batch = document.c.batch == bindparam("batch")

    def in_batch(*where: ColumnElement[bool]) -> Select[Any]:
        return _waiting(document_id, is_in_batch, *where, queue).order_by(*OLDEST_FIRST)

    def on_list(*where: ColumnElement[bool]) -> Select[Any]:
        return _waiting(document_id, *where, queue).order_by(*NEWEST_FIRST)

    values: dict[str, Any] = {"project": project_id}
    with store.read() as connection:
        query = select(document.c.created_at, document.c.batch).where(
            here, document.c.project_id == bindparam("project"), document.c.removed_at.is_(None)
        )
        opened = connection.execute(query, values).first()
        following = None
        if opened is not None:
            began, batch = opened
            later = and_(document.c.created_at == began, document.c.document_id > document_id)
            rest = in_batch(or_(document.c.created_at > began, later))
            next_id: str | None = connection.scalar(rest, values | {"batch": batch})
            if next_id is not None:
                return next_id
            below = on_list(or_(document.c.created_at < began, later))
            following = connection.execute(below, values).first()
        following = following or connection.execute(on_list(), values).first()
        if following is None:
            return None
        first: str | None = connection.scalar(in_batch(), values | {"batch": following.batch})
        return first or following.document_id


def _waiting(document_id: str | None, *where: ColumnElement[bool]) -> Select[Any]:
    """Return another document of a queue, with its batch; what is cheap to look at comes first."""
    query = select(document.c.document_id, document.c.batch).where(
        document.c.project_id == bindparam("project"), *where
    )
    if document_id is not None:
        query = query.where(document.c.document_id != document_id)
    return query.limit(1)
