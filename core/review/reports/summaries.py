"""The document list: one line a document, in one query, and queries of single lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Case,
    Column,
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    Subquery,
    bindparam,
    case,
    func,
    select,
)
from sqlalchemy.sql import FromClause

from core.review.listed import COUNTED, IN_BIN, ON_LIST
from core.review.plain_letters import PlainLetters, plain_letters
from core.review.store.store import Store
from core.review.store.tables import (
    decision,
    document,
    given_concept,
    in_groups,
    prediction_run,
    proposed_term,
)

ALL = 2**31 - 1
NEW, IN_PROGRESS, FINISHED = "new", "in progress", "finished"
APPROVED, SENT_BACK = "approved", "sent back"  # of a finished one, and of an unfinished one
STATUSES = (NEW, IN_PROGRESS, FINISHED)
JUDGED = case(
    (document.c.approved_at.is_not(None), APPROVED),
    (document.c.sent_back_at.is_not(None), SENT_BACK),
    else_="",
)
NEWEST_FIRST = (document.c.created_at.desc(), document.c.document_id)  # the order of the list
OLDEST_FIRST = (document.c.created_at, document.c.document_id)


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A line of the document list.

    Attributes:
        status: "new" (nobody decided anything), "in progress" or "finished".
        n_suggested: suggestions of the latest prediction; None where no model read it yet.
        n_given: concepts that came with it, decided since or not.
        n_proposed: terms that a person missed in the vocabulary.
        n_characters: of the text, without the title.
        created_at: when it was loaded.
        updated_at: the last prediction or decision.
        batch: the upload that it came with, if it came with others.
        read_by: the bundle of the latest prediction, by its hash.
        judged: "approved" or "sent back"; "" where nobody has judged it, or it was changed since.
        is_urgent: whether it comes before others in the queue of a person.
    """

    document_id: str
    title: str
    status: str
    n_suggested: int | None
    n_accepted: int
    n_rejected: int
    n_given: int
    n_proposed: int
    comment: str
    n_characters: int
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    batch: str | None
    read_by: str | None = None
    judged: str = ""
    is_urgent: bool = False


def list_documents(
    store: Store, project_id: int, *, removed: bool = False, limit: int = ALL, title: str = ""
) -> list[DocumentSummary]:
    """Return a project's document list, newest first; with `removed`, what was taken off it.

    Args:
        limit: so many of the newest; what is behind them is not counted either.
        title: only documents with these words in their titles; case does not matter.
    """
    query = _query(removed=removed, words=title.split()) if title else _known(removed)
    with store.read() as connection:
        rows = connection.execute(query, {"project": project_id, "most": limit})
        return [DocumentSummary(*row) for row in rows]


def named_documents(
    store: Store, project_id: int, document_ids: Sequence[str]
) -> dict[str, DocumentSummary]:
    """Return the list's lines of these documents, by id; those not listed are left out."""
    with store.read() as connection:
        return select_summaries(connection, project_id, document_ids)


def select_summaries(
    connection: Connection, project_id: int, document_ids: Sequence[str]
) -> dict[str, DocumentSummary]:
    """Return the same from an open connection."""
    return _by_id(connection, NAMED, project_id, document_ids)


def select_annotations(
    connection: Connection, project_id: int, document_ids: Sequence[str]
) -> dict[str, DocumentSummary]:
    """Return the lines of annotations, which are on the list of their annotators alone."""
    return _by_id(connection, ANNOTATIONS, project_id, document_ids)


def _by_id(
    connection: Connection, query: Select[Any], project_id: int, document_ids: Sequence[str]
) -> dict[str, DocumentSummary]:
    by_id: dict[str, DocumentSummary] = {}
    for some in in_groups(document_ids):
        rows = connection.execute(query, {"project": project_id, "these": some})
        by_id |= {row.document_id: DocumentSummary(*row) for row in rows}
    return by_id


