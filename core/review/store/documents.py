"""Documents and their parts: read, renamed, taken off the list, put back, commented on; their stays.

`arrivals` adds them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from core.clinical.stay import NO_STAY, Identifier, Stay
from core.documents.document import Document, Heading, Part
from core.errors import StoreError
from core.review.audit.log import AuditKind, record
from core.review.listed import ON_LIST
from core.review.store import tables
from core.review.store.store import Store
from core.review.store.tables import ID_LENGTH, document, document_part, given_concept, project

FINISHED = "This document is finished: reopen it to change its {what}."
CHANGED_STAY = "Somebody has changed the stay since it was shown here; look at it, and save again."
CHANGED_TITLE = (
    "The title was changed elsewhere meanwhile; the list shows it. Save again to put yours in its "
    "place."
)

TAKEN_ID = (
    "Another document, of this project or another, has the id {0} already: choose another one."
)
DECIDED_ID = (
    "Somebody has decided on this document, so its id stays: what they decided is named by it."
)
ITS_ID = func.coalesce(document.c.annotation_of, document.c.document_id).label("its_id")


def fetch_document(store: Store, document_id: str) -> Document:
    """Return a document with its parts, removed or not.

    Raises:
        StoreError: there is none of this id.
    """
    with store.read() as connection:
        return select_document(connection, document_id)


def fetch_beginning(store: Store, document_id: str, n_characters: int = 2_000) -> str:
    """Return the title of a document, and as many characters of its first part."""
    part = document_part.c
    query = select(func.substr(part.text, 1, n_characters)).order_by(part.position)
    with store.read() as connection:
        title, text_id = _titled(connection, document_id) or ("", "")
        text = connection.scalar(query.where(part.document_id == text_id))
        return f"{title}\n{text or ''}"


def titles_of(store: Store, project_id: int) -> dict[str, str]:
    """Return the titles of a project's documents on the list by id, the oldest first."""
    query = (
        select(document.c.document_id, document.c.title)
        .where(document.c.project_id == project_id, ON_LIST)
        .order_by(document.c.created_at, document.c.document_id)
    )
    with store.read() as connection:
        return {row.document_id: row.title for row in connection.execute(query)}


def given_concepts(store: Store, document_id: str) -> tuple[str, ...]:
    """Return ids of the concepts that came with a document, in their order."""
    with store.read() as connection:
        return _given(connection, document_id)


def vocabulary_of(store: Store, document_id: str) -> str | None:
    """Return the vocabulary that a document is indexed with; None without such a document."""
    query = select(project.c.vocabulary_id).join(
        document, document.c.project_id == project.c.project_id
    )
    with store.read() as connection:
        return connection.scalar(query.where(document.c.document_id == document_id))


def has_text(store: Store, document_id: str) -> bool:
    """Return whether more than the title of a document is known."""
    query = select(document.c.n_characters).where(document.c.document_id == document_id)
    with store.read() as connection:
        return bool(connection.scalar(query))


def set_comment(
    store: Store, document_id: str, comment: str, *, formers: Collection[str] | None = None
) -> None:
    """Replace the comment on a document.

    Args:
        formers: what it is to replace, whichever of them is there; another one is newer, and stays.
            None: it replaces whatever is there.
    Raises:
        StoreError: there is none of this id.
    """
    query = select(document.c.comment).where(document.c.document_id == document_id)
    with store.write() as connection:
        if formers is not None:
            now = connection.scalar(query)
            if now is not None and now not in map(storable, formers):
                return
        write_comment(connection, document_id, comment)


def write_comment(connection: Connection, document_id: str, comment: str) -> None:
    """Replace the comment on a document, in an open transaction.

    Raises:
        StoreError: there is no document of this id.
    """
    _update(connection, document_id, comment=storable(comment))


def set_title(store: Store, document_id: str, title: str, *, former: str | None = None) -> None:
    """Give a document another title, which its annotations have as well.

    By its checksums it stays the document that arrived, so that the same file adds nothing twice;
    without a text, the title is what another one is compared with.

    Args:
        former: the title that it is to replace; None: whichever it is.
    Raises:
        StoreError: there is none of this id, it is finished, or has another title than that.
    """
    title = storable(title)
    query = select(document.c.title, document.c.finished_at, document.c.n_characters, ITS_ID)
    with store.write() as connection:
        row = connection.execute(query.where(document.c.document_id == document_id)).one_or_none()
        if row is None:
            raise _missing(document_id)
        if row.finished_at is not None:
            raise StoreError(FINISHED.format(what="title"))
        if former not in (None, row.title):
            raise StoreError(CHANGED_TITLE)
        compared = {} if row.n_characters else {"text_fingerprint": text_fingerprint(title, "")}
        _update(connection, row.its_id, title=title, **compared)
        annotations = update(document).where(document.c.annotation_of == row.its_id)
        connection.execute(annotations.values(title=title))


