"""The store: documents, what models suggested for them, and what people decided.

One `Store` serves all threads of a program. Connections come from a pool and go back to it at
once, so no handle is shared between threads or left for the garbage collector.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from core.documents.document import Document
from core.errors import StoreError
from core.review.reports import summaries
from core.review.reports.summaries import DocumentSummary
from core.review.store import database, owners, preferences, proposed_terms
from core.review.store import documents as document_rows
from core.review.store import predictions as prediction_rows
from core.review.store.owners import Person, Project
from core.review.store.predictions import StoredPrediction
from core.review.store.proposed_terms import ProposedTerm
from core.suggest.suggestions import Prediction

__all__ = [
    "DocumentSummary",
    "Person",
    "Project",
    "ProposedTerm",
    "Store",
    "StoredPrediction",
]


class Store:
    """A database of documents, suggestions and decisions; open it with `Store.open`."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = engine.execution_options(writes=True)
        sqlite = engine.dialect.name == "sqlite"
        # SQLite has one writer at a time, and waits for it by polling; a lock is fair and quick.
        self._turn: AbstractContextManager[object] = threading.Lock() if sqlite else nullcontext()

    @classmethod
    def open(cls, url: str, *, busy_timeout_seconds: float = 10.0) -> Store:
        """Open the database, create or migrate it where needed.

        Args:
            url: such as `sqlite:////home/me/strata.sqlite` or a PostgreSQL URL.
            busy_timeout_seconds: how long to wait for another program's write (SQLite).
        Raises:
            StoreError: it cannot be opened, read, or brought up to date.
        """
        store = cls(database.connect(url, busy_timeout_seconds=busy_timeout_seconds))
        try:
            with store._plainly():
                database.migrate(store.engine)
        except StoreError:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Give all connections back to the system."""
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one consistent state."""
        with self._plainly(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection whose changes are on the disk when the block ends, or not at all."""
        with self._plainly(), self._turn, self._writer.begin() as connection:
            yield connection

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Turn the database's errors into sentences."""
        try:
            yield
        except SQLAlchemyError as error:
            raise database.in_plain_words(error, self.engine) from error

    def default_project(self, vocabulary_id: str = owners.DEFAULT_VOCABULARY) -> Project:
        """The project of this vocabulary, made at the first call."""
        with self.read() as connection:
            found = owners.find_project(connection, vocabulary_id)
        if found is not None:
            return found
        with self.write() as connection:
            return owners.make_project(connection, vocabulary_id)

    def default_person(self) -> Person:
        """The one person, until there are accounts; made at the first call."""
        with self.read() as connection:
            found = owners.find_person(connection, owners.DEFAULT_PERSON)
        if found is not None:
            return found
        with self.write() as connection:
            return owners.make_person(connection, owners.DEFAULT_PERSON)

    def add_document(
        self,
        document: Document,
        *,
        project_id: int,
        given: Iterable[str] = (),
        batch: str | None = None,
    ) -> str:
        """Keep a document, and say under which id.

        The same id with the same title and text is the same document (and comes back if it was
        removed); the same id with another text gets a suffix; without an id, it gets one.

        Args:
            given: ids of concepts that came with it as assigned, to be confirmed or mended.
            batch: the upload that it came with.
        """
        with self.write() as connection:
            return document_rows.add(
                connection, document, project_id=project_id, given=given, batch=batch
            )

    def find_same_text(self, document: Document, project_id: int) -> str | None:
        """The id under which the same text is here already, whatever its title, removed or not.

        Line breaks and spaces make no difference; without a text, titles are compared.
        """
        with self.read() as connection:
            return document_rows.find_same_text(connection, document, project_id)

    def given(self, document_id: str) -> tuple[str, ...]:
        """Ids of the concepts that came with a document, in their order."""
        with self.read() as connection:
            return document_rows.given(connection, document_id)

    def set_comment(self, document_id: str, text: str) -> None:
        """Keep a comment on a document in place of the one before.

        Raises:
            StoreError: there is none of this id.
        """
        with self.write() as connection:
            document_rows.set_comment(connection, document_id, text)

    def document(self, document_id: str) -> Document:
        """A document with its parts, removed or not.

        Raises:
            StoreError: there is none of this id.
        """
        with self.read() as connection:
            return document_rows.fetch(connection, document_id)

    def vocabulary_of(self, document_id: str) -> str | None:
        """The vocabulary that a document is indexed with; None where there is no such document."""
        with self.read() as connection:
            return document_rows.vocabulary_of(connection, document_id)

    def documents(self, project_id: int, *, removed: bool = False) -> list[DocumentSummary]:
        """The project's document list, newest first; with `removed`, what was taken off it."""
        with self.read() as connection:
            return summaries.summaries(connection, project_id, removed=removed)

    def remove_document(self, document_id: str) -> None:
        """Take a document off the list; everything about it stays, and can be restored."""
        with self.write() as connection:
            document_rows.set_removed(connection, document_id, datetime.now(UTC))

    def restore_document(self, document_id: str) -> None:
        """Put a removed document back on the list."""
        with self.write() as connection:
            document_rows.set_removed(connection, document_id, None)

    def save_prediction(
        self, document_id: str, prediction: Prediction, *, settings: Mapping[str, object]
    ) -> int:
        """Keep a prediction with all its suggestions, and say under which run id.

        Args:
            settings: how it was asked for (limit, threshold …); must be representable in JSON.
        """
        with self.write() as connection:
            return prediction_rows.save(connection, document_id, prediction, settings)

    def latest_prediction(self, document_id: str) -> StoredPrediction | None:
        """The newest prediction of a document, as it was saved."""
        with self.read() as connection:
            return prediction_rows.latest(connection, document_id)

    def proposed_terms(self, document_id: str | None = None) -> list[ProposedTerm]:
        """The terms proposed on a document, or on all that are on the list; oldest first."""
        with self.read() as connection:
            return proposed_terms.read(connection, document_id)

    def propose_term(self, document_id: str, text: str, note: str, person_id: int) -> int:
        """Note a term that the vocabulary lacks, and say under which id; the same one once.

        Raises:
            StoreError: the term is empty or too long, or there is no such document.
        """
        with self.write() as connection:
            return proposed_terms.propose(connection, document_id, text, note, person_id)

    def withdraw_term(self, term_id: int) -> None:
        """Take a proposed term off its document; it stays in the store."""
        with self.write() as connection:
            proposed_terms.withdraw(connection, term_id)

    def preferences(self, person_id: int) -> dict[str, Any]:
        """What a person set for themselves, by name."""
        with self.read() as connection:
            return preferences.read(connection, person_id)

    def set_preference(self, person_id: int, name: str, value: object) -> None:
        """Keep a preference in place of the one before; None forgets it.

        Args:
            value: anything that JSON can say.
        """
        with self.write() as connection:
            preferences.write(connection, person_id, name, value)