def select_ids(
    connection: Connection,
    project_id: int,
    *,
    batch: str | None = None,
    statuses: Collection[str] = STATUSES,
    approved: bool = False,
) -> list[str]:
    """Return the documents that count on a project's list by batch and status, oldest first.

    Args:
        approved: only those that are.
    """
    query = select(document.c.created_at, document.c.document_id)
    query = query.where(document.c.project_id == bindparam("project"), COUNTED)
    if batch is not None:
        query = query.where(document.c.batch == batch)
    if approved:
        query = query.where(document.c.approved_at.is_not(None))
    if not set(STATUSES).issubset(statuses):
        query = query.where(_status(_is_decided()).in_(statuses))
    rows = connection.execute(query, {"project": project_id})
    return [row.document_id for row in sorted(rows, key=tuple)]


def titles_of_finished(store: Store, project_id: int, *, limit: int) -> dict[str, str]:
    """Return id and title of the finished ones of the newest documents, if something is accepted.

    Args:
        limit: so many of the newest are looked at.
    """
    newest = _newest(removed=False).cte("newest")
    query = (
        select(document.c.document_id, document.c.title)
        .join(newest, newest.c.document_id == document.c.document_id)
        .where(document.c.finished_at.is_not(None), document.c.erased_at.is_(None), COUNTED)
        .where(_is_decided(decision.c.state == "accepted"))
        .order_by(*NEWEST_FIRST)
    )
    with store.read() as connection:
        rows = connection.execute(query, {"project": project_id, "most": limit})
        return {row.document_id: row.title for row in rows}


def count_documents(store: Store, project_id: int) -> int:
    """Count the documents on a project's list."""
    query = select(func.count()).select_from(document).where(*_of_project(False))
    with store.read() as connection:
        return connection.scalar(query, {"project": project_id}) or 0


def count_kept(store: Store) -> tuple[int, int]:
    """Count the documents of all projects: those on their lists, and those in their bins."""
    query = select(func.count(), func.count(document.c.removed_at))
    query = query.where(document.c.annotation_of.is_(None))
    with store.read() as connection:
        n_all, n_removed = connection.execute(query.select_from(document)).one()
        return n_all - n_removed, n_removed


def count_unfinished(store: Store, project_id: int) -> int:
    """Count the documents on a project's list that are not finished."""
    query = select(func.count()).select_from(document)
    query = query.where(*_of_project(False), document.c.finished_at.is_(None))
    with store.read() as connection:
        return connection.scalar(query, {"project": project_id}) or 0


def batches(store: Store, project_id: int) -> list[str]:
    """Return the uploads with which the documents on a project's list came."""
    query = select(document.c.batch).where(*_of_project(False), document.c.batch.is_not(None))
    with store.read() as connection:
        return sorted(filter(None, connection.scalars(query.distinct(), {"project": project_id})))


def read_by_others(store: Store, project_id: int, bundle_hash: str) -> dict[str, str]:
    """Return the unfinished documents that another model has read last, and which; newest first.

    It is another one, too, where another suggester elsewhere was asked beside it.
    """
    reader = _of_newest(prediction_run.c.bundle_hash)
    query = (
        select(document.c.document_id, reader)
        .where(*_of_project(False), document.c.finished_at.is_(None), reader != bundle_hash)
        .order_by(*NEWEST_FIRST)
    )
    with store.read() as connection:
        rows = connection.execute(query, {"project": project_id})
        return {row.document_id: str(row[1]) for row in rows}


def unread(store: Store, project_id: int) -> list[str]:
    """Return the unfinished documents that no model has read, newest first."""
    runs = select(prediction_run.c.run_id).where(
        prediction_run.c.document_id == document.c.document_id
    )
    query = (
        select(document.c.document_id)
        .where(*_of_project(False), document.c.finished_at.is_(None))
        .where(~runs.correlate(document).exists())
        .order_by(*NEWEST_FIRST)
    )
    with store.read() as connection:
        return list(connection.scalars(query, {"project": project_id}))


def _of_project(removed: bool) -> tuple[ColumnElement[bool], ...]:
    """Where a document is on the list of a project, or was taken off it."""
    return document.c.project_id == bindparam("project"), IN_BIN if removed else ON_LIST