def may_change_id(store: Store, document_id: str) -> bool:
    """Return whether nothing was decided on a document yet."""
    with store.read() as connection:
        return not _is_decided(connection, document_id)


def set_document_id(store: Store, document_id: str, wanted: str) -> None:
    """Give a document another id, with its text and suggestions; of an annotation, its document.

    Raises:
        StoreError: there is none of this id, another document has the new one, or somebody has
            decided on it.
    """
    new = storable(wanted)
    with store.write() as connection:
        require_document(connection, document_id)
        columns = document.c
        its_id = connection.scalar(select(ITS_ID).where(columns.document_id == document_id))
        if connection.scalar(select(columns.title).where(columns.document_id == new)) is not None:
            raise StoreError(TAKEN_ID.format(new[:60]))
        if _is_decided(connection, document_id):
            raise StoreError(DECIDED_ID)
        project_id = move_document(connection, its_id, new)
        facts: dict[str, Any] = {"project_id": project_id, "document_id": new}
        record(connection, AuditKind.DOCUMENT, person_id=store.actor, former=its_id, **facts)


def move_document(connection: Connection, document_id: str, new_id: str) -> int:
    """Give a document another id wherever it is named but in the log; return its project."""
    old = document.c.document_id == document_id
    row = dict(connection.execute(select(document).where(old)).mappings().one())
    connection.execute(insert(document).values(row | {"document_id": new_id}))
    for table in tables.metadata.sorted_tables:
        for key in table.foreign_keys:
            if key.column is document.c.document_id:
                there = update(table).where(key.parent == document_id)
                connection.execute(there.values({key.parent: new_id}))
    annotations = update(document).where(document.c.annotation_of == document_id)
    connection.execute(annotations.values(annotation_of=new_id))
    connection.execute(delete(document).where(old))
    project_id: int = row["project_id"]
    return project_id


def _is_decided(connection: Connection, document_id: str) -> bool:
    its_id = select(ITS_ID).where(document.c.document_id == document_id).scalar_subquery()
    event = tables.decision_event.c
    query = select(event.event_id).where(
        or_(event.document_id == document_id, event.document_id == its_id)
    )
    return connection.scalar(query.limit(1)) is not None


def remove_document(store: Store, document_id: str) -> None:
    """Take a document off the list; everything about it stays, and can be restored.

    Raises:
        StoreError: there is none of this id.
    """
    with store.write() as connection:
        update_removed(connection, document_id, datetime.now(UTC))


def restore_document(store: Store, document_id: str) -> None:
    """Put a removed document back on the list.

    Raises:
        StoreError: there is none of this id.
    """
    with store.write() as connection:
        update_removed(connection, document_id, None)


def select_document(connection: Connection, document_id: str) -> Document:
    """Return a document with its parts.

    Raises:
        StoreError: there is none of this id.
    """
    titled = _titled(connection, document_id)
    if titled is None:
        raise _missing(document_id)
    title, text_id = titled
    columns = document_part.c
    query = (
        select(columns.text, columns.kind, columns.part_date, columns.title, columns.headings)
        .where(columns.document_id == text_id)
        .order_by(columns.position)
    )
    parts = (
        Part(row.text, row.kind, row.part_date, row.title, tuple(Heading(*h) for h in row.headings))
        for row in connection.execute(query)
    )
    return Document(document_id, title, tuple(parts), select_stay(connection, document_id))


