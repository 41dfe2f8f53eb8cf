"""The store: documents, what models suggested for them, and what people decided.

One `Store` serves all threads of a program. Connections come from a pool and go back to it at
once, so no handle is shared between threads or left for the garbage collector.

What is kept is read and written by functions, one module a table, that take the store first
(`documents.fetch_document(store, document_id)`) and open a transaction of their own. Those named
`select_…`, `insert_…` and `update_…` take the connection of a transaction that is open already.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StoreError
from core.review.store import database


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
        """Open a connection that sees one consistent state."""
        with self._plainly(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a connection whose changes are on the disk when the block ends, or not at all."""
        with self._plainly(), self._turn, self._writer.begin() as connection:
            yield connection

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Turn the database's errors into sentences."""
        try:
            yield
        except SQLAlchemyError as error:
            raise database.in_plain_words(error, self.engine) from error
