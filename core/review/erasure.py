"""Erasure: the text and names of a document or a person go for good; decisions and figures stay.

A document stays under a number, such as "erased-12", without title, text, comment, stay and terms that
were proposed on it; a person as "person 7". The audit log has only numbers of people, and keeps the
ids that documents had. Nothing here can be undone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, delete, exists, func, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StoreError
from core.review.audit.log import AuditKind, record
from core.review.decisions.operations import FOUND_BY_WORDS
from core.review.listed import ANNOTATED_IDS, ANNOTATION, WAITING_IDS
from core.review.people.accounts import erase_account
from core.review.store.documents import move_document, require_document
from core.review.store.projects import keep_switches
from core.review.store.store import Store
from core.review.store.tables import (
    assignment,
    comment,
    decision_event,
    document,
    document_part,
    job_document,
    metadata,
    project,
    proposed_term,
    skip,
    stay,
)

ERASED_ID, ERASED_TITLE = "erased-{0}", "Erased document {0}"
SHORTEST_DAYS, LONGEST_DAYS = 1, 36_500
# What goes with a document, whole rows; decisions, suggestions and given concepts stay.
GOES = (document_part, stay, proposed_term, assignment, job_document, comment, skip)
WRITTEN = (*FOUND_BY_WORDS, "send_back")  # events that may have words that somebody typed
NOT_SCRUBBED = (
    "It is erased, but other programs held the database, so that traces may be left in its file: stop "
    "the server and run `python -m core erase traces`."
)
SAYS_WHERE = (
    "Not reached by it: backups, files that were exported or downloaded, models that were retrained, "
    "pages that are open in browsers, and copies that the system or disk keeps. The audit log keeps "
    "the ids that documents had; dates of procedures stay with their codes."
)


@dataclass(frozen=True, slots=True)
class Erasable:
    """What is about to be erased: its title, and how much stays of it."""

    document_id: str
    title: str
    n_characters: int
    n_events: int


def erasable(store: Store, document_id: str) -> Erasable:
    """Return what is known of a document before it is erased; of an annotation, of its document.

    Raises:
        StoreError: there is none of this id, or it is erased already.
    """
    columns = (
        document.c.document_id,
        document.c.title,
        document.c.n_characters,
        document.c.erased_at,
    )
    of_annotation = select(document.c.annotation_of).where(document.c.document_id == document_id)
    with store.read() as connection:
        require_document(connection, document_id)
        its_id = connection.scalar(of_annotation) or document_id
        row = connection.execute(select(*columns).where(document.c.document_id == its_id)).one()
        if row.erased_at is not None:
            raise StoreError(f"{document_id} is erased already.")
        n_events = select(func.count()).where(decision_event.c.document_id == its_id)
        number = connection.execute(n_events).scalar_one()
        return Erasable(row.document_id, row.title, row.n_characters, number)


def erase_document(store: Store, document_id: str) -> str:
    """Erase a document for good with its annotations, and its traces in the database file.

    An unfinished one leaves the list. Of an annotation, the document goes that it is of.

    Returns:
        The id under which its decisions stay.
    Raises:
        StoreError: there is none of this id, or it is erased already; or it is erased, and traces
            may be left.
    """
    its_id = erasable(store, document_id).document_id
    with store.write(alone=True) as connection:
        new_id = _erase(store, connection, its_id)
    scrub(store)
    return new_id


def erase_person(store: Store, name: str) -> str:
    """Erase the names and the password of a person for good; the account is closed.

    Returns:
        What the person is called from now on.
    Raises:
        StoreError: there is no such account, or nobody could administer any more; or they are
            erased, and traces may be left.
    """
    new_name = erase_account(store, name)
    scrub(store)
    return new_name


# ---------------------------------------------------------------------- retention


def keep_retention(store: Store, project_id: int, days: int | None) -> None:
    """Have the documents of a project be erased so long after they were finished; None: never.

    Raises:
        StoreError: that is no number of days that makes sense.
    """
    if days is not None and not SHORTEST_DAYS <= days <= LONGEST_DAYS:
        raise StoreError(f"Texts are kept for {SHORTEST_DAYS} to {LONGEST_DAYS:,} days, or always.")
    keep_switches(store, project_id, retention_days=days)


def retention_of(store: Store, project_id: int) -> int | None:
    """Return after how many days finished documents of a project are erased; None: never."""
    query = select(project.c.retention_days).where(project.c.project_id == project_id)
    with store.read() as connection:
        return connection.scalar(query)


def expired(store: Store, project_id: int, days: int) -> list[str]:
    """Return the documents of a project that were finished longer ago than this, not erased yet.

    What somebody has still to annotate is not finished, whatever was decided before; what was
    annotated, not before its last annotation was.
    """
    query = select(document.c.document_id).where(
        document.c.project_id == project_id, *_is_due(days), document.c.annotation_of.is_(None)
    )
    with store.read() as connection:
        return list(connection.scalars(query.order_by(document.c.document_id)))


def _is_due(days: int) -> tuple[ColumnElement[bool], ...]:
    since = datetime.now(UTC) - timedelta(days=days)
    return (
        document.c.finished_at < since,
        document.c.erased_at.is_(None),
        document.c.document_id.not_in(WAITING_IDS),
        document.c.document_id.not_in(ANNOTATED_IDS.where(ANNOTATION.c.finished_at >= since)),
    )


def erase_expired(store: Store) -> int:
    """Erase what projects keep no longer, but for traces; return how many documents that were.

    Raises:
        StoreError: the store cannot be written.
    """
    query = select(project.c.project_id, project.c.retention_days)
    with store.read() as connection:
        kept = connection.execute(query.where(project.c.retention_days.is_not(None))).all()
    return sum(_erase_in_turn(store, expired(store, *row), row.retention_days) for row in kept)


def _erase_in_turn(store: Store, document_ids: Iterable[str], days: int) -> int:
    """Erase documents one after the other, so that decisions come between; those that are still due."""
    n_erased = 0
    for document_id in document_ids:
        here = document.c.document_id == document_id
        query = select(document.c.document_id).where(here, *_is_due(days))
        with store.write(alone=True) as connection:
            if connection.scalar(query) is not None:
                _erase(store, connection, document_id)
                n_erased += 1
    return n_erased


# ---------------------------------------------------------------------- what is done


def _erase(store: Store, connection: Connection, document_id: str) -> str:
    """Erase a document with its annotations; return the id under which decisions stay."""
    annotations = select(document.c.document_id).where(document.c.annotation_of == document_id)
    for annotation_id in connection.scalars(annotations).all():
        _erase(store, connection, annotation_id)
    number = _next_number(connection)
    new_id, now = ERASED_ID.format(number), datetime.now(UTC)
    for table in GOES:
        connection.execute(delete(table).where(table.c.document_id == document_id))
    written = decision_event.c.document_id == document_id, decision_event.c.action.in_(WRITTEN)
    connection.execute(update(decision_event).where(*written).values(value=None))
    nothing = {"comment": "", "fingerprint": "", "text_fingerprint": "", "batch": None}
    left = {"title": ERASED_TITLE.format(number), "n_characters": 0, "erased_at": now}
    this = document.c.document_id == document_id
    connection.execute(update(document).where(this).values(nothing | left))
    off_the_list = this, document.c.finished_at.is_(None), document.c.removed_at.is_(None)
    connection.execute(update(document).where(*off_the_list).values(removed_at=now))
    record(
        connection,
        AuditKind.ERASED,
        person_id=store.actor,
        project_id=move_document(connection, document_id, new_id),
        document_id=new_id,
    )
    return new_id


def _next_number(connection: Connection) -> int:
    before, _, _ = ERASED_ID.partition("{")
    query = select(document.c.document_id).where(document.c.document_id.startswith(before))
    numbers = (row.removeprefix(before) for row in connection.scalars(query))
    return max((int(n) for n in numbers if n.isdecimal()), default=0) + 1


# ---------------------------------------------------------------------- traces


def scrub(store: Store) -> None:
    """Write the database anew without what was deleted or replaced in it, and empty its log.

    On a server, all tables; its write-ahead log is its own matter.

    Raises:
        StoreError: other programs hold it.
    """
    try:
        is_done = (
            _rewrite_file(store)
            if store.engine.dialect.name == "sqlite"
            else _rewrite_tables(store)
        )
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(NOT_SCRUBBED) from error
    if not is_done:
        raise StoreError(NOT_SCRUBBED)


def _rewrite_file(store: Store) -> bool:
    """Rewrite SQLite's file, and return whether its log could be emptied as well."""
    with store.turn, closing(store.engine.raw_connection()) as connection:
        cursor = connection.cursor()
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        is_busy, *_ = cursor.fetchall()[0]
        return not is_busy


def _rewrite_tables(store: Store) -> bool:
    """Rewrite the tables of a server, and what its planner samples of their values.

    Statistics of a table that became empty stay as they are unless the type of the column is set.
    """
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in metadata.sorted_tables:
            connection.execute(text(f'VACUUM (FULL, ANALYZE) "{table.name}"'))
            if connection.scalar(select(~exists().select_from(table))):
                kinds = (
                    f'ALTER COLUMN "{column.name}" TYPE {column.type.compile(connection.dialect)}'
                    for column in table.columns
                )
                connection.execute(text(f'ALTER TABLE "{table.name}" {", ".join(kinds)}'))
        connection.execute(text("VACUUM FULL pg_catalog.pg_statistic"))
    return True