def _known(removed: bool) -> Select[Any]:
    return REMOVED if removed else LISTED


def _query(*, removed: bool, words: Sequence[str] = ()) -> Select[Any]:
    title = PlainLetters(document.c.title)
    titled = (title.contains(plain_letters(word), autoescape=True) for word in words)
    return _lines(_newest(removed=removed).where(*titled))


def _newest(*, removed: bool) -> Select[Any]:
    return (
        select(document.c.document_id)
        .where(*_of_project(removed))
        .order_by(*NEWEST_FIRST)
        .limit(bindparam("most"))
    )


def _lines(chosen: Select[Any]) -> Select[Any]:
    """The lines of documents, newest first, columns in the order of `DocumentSummary`.

    Args:
        chosen: the ids of the documents; they are looked for once.
    """
    these = chosen.cte("chosen")
    ids = select(these.c.document_id)
    decided = _decided(ids)
    given = _counted(select(given_concept.c.document_id, func.count().label("n")), ids)
    terms = _counted(
        select(proposed_term.c.document_id, func.count().label("n")).where(
            proposed_term.c.withdrawn_at.is_(None)
        ),
        ids,
    )
    joined: FromClause = document
    for counts in (decided, given, terms):
        joined = joined.outerjoin(counts, counts.c.document_id == document.c.document_id)
    return (
        select(
            document.c.document_id,
            document.c.title,
            _status(decided.c.n > 0),
            _of_newest(prediction_run.c.n_suggestions),
            func.coalesce(decided.c.n_accepted, 0),
            func.coalesce(decided.c.n_rejected, 0),
            func.coalesce(given.c.n, 0),
            func.coalesce(terms.c.n, 0),
            document.c.comment,
            document.c.n_characters,
            document.c.created_at,
            document.c.updated_at,
            document.c.finished_at,
            document.c.batch,
            _of_newest(prediction_run.c.bundle_hash),
            JUDGED,
            document.c.is_urgent,
        )
        .select_from(joined)
        .where(document.c.document_id.in_(ids))
        .order_by(*NEWEST_FIRST)
    )


def _status(is_decided: ColumnElement[bool]) -> Case[str]:
    """The status of a document in the outer query."""
    return case(
        (document.c.finished_at.is_not(None), FINISHED), (is_decided, IN_PROGRESS), else_=NEW
    )


def _is_decided(*how: ColumnElement[bool]) -> ColumnElement[bool]:
    """Where something is decided on the document in the outer query."""
    here = select(decision.c.event_id).where(decision.c.document_id == document.c.document_id, *how)
    return here.correlate(document).exists()


def _of_newest(column: Column[Any]) -> ScalarSelect[Any]:
    """A column of the latest prediction of the document in the outer query."""
    here = prediction_run.c.document_id == document.c.document_id
    newest = select(column).where(here).correlate(document)
    return newest.order_by(prediction_run.c.run_id.desc()).limit(1).scalar_subquery()


def _decided(documents: Select[Any]) -> Subquery:
    query = select(
        decision.c.document_id,
        func.count().label("n"),
        func.sum(case((decision.c.state == "accepted", 1), else_=0)).label("n_accepted"),
        func.sum(case((decision.c.state.in_(("rejected", "excluded")), 1), else_=0)).label(
            "n_rejected"
        ),
    )
    here = query.where(decision.c.document_id.in_(documents))
    return here.group_by(decision.c.document_id).subquery("decided")


def _counted(query: Select[Any], documents: Select[Any]) -> Subquery:
    (document_id, _) = query.selected_columns
    return query.where(document_id.in_(documents)).group_by(document_id).subquery()


LISTED, REMOVED = _query(removed=False), _query(removed=True)
_THESE = document.c.document_id.in_(bindparam("these", expanding=True))
NAMED = _lines(select(document.c.document_id).where(*_of_project(False), _THESE))
ANNOTATIONS = _lines(
    select(document.c.document_id).where(
        document.c.project_id == bindparam("project"), document.c.annotation_of.is_not(None), _THESE
    )
)
