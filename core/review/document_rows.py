"""Rows of documents and their parts, inside a transaction that the store opened."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, ScalarSelect, Select, case, func, insert, select, update

from core.documents.document import Document, Part
from core.errors import StoreError
from core.review.tables import ID_LENGTH, decision, document, document_part, prediction_run

SUFFIX_ROOM = 32  # characters of a document id that are kept free for a suffix


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A line of the document list.

    Attributes:
        status: "new" (no prediction), "open" (no decision yet), or "in review".
        n_suggested: suggestions of the latest prediction.
        updated_at: the last prediction or decision.
    """

    document_id: str
    title: str
    status: str
    n_suggested: int
    n_accepted: int
    n_rejected: int
    created_at: datetime
    updated_at: datetime


def add(connection: Connection, added: Document, *, project_id: int) -> str:
    """Write a document unless it is here already, and say under which id it is."""
    clean = _cleaned(added)
    fingerprint = _fingerprint(clean)
    wanted = _storable_id(clean.document_id, fingerprint)
    document_id, is_new = _free_id(connection, wanted, (fingerprint, project_id))
    if not is_new:
        set_removed(connection, document_id, None)
        return document_id
    now = datetime.now(UTC)
    values = {"document_id": document_id, "project_id": project_id, "title": clean.title}
    times = {"fingerprint": fingerprint, "created_at": now, "updated_at": now}
    connection.execute(insert(document).values(values | times))
    for position, part in enumerate(clean.parts):
        row = {"document_id": document_id, "position": position, "kind": part.kind}
        content = {"part_date": part.date, "text": part.text}
        connection.execute(insert(document_part).values(row | content))
    return document_id


def fetch(connection: Connection, document_id: str) -> Document:
    """A document with its parts.

    Raises:
        StoreError: there is none of this id.
    """
    title = connection.scalar(select(document.c.title).where(document.c.document_id == document_id))
    if title is None:
        raise _missing(document_id)
    parts = (
        select(document_part.c.text, document_part.c.kind, document_part.c.part_date)
        .where(document_part.c.document_id == document_id)
        .order_by(document_part.c.position)
    )
    return Document(document_id, title, tuple(Part(*row) for row in connection.execute(parts)))


def summaries(connection: Connection, project_id: int, *, removed: bool) -> list[DocumentSummary]:
    """The document list of a project, newest first, in one query."""
    return [DocumentSummary(*row) for row in connection.execute(_summaries(project_id, removed))]


def set_removed(connection: Connection, document_id: str, moment: datetime | None) -> None:
    """Note when a document was removed from the list; None puts it back.

    Raises:
        StoreError: there is none of this id.
    """
    here = document.c.document_id == document_id
    if connection.execute(update(document).where(here).values(removed_at=moment)).rowcount == 0:
        raise _missing(document_id)


def _missing(document_id: str) -> StoreError:
    return StoreError(f"There is no document {document_id!r} in the store.")


def _summaries(project_id: int, removed: bool) -> Select[Any]:
    """The query of the document list, columns in the order of `DocumentSummary`."""
    n_suggested = (
        select(prediction_run.c.n_suggestions)
        .where(prediction_run.c.document_id == document.c.document_id)
        .order_by(prediction_run.c.run_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    n_accepted, n_rejected = _n_decided("accepted"), _n_decided("rejected")
    status = case(
        (n_accepted + n_rejected > 0, "in review"),
        (n_suggested.is_not(None), "open"),
        else_="new",
    )
    return (
        select(
            document.c.document_id,
            document.c.title,
            status,
            func.coalesce(n_suggested, 0),
            n_accepted,
            n_rejected,
            document.c.created_at,
            document.c.updated_at,
        )
        .where(
            document.c.project_id == project_id,
            document.c.removed_at.is_not(None) if removed else document.c.removed_at.is_(None),
        )
        .order_by(document.c.created_at.desc(), document.c.document_id)
    )


def _n_decided(state: str) -> ScalarSelect[Any]:
    """How many concepts of the document in the outer query are in this state."""
    here = decision.c.document_id == document.c.document_id
    query = select(func.count()).select_from(decision)
    return query.where(here, decision.c.state == state).correlate(document).scalar_subquery()


def _cleaned(added: Document) -> Document:
    """The document with characters replaced, one for one, that a database cannot hold."""
    parts = tuple(Part(_storable(part.text), part.kind, part.date) for part in added.parts)
    return Document(_storable(added.document_id), _storable(added.title), parts)


def _storable(text: str) -> str:
    """Text without NUL and halves of surrogate pairs; every offset stays where it was."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


def _fingerprint(added: Document) -> str:
    """A checksum of title and parts, by which the same document is known again."""
    parts = [(part.text, part.kind, str(part.date)) for part in added.parts]
    content = json.dumps([added.title, parts], ensure_ascii=True)
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def _storable_id(document_id: str, fingerprint: str) -> str:
    """The id, shortened where it is too long to leave room for a suffix."""
    if not document_id.strip():
        return fingerprint[:12]
    longest = ID_LENGTH - SUFFIX_ROOM
    if len(document_id) <= longest:
        return document_id
    return f"{document_id[:longest]}~{fingerprint[:12]}"


def _free_id(connection: Connection, wanted: str, identity: tuple[str, int]) -> tuple[str, bool]:
    """The id to use, and whether it is new: `wanted`, or `wanted-2`, `wanted-3` …"""
    candidate, number = wanted, 1
    while True:
        query = select(document.c.fingerprint, document.c.project_id).where(
            document.c.document_id == candidate
        )
        row = connection.execute(query).first()
        if row is None:
            return candidate, True
        if tuple(row) == identity:
            return candidate, False
        number += 1
        candidate = f"{wanted}-{number}"
