"""Terms that a person missed in the vocabulary, noted on a document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select, update

from core.errors import StoreError
from core.review.store.documents import require_document, storable
from core.review.store.store import Store
from core.review.store.tables import person, proposed_term

MAX_TERM_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class ProposedTerm:
    """A term that the vocabulary lacks, in the words of a person."""

    term_id: int
    document_id: str
    text: str
    note: str
    person: str
    created_at: datetime


def read_proposed_terms(store: Store, document_id: str) -> list[ProposedTerm]:
    """Return the terms proposed on a document, oldest first."""
    with store.read() as connection:
        return _select(connection, document_id)


def propose_term(store: Store, document_id: str, text: str, note: str, person_id: int) -> int:
    """Note a term that the vocabulary lacks, and return its id; the same term is noted once.

    Raises:
        StoreError: the term is empty or too long, or there is no such document.
    """
    clean = " ".join(storable(text).split())
    if not clean:
        raise StoreError("A proposed term needs at least a word.")
    if len(clean) > MAX_TERM_CHARACTERS:
        raise StoreError(f"A proposed term has at most {MAX_TERM_CHARACTERS} characters.")
    values = {
        "document_id": document_id,
        "person_id": person_id,
        "text": clean,
        "note": storable(note),
        "created_at": datetime.now(UTC),
    }
    with store.write() as connection:
        require_document(connection, document_id)
        for proposed in _select(connection, document_id):
            if proposed.text.casefold() == clean.casefold():
                return proposed.term_id
        written = insert(proposed_term).values(values).returning(proposed_term.c.term_id)
        term_id: int = connection.execute(written).scalar_one()
    return term_id


def withdraw_term(store: Store, document_id: str, term_id: int) -> None:
    """Take a proposed term off a document; it stays in the store. One of another is left alone."""
    term = proposed_term.c
    here = term.document_id == document_id
    this = (here, term.term_id == term_id, term.withdrawn_at.is_(None))
    with store.write() as connection:
        connection.execute(
            update(proposed_term).where(*this).values(withdrawn_at=datetime.now(UTC))
        )


def _select(connection: Connection, document_id: str) -> list[ProposedTerm]:
    columns = proposed_term.c
    query = (
        select(columns.term_id, columns.document_id, columns.text, columns.note)
        .add_columns(person.c.name, columns.created_at)
        .join(person, person.c.person_id == columns.person_id)
        .where(columns.document_id == document_id, columns.withdrawn_at.is_(None))
        .order_by(columns.term_id)
    )
    return [ProposedTerm(*row) for row in connection.execute(query)]
