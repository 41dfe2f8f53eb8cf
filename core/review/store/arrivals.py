"""How documents arrive: one by one or in numbers, each added once.

A commit waits until the disk has it, so one for each of thousands of documents takes minutes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select

from core.documents.document import Document
from core.review.store.documents import (
    insert_given,
    storable,
    text_fingerprint,
    update_removed,
    write_stay,
)
from core.review.store.store import Store
from core.review.store.tables import ID_LENGTH, document, document_part

ADDED, HERE, RESTORED = "added", "here", "restored"
SUFFIX_ROOM = 32  # characters of a document id that are kept free for a suffix


@dataclass(frozen=True, slots=True)
class Arrival:
    """A document that came with others.

    Attributes:
        given: ids of concepts that came with it as assigned.
    """

    document: Document
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArrivalOutcome:
    """What became of an arrival: ADDED, or of one with the same text HERE or RESTORED."""

    document_id: str
    kind: str


def add_document(
    store: Store,
    document: Document,
    *,
    project_id: int,
    given: Iterable[str] = (),
    batch: str | None = None,
) -> str:
    """Keep a document, and return the id that it is kept under.

    The same id with the same title and text is the same document (and comes back if it was
    removed); the same id with another text gets a suffix; without an id, it gets one.

    Args:
        given: ids of concepts that came with it as assigned, to be confirmed or mended.
        batch: the upload that it came with.
    """
    with store.write() as connection:
        return insert_document(
            connection, document, project_id=project_id, given=given, batch=batch
        )


def find_same_text(store: Store, document: Document, project_id: int) -> str | None:
    """Return the id under which the same text is here already, whatever its title, removed or not.

    Line breaks and spaces make no difference; without a text, titles are compared.
    """
    with store.read() as connection:
        return _same_text(connection, document, project_id)


def add_documents(
    store: Store, arrivals: Iterable[Arrival], *, project_id: int, batch: str
) -> Sequence[ArrivalOutcome]:
    """Store documents in one transaction, in their order; the same text is not stored twice.

    What lies in the bin comes back from it.

    Raises:
        StoreError: none of them was stored.
    """
    with store.write() as connection:
        return [_take(connection, arrival, project_id, batch) for arrival in arrivals]


def _take(connection: Connection, arrival: Arrival, project_id: int, batch: str) -> ArrivalOutcome:
    here = _same_text(connection, arrival.document, project_id)
    if here is None:
        document_id = insert_document(
            connection,
            arrival.document,
            project_id=project_id,
            given=arrival.given,
            batch=batch,
        )
        return ArrivalOutcome(document_id, ADDED)
    removed = select(document.c.removed_at).where(document.c.document_id == here)
    if connection.scalar(removed) is None:
        return ArrivalOutcome(here, HERE)
    update_removed(connection, here, None)
    return ArrivalOutcome(here, RESTORED)


def insert_document(
    connection: Connection,
    added: Document,
    *,
    project_id: int,
    given: Iterable[str] = (),
    batch: str | None = None,
) -> str:
    """Write a document unless it is here already, and return the id that it is kept under."""
    clean = _cleaned(added)
    fingerprint = _fingerprint(clean)
    wanted = _storable_id(clean.document_id, fingerprint)
    document_id, is_new = _free_id(connection, wanted, (fingerprint, project_id))
    if is_new:
        found = replace(clean, document_id=document_id)
        _write(connection, found, fingerprint, project_id, batch)
    else:
        update_removed(connection, document_id, None)
    insert_given(connection, document_id, given)
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
        "text_fingerprint": text_fingerprint(added.title, added.text),
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
            "headings": [[h.start, h.end, h.level] for h in part.headings],
            "text": part.text,
        }
        connection.execute(insert(document_part).values(content))
    write_stay(connection, added.document_id, added.stay)


def _same_text(connection: Connection, wanted: Document, project_id: int) -> str | None:
    """The oldest document of a project with the same words, on the list or removed."""
    clean = _cleaned(wanted)
    query = select(document.c.document_id).where(
        document.c.text_fingerprint == text_fingerprint(clean.title, clean.text),
        document.c.project_id == project_id,
    )
    return connection.scalar(query.order_by(document.c.created_at, document.c.document_id))


def _cleaned(added: Document) -> Document:
    """The document with characters replaced, one for one, that a database cannot hold."""
    parts = tuple(
        replace(part, text=storable(part.text), title=storable(part.title)) for part in added.parts
    )
    return Document(storable(added.document_id), storable(added.title), parts, added.stay)


def _fingerprint(added: Document) -> str:
    """A checksum of title and parts, by which the same document is known again."""
    parts = [
        (part.text, part.kind, str(part.date), *([part.title] if part.title else []))
        for part in added.parts
    ]
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
