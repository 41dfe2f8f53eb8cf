"""How documents arrive: one by one or in numbers, each added once.

A document is here already where one has the same text, and nothing that is known of the new one is
another: its id, its patient, its stay, and in an encounter the kinds and dates of its notes. Normal
findings read alike in many encounters.

A commit waits until the disk has it, so one for each of thousands of documents takes minutes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, insert, or_, select

from core.clinical.stay import Stay
from core.documents.act_numbers import number_of
from core.documents.document import Document
from core.review.store.documents import (
    insert_given,
    stay_columns,
    storable,
    text_fingerprint,
    titles_of,
    update_removed,
    write_comment,
    write_stay,
)
from core.review.store.store import Store
from core.review.store.tables import ID_LENGTH, document, document_part, project, stay
from core.vocabulary.conventions import conventions_of

ADDED, HERE, RESTORED = "added", "here", "restored"
SUFFIX_ROOM = 32  # characters of a document id that are kept free for a suffix
LONGEST_ID = ID_LENGTH - SUFFIX_ROOM
SUFFIXES = range(2, 100)  # that are looked at for a document whose id another one had


@dataclass(frozen=True, slots=True)
class Arrival:
    """A document that came with others.

    Attributes:
        given: ids of concepts that came with it as assigned.
        comment: that it came with.
    """

    document: Document
    given: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ArrivalOutcome:
    """What became of an arrival: ADDED, or of one that is here already HERE or RESTORED.

    Attributes:
        same_text: of one that was added, the oldest other document with the same text.
        n_given: how many concepts came with it.
        keeps_concepts: whether it was finished before, so that those in the file stay out.
    """

    document_id: str
    kind: str
    same_text: str | None = None
    n_given: int = 0
    keeps_concepts: bool = False


def add_document(
    store: Store,
    document: Document,
    *,
    project_id: int,
    given: Iterable[str] = (),
    batch: str | None = None,
    is_new: bool = False,
) -> str:
    """Keep a document, and return the id that it is kept under.

    The same id with the same title and text is the same document (and comes back if it was
    removed); the same id with another text gets a suffix; without an id, it gets one.

    Args:
        given: ids of concepts that came with it as assigned, to be confirmed or mended.
        batch: the upload that it came with.
        is_new: whether it is another one than those here, even with the same title and text.
    """
    with store.write() as connection:
        return insert_document(
            connection, document, project_id=project_id, given=given, batch=batch, is_new=is_new
        )


def find_same(
    store: Store, document: Document, project_id: int, taken: Container[str] = ()
) -> str | None:
    """Return the id under which a document is here already, removed or not.

    Line breaks and spaces make no difference, and no title of an act; without a text, titles are
    compared.

    Args:
        taken: ids of what came with the same upload, of which no encounter is this one.
    """
    with store.read() as connection:
        return _same(connection, _cleaned(document), project_id, taken)


def find_same_text(store: Store, document_id: str) -> str | None:
    """Return the oldest other document of the project with the text of this one, removed or not."""
    with store.read() as connection:
        columns = (document.c.project_id, document.c.text_fingerprint)
        query = select(*columns).where(document.c.document_id == document_id)
        row = connection.execute(query).one_or_none()
        return None if row is None else _other(connection, document_id, *row)


def documents_by_number(store: Store, project_id: int) -> dict[str, str]:
    """Return a document of each act of a project, by the number of the act; the oldest comes first."""
    numbers: dict[str, str] = {}
    for document_id, title in titles_of(store, project_id).items():
        if number := number_of(document_id, title):
            numbers.setdefault(number, document_id)
    return numbers


def add_documents(
    store: Store,
    arrivals: Iterable[Arrival],
    *,
    project_id: int,
    batch: str,
    taken: set[str] | None = None,
) -> Sequence[ArrivalOutcome]:
    """Store documents in one transaction, in their order; what is here already is not stored twice.

    What lies in the bin comes back from it.

    Args:
        taken: ids of what came with the same upload before, to which these are added: two encounters
            that cannot be told apart are two, and the same two where the upload comes again.
    Raises:
        StoreError: none of them was stored.
    """
    taken = set() if taken is None else taken
    outcomes = []
    with store.write() as connection:
        for arrival in arrivals:
            outcomes.append(_take(connection, arrival, project_id, batch, taken))
            taken.add(outcomes[-1].document_id)
    return outcomes


def _take(
    connection: Connection, arrival: Arrival, project_id: int, batch: str, taken: Container[str]
) -> ArrivalOutcome:
    clean = _cleaned(arrival.document)
    here = _same(connection, clean, project_id, taken)
    if here is None:
        document_id = insert_document(
            connection,
            arrival.document,
            project_id=project_id,
            given=arrival.given,
            batch=batch,
            is_new=True,
        )
        if arrival.comment:
            write_comment(connection, document_id, arrival.comment)
        fingerprint = text_fingerprint(clean.title, clean.text)
        other = _other(connection, document_id, project_id, fingerprint)
        return ArrivalOutcome(document_id, ADDED, other, len(arrival.given))
    states = select(document.c.removed_at, document.c.finished_at)
    row = connection.execute(states.where(document.c.document_id == here)).one()
    kind, is_finished = HERE, row.finished_at is not None
    n_given = insert_given(connection, here, () if is_finished else arrival.given)
    if row.removed_at is not None:
        update_removed(connection, here, None)
        kind = RESTORED
    return ArrivalOutcome(
        here, kind, n_given=n_given, keeps_concepts=is_finished and bool(arrival.given)
    )


def insert_document(
    connection: Connection,
    added: Document,
    *,
    project_id: int,
    given: Iterable[str] = (),
    batch: str | None = None,
    is_new: bool = False,
) -> str:
    """Write a document unless it is here already, and return the id that it is kept under.

    Args:
        is_new: whether it is another one than those here, even with the same title and text.
    """
    clean = _cleaned(added)
    fingerprint = _fingerprint(clean)
    wanted = _storable_id(clean.document_id, fingerprint)
    identity = None if is_new else (fingerprint, project_id)
    document_id, is_new = _free_id(connection, wanted, identity)
    if is_new:
        stored = replace(clean, document_id=document_id)
        _write(connection, stored, fingerprint, project_id, batch)
    else:
        update_removed(connection, document_id, None)
    insert_given(connection, document_id, given)
    return document_id


def _write(
    connection: Connection, added: Document, fingerprint: str, project_id: int, batch: str | None
) -> None:
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


def _same(
    connection: Connection, wanted: Document, project_id: int, taken: Container[str] = ()
) -> str | None:
    """Return the oldest equal document: same id and title, or same text, and not in `taken`."""
    columns = document.c
    if wanted.document_id and not wanted.parts:
        named = select(columns.document_id).where(
            columns.document_id == wanted.document_id,
            columns.project_id == project_id,
            columns.title == wanted.title,
            columns.annotation_of.is_(None),
        )
        if here := connection.scalar(named):
            return str(here)
    alike = [
        columns.project_id == project_id,
        columns.annotation_of.is_(None),
        columns.text_fingerprint == text_fingerprint(wanted.title, wanted.text),
    ]
    if wanted.document_id:
        alike.append(_same_id(connection, wanted))
    if is_clinical := _is_clinical(connection, project_id):
        alike += [columns.fingerprint == _fingerprint(wanted), *_same_stay(wanted.stay)]
    query = (
        select(columns.document_id)
        .outerjoin(stay, stay.c.document_id == columns.document_id)
        .where(*alike)
        .order_by(columns.created_at, columns.document_id)
    )
    same_ids = connection.scalars(query if is_clinical else query.limit(1))
    return next((i for i in same_ids if not (is_clinical and i in taken)), None)


def _same_id(connection: Connection, wanted: Document) -> ColumnElement[bool]:
    """Return the condition of an id that equals the wanted id or was derived from it."""
    column, stored = document.c.document_id, _storable_id(wanted.document_id, _fingerprint(wanted))
    taken = select(column).where(column == stored)
    if connection.scalar(taken) is None:
        return column == stored
    return or_(column == stored, column.in_(f"{stored}-{number}" for number in SUFFIXES))


def _same_stay(other_stay: Stay | None) -> list[ColumnElement[bool]]:
    """Return conditions by which a stay has all that is known of another one."""
    columns = stay_columns(other_stay) if other_stay else {}
    return [stay.c[name] == value for name, value in columns.items() if value not in (None, "")]


def _is_clinical(connection: Connection, project_id: int) -> bool:
    query = select(project.c.vocabulary_id).where(project.c.project_id == project_id)
    return bool(conventions_of(connection.scalar(query) or "").system)


def _other(
    connection: Connection, document_id: str, project_id: int, fingerprint: str
) -> str | None:
    """Return the oldest other document with the same words, on the list or removed."""
    query = select(document.c.document_id).where(
        document.c.text_fingerprint == fingerprint,
        document.c.project_id == project_id,
        document.c.document_id != document_id,
        document.c.annotation_of.is_(None),
    )
    return connection.scalar(query.order_by(document.c.created_at, document.c.document_id).limit(1))


def _cleaned(added: Document) -> Document:
    parts = tuple(
        replace(part, text=storable(part.text), title=storable(part.title)) for part in added.parts
    )
    return Document(storable(added.document_id), storable(added.title), parts, added.stay)


def _fingerprint(added: Document) -> str:
    parts = [
        (part.text, part.kind, str(part.date), *([part.title] if part.title else []))
        for part in added.parts
    ]
    content = json.dumps([added.title, parts], ensure_ascii=True)
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def _storable_id(document_id: str, fingerprint: str) -> str:
    if not document_id.strip():
        return fingerprint[:12]
    if len(document_id) <= LONGEST_ID:
        return document_id
    return f"{document_id[:LONGEST_ID]}~{fingerprint[:12]}"


def _free_id(
    connection: Connection, wanted: str, identity: tuple[str, int] | None
) -> tuple[str, bool]:
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