def _titled(connection: Connection, document_id: str) -> tuple[str, str] | None:
    """Return the title of a document, and under which id its text is: annotations have none."""
    query = select(document.c.title, ITS_ID).where(document.c.document_id == document_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else (row[0], row[1])


def update_removed(connection: Connection, document_id: str, moment: datetime | None) -> None:
    """Note when a document was removed from the list; None puts it back.

    Of an annotation, the document goes that it is of.

    Raises:
        StoreError: there is none of this id.
    """
    _, its_id = _titled(connection, document_id) or ("", document_id)
    _update(connection, its_id, removed_at=moment)


def _update(connection: Connection, document_id: str, **values: object) -> None:
    here = document.c.document_id == document_id
    if connection.execute(update(document).where(here).values(values)).rowcount == 0:
        raise _missing(document_id)


def require_document(connection: Connection, document_id: str) -> None:
    """Make sure that a document is there, removed or not.

    Raises:
        StoreError: there is none of this id.
    """
    query = select(func.count()).where(document.c.document_id == document_id)
    if not connection.scalar(query):
        raise _missing(document_id)


def _missing(document_id: str) -> StoreError:
    return StoreError(f"There is no document {document_id[:60]!r} in the store.")


def insert_given(connection: Connection, document_id: str, concept_ids: Iterable[str]) -> int:
    """Note the concepts that came with a document, behind those that are there; return how many."""
    given_row = _given(connection, document_id)
    usable = (
        storable(concept_id) for concept_id in concept_ids if 0 < len(concept_id) <= ID_LENGTH
    )
    fresh = [wanted for wanted in dict.fromkeys(usable) if wanted not in given_row]
    rows = [
        {"document_id": document_id, "concept_id": concept_id, "position": position}
        for position, concept_id in enumerate(fresh, start=len(given_row))
    ]
    if rows:
        connection.execute(insert(given_concept), rows)
    return len(rows)


def _given(connection: Connection, document_id: str) -> tuple[str, ...]:
    query = select(given_concept.c.concept_id).where(given_concept.c.document_id == document_id)
    return tuple(connection.scalars(query.order_by(given_concept.c.position)))


def text_fingerprint(title: str, text: str) -> str:
    """Return a checksum of the words of a text, or of the title where there is no text."""
    words = " ".join(text.split()) or " ".join(title.split())
    return hashlib.sha256(words.encode("utf-8")).hexdigest()


def storable(text: str) -> str:
    """Return text without NUL and halves of surrogate pairs; every offset stays where it was."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


def set_stay(store: Store, document_id: str, stay: Stay, *, former: Stay) -> None:
    """Keep what is known of a stay.

    Args:
        former: what it is to replace; another one is newer, and stays.
    Raises:
        DocumentError: its discharge is before its admission.
        StoreError: there is no document of this id, it is finished, or has another stay than that.
    """
    stay = stay.checked()
    with store.write() as connection:
        require_document(connection, document_id)
        finished = select(document.c.finished_at).where(document.c.document_id == document_id)
        if connection.scalar(finished) is not None:
            raise StoreError(FINISHED.format(what="stay"))
        if (select_stay(connection, document_id) or NO_STAY) != former:
            raise StoreError(CHANGED_STAY)
        write_stay(connection, document_id, stay)


def read_stay(store: Store, document_id: str) -> Stay:
    """Return what is known of a stay; nothing where the document has none."""
    with store.read() as connection:
        return select_stay(connection, document_id) or NO_STAY


def select_stay(connection: Connection, document_id: str) -> Stay | None:
    """Return what is known of a stay; None where nothing is."""
    return select_stays(connection, [document_id]).get(document_id)


def select_stays(connection: Connection, document_ids: Iterable[str]) -> dict[str, Stay]:
    """Return the stays of these documents, as far as they are known."""
    query = select(tables.stay).where(tables.stay.c.document_id.in_(document_ids))
    return {row["document_id"]: _stay(dict(row)) for row in connection.execute(query).mappings()}


def write_stay(connection: Connection, document_id: str, stay: Stay | None) -> None:
    """Replace the stay of a document; None or an empty stay removes it."""
    connection.execute(delete(tables.stay).where(tables.stay.c.document_id == document_id))
    if stay is not None and stay != NO_STAY:
        connection.execute(
            insert(tables.stay).values(document_id=document_id, **stay_columns(stay))
        )


def stay_columns(stay: Stay) -> dict[str, Any]:
    """Return a stay by the columns of its table."""
    patient, encounter = stay.patient, stay.encounter
    return {
        "admitted": stay.admitted,
        "discharged": stay.discharged,
        "age_years": stay.age_years,
        "sex": stay.sex,
        "disposition": stay.disposition,
        "patient": patient.value if patient else None,
        "patient_system": patient.system if patient else None,
        "encounter": encounter.value if encounter else None,
        "encounter_system": encounter.system if encounter else None,
        "encounter_class": stay.encounter_class,
    }


def _stay(row: dict[str, Any]) -> Stay:
    return Stay(
        row["admitted"],
        row["discharged"],
        row["age_years"],
        row["sex"],
        row["disposition"],
        _identifier(row, "patient"),
        _identifier(row, "encounter"),
        row["encounter_class"],
    )


def _identifier(row: dict[str, Any], name: str) -> Identifier | None:
    value = row[name]
    return Identifier(value, row[f"{name}_system"] or "") if value else None
