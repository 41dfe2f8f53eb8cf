"""The document list: a line for each document, in one query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
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

from core.review.store.store import Store
from core.review.store.tables import (
    decision,
    document,
    given_concept,
    prediction_run,
    proposed_term,
)

NEW, IN_PROGRESS, FINISHED = "new", "in progress", "finished"


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A line of the document list.

    Attributes:
        status: "new" (nobody decided anything), "in progress" or "finished".
        n_suggested: suggestions of the latest prediction; None where no model read it yet.
        n_given: concepts that came with it, decided since or not.
        n_proposed: terms that a person missed in the vocabulary.
        n_characters: of the text, without the title.
        updated_at: the last prediction or decision.
        batch: the upload that it came with, if it came with others.
        read_by: the bundle of the latest prediction, by its hash.
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


def list_documents(
    store: Store, project_id: int, *, removed: bool = False
) -> list[DocumentSummary]:
    """Return a project's document list, newest first; with `removed`, what was taken off it."""
    with store.read() as connection:
        return select_summaries(connection, project_id, removed=removed)


def select_summaries(
    connection: Connection, project_id: int, *, removed: bool
) -> list[DocumentSummary]:
    """Return the document list of a project, newest first, in one query."""
    query = REMOVED if removed else LISTED
    return [DocumentSummary(*row) for row in connection.execute(query, {"project": project_id})]


def next_unfinished(listed: Sequence[DocumentSummary], document_id: str | None) -> str | None:
    """Return the next document on the list that is not finished, round to its beginning."""
    ids = [summary.document_id for summary in listed]
    start = ids.index(document_id) + 1 if document_id in ids else 0
    in_turn = [*listed[start:], *listed[:start]]
    waiting = (summary.document_id for summary in in_turn if summary.status != FINISHED)
    return next((other for other in waiting if other != document_id), None)


def _query(*, removed: bool) -> Select[Any]:
    """The query of a project's document list, columns in the order of `DocumentSummary`."""
    decided = _decided()
    given = _counted(select(given_concept.c.document_id, func.count().label("n")))
    terms = _counted(
        select(proposed_term.c.document_id, func.count().label("n")).where(
            proposed_term.c.withdrawn_at.is_(None)
        )
    )
    status = case(
        (document.c.finished_at.is_not(None), FINISHED),
        (decided.c.n > 0, IN_PROGRESS),
        else_=NEW,
    )
    joined: FromClause = document
    for counts in (decided, given, terms):
        joined = joined.outerjoin(counts, counts.c.document_id == document.c.document_id)
    return (
        select(
            document.c.document_id,
            document.c.title,
            status,
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
        )
        .select_from(joined)
        .where(
            document.c.project_id == bindparam("project"),
            document.c.removed_at.is_not(None) if removed else document.c.removed_at.is_(None),
        )
        .order_by(document.c.created_at.desc(), document.c.document_id)
    )


def _of_newest(column: Column[Any]) -> ScalarSelect[Any]:
    """A column of the latest prediction of the document in the outer query."""
    here = prediction_run.c.document_id == document.c.document_id
    newest = select(column).where(here).correlate(document)
    return newest.order_by(prediction_run.c.run_id.desc()).limit(1).scalar_subquery()


def _decided() -> Subquery:
    """How many concepts of each document are decided, and how."""
    query = select(
        decision.c.document_id,
        func.count().label("n"),
        func.sum(case((decision.c.state == "accepted", 1), else_=0)).label("n_accepted"),
        func.sum(case((decision.c.state == "rejected", 1), else_=0)).label("n_rejected"),
    )
    return query.group_by(decision.c.document_id).subquery("decided")


def _counted(query: Select[Any]) -> Subquery:
    """A count for each document."""
    (document_id, _) = query.selected_columns
    return query.group_by(document_id).subquery()


LISTED, REMOVED = _query(removed=False), _query(removed=True)  # put together once
