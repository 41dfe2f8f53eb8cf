"""Rows of documents and their parts, inside a transaction that the store opened."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import Connection, func, insert, select, update

from core.documents.document import Document, Heading, Part
from core.errors import StoreError
from core.review.store.tables import ID_LENGTH, document, document_part, given_concept, project

SUFFIX_ROOM = 32  # characters of a document id that are kept free for a suffix


def add(
    connection: Connection,
    added: Document,
    *,
    project_id: int,
    given: Iterable[str] = (),
    batch: str | None = None,
) -> str:
    """Write a document unless it is here already, and say under which id it is."""
    clean = _cleaned(added)
    fingerprint = _fingerprint(clean)
    wanted = _storable_id(clean.document_id, fingerprint)
    document_id, is_new = _free_id(connection, wanted, (fingerprint, project_id))
    if is_new:
        found = replace(clean, document_id=document_id)
        _write(connection, found, fingerprint, project_id, batch)
    else:
        set_removed(connection, document_id, None)
    _give(connection, document_id, given)
    return document_id


def _write(
    connection: Connection, added: Document, fingerprint: str, project_id: int, batch: str | None
) -> None:
    """The rows of a new document."""
    now = datetime.now(UTC)
    values = {
        "document_id": added.document_id,
        "project_id": project_id,
        "title": added.title,
        "fingerprint": fingerprint,
        "text_fingerprint": _text_fingerprint(added),
        "n_characters": len(added.text),
        "batch": None if batch is None else storable(batch),
        "created_at": now,
        "updated_at": now,
    }
    connection.execute(insert(document).values(values))
    for position, part in enumerate(added.parts):
        content = {
            "document_id": added.document_id,
            "position": position,
            "kind": part.kind,
            "part_date": part.date,
            "title": part.title,
            "headings": [[one.start, one.end, one.level] for one in part.headings],
            "text": part.text,
        }
        connection.execute(insert(document_part).values(content))


def _give(connection: Connection, document_id: str, concept_ids: Iterable[str]) -> None:
    """Note the concepts that came with a document, behind those that are there."""
    known = given(connection, document_id)
    usable = (storable(one) for one in concept_ids if 0 < len(one) <= ID_LENGTH)
    fresh = [one for one in dict.fromkeys(usable) if one not in known]
    rows = [
        {"document_id": document_id, "concept_id": concept_id, "position": position}
        for position, concept_id in enumerate(fresh, start=len(known))
    ]
    if rows:
        connection.execute(insert(given_concept), rows)


def given(connection: Connection, document_id: str) -> tuple[str, ...]:
    """The concepts that came with a document, in their order."""
    query = select(given_concept.c.concept_id).where(given_concept.c.document_id == document_id)
    return tuple(connection.scalars(query.order_by(given_concept.c.position)))


def find_same_text(connection: Connection, wanted: Document, project_id: int) -> str | None:
    """The oldest document of a project with the same words, on the list or removed."""
    query = select(document.c.document_id).where(
        document.c.text_fingerprint == _text_fingerprint(_cleaned(wanted)),
        document.c.project_id == project_id,
    )
    return connection.scalar(query.order_by(document.c.created_at, document.c.document_id))


def vocabulary_of(connection: Connection, document_id: str) -> str | None:
    """The vocabulary that a document is indexed with; None where there is no such document."""
    query = select(project.c.vocabulary_id).join(
        document, document.c.project_id == project.c.project_id
    )
    return connection.scalar(query.where(document.c.document_id == document_id))


def fetch(connection: Connection, document_id: str) -> Document:
    """A document with its parts.

    Raises:
        StoreError: there is none of this id.
    """
    title = connection.scalar(select(document.c.title).where(document.c.document_id == document_id))
    if title is None:
        raise _missing(document_id)
    columns = document_part.c
    query = (
        select(columns.text, columns.kind, columns.part_date, columns.title, columns.headings)
        .where(columns.document_id == document_id)
        .order_by(columns.position)
    )
    parts = (
        Part(row.text, row.kind, row.part_date, row.title, tuple(Heading(*h) for h in row.headings))
        for row in connection.execute(query)
    )
    return Document(document_id, title, tuple(parts))


def set_removed(connection: Connection, document_id: str, moment: datetime | None) -> None:
    """Note when a document was removed from the list; None puts it back.

    Raises:
        StoreError: there is none of this id.
    """
    here = document.c.document_id == document_id
    if connection.execute(update(document).where(here).values(removed_at=moment)).rowcount == 0:
        raise _missing(document_id)


def set_comment(connection: Connection, document_id: str, comment: str) -> None:
    """Keep a comment on a document in place of the one before.

    Raises:
        StoreError: there is none of this id.
    """
    here = document.c.document_id == document_id
    changed = update(document).where(here).values(comment=storable(comment))
    if connection.execute(changed).rowcount == 0:
        raise _missing(document_id)


def require(connection: Connection, document_id: str) -> None:
    """Make sure that a document is there, removed or not.

    Raises:
        StoreError: there is none of this id.
    """
    query = select(func.count()).where(document.c.document_id == document_id)
    if not connection.scalar(query):
        raise _missing(document_id)


def _missing(document_id: str) -> StoreError:
    return StoreError(f"There is no document {document_id[:60]!r} in the store.")


def _cleaned(added: Document) -> Document:
    """The document with characters replaced, one for one, that a database cannot hold."""
    parts = tuple(
        replace(part, text=storable(part.text), title=storable(part.title)) for part in added.parts
    )
    return Document(storable(added.document_id), storable(added.title), parts)


def storable(text: str) -> str:
    """Text without NUL and halves of surrogate pairs; every offset stays where it was."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


def _fingerprint(added: Document) -> str:
    """A checksum of title and parts, by which the same document is known again."""
    parts = [
        (part.text, part.kind, str(part.date), *([part.title] if part.title else []))
        for part in added.parts
    ]
    content = json.dumps([added.title, parts], ensure_ascii=True)
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def _text_fingerprint(added: Document) -> str:
    """A checksum of the words of the text, or of the title where there is no text."""
    words = " ".join(added.text.split()) or " ".join(added.title.split())
    return hashlib.sha256(words.encode("utf-8")).hexdigest()


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
