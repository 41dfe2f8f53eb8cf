"""The store: documents, what models suggested for them, and what people decided.

One `Store` serves all threads of a program. Connections come from a pool and go back to it at
once, so no handle is shared between threads or left for the garbage collector.

What is kept is read and written by functions, one module a table, that take the store first
(`documents.fetch_document(store, document_id)`) and open a transaction of their own. Those named
`select_…`, `insert_…` and `update_…` take the connection of a transaction that is open already.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StoreBusyError, StoreError
from core.review.store import database

BUSY_SECONDS = 2.0  # that a request waits for another program's lock
TURN_SECONDS = 30.0  # that a write waits for others of this program, which go on meanwhile
MIGRATION_SECONDS = 60.0  # that opening waits for another program that migrates
MIGRATION_RETRY_SECONDS = 0.05
RESTORING = "A backup is being restored, so nothing can be saved for a moment."
RESTORED = "A backup was restored meanwhile. Reload the page and try again."


class Store:
    """A database of documents, suggestions and decisions; open it with `Store.open`.

    Attributes:
        is_replaced: a restore by whatever program has put another content here since
            `refuse_after_restore`; nothing is written through this store any more.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.is_replaced = False
        self._writer = engine.execution_options(writes=True)
        self._one_writer = engine.dialect.name == "sqlite"
        # SQLite has one writer at a time, and waits for it by polling; a lock is fair and quick.
        self._turn = threading.Lock()
        self._paused = False
        self._found_locked = 0.0  # when another program's lock was last met
        self._generation: str | None = None

    @classmethod
    def open(cls, url: str, *, busy_timeout_seconds: float = BUSY_SECONDS) -> Store:
        """Open the database, create or migrate it where needed.

        Args:
            url: such as `sqlite:////home/me/strata.sqlite` or a PostgreSQL URL.
            busy_timeout_seconds: how long to wait for another program's write.
        Raises:
            StoreError: it cannot be opened, read, or brought up to date.
        """
        store = cls(database.connect(url, busy_timeout_seconds=busy_timeout_seconds))
        try:
            store._migrate()
        except StoreError:
            store.close()
            raise
        return store

    def _migrate(self) -> None:
        """Bring the tables up to date, or wait until another program has."""
        deadline = time.monotonic() + MIGRATION_SECONDS
        while True:
            try:
                with self._plainly():
                    return database.migrate(self.engine)
            except StoreBusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(MIGRATION_RETRY_SECONDS)

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
        """Open a connection whose changes are on the disk when the block ends, or not at all.

        Raises:
            StoreBusyError: another program keeps the database locked, or a backup is being restored.
            StoreError: nothing was written, for another reason.
        """
        with self._plainly(), self._in_turn(), self._writer.begin() as connection:
            self._refuse_replaced(connection)
            yield connection

    @contextmanager
    def write_alone(self) -> Iterator[Connection]:
        """As `write`, and no other program writes meanwhile, on a server too."""
        writer = self.engine.execution_options(writes=database.ALONE)
        with self._plainly(), self._in_turn(), writer.begin() as connection:
            yield connection

    # ------------------------------------------------------------------ restores

    def refuse_after_restore(self) -> None:
        """Write nothing more once a restore has put another content here.

        Who works with what was read before, such as the numbers of people and projects, has to
        read it again.
        """
        with self.read() as connection:
            self._generation = database.generation(connection)

    def pause(self) -> None:
        """Refuse to write from now on; what is being written is finished before."""
        with self._turn:
            self._paused = True

    def resume(self) -> None:
        """Write again."""
        self._paused = False

    def _refuse_replaced(self, connection: Connection) -> None:
        if self._generation is None:
            return
        if self.is_replaced or database.generation(connection) != self._generation:
            self.is_replaced = True
            raise StoreBusyError(RESTORED)

    # ------------------------------------------------------------------ waiting

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Wait until this is the only writer of this program, where there can be one alone."""
        if self._paused:
            raise StoreBusyError(RESTORING)
        if not self._one_writer:
            yield
            return
        asked_at = time.monotonic()
        if not self._turn.acquire(timeout=TURN_SECONDS):
            raise StoreBusyError("The database has too much to do at the moment. Try again.")
        try:
            self._refuse_at_once(asked_at)
            yield
        except SQLAlchemyError as error:
            if isinstance(database.in_plain_words(error, self.engine), StoreBusyError):
                self._found_locked = time.monotonic()
            raise
        finally:
            self._turn.release()

    def _refuse_at_once(self, asked_at: float) -> None:
        """Do not wait in vain once more after somebody who was in front did."""
        if self._paused:
            raise StoreBusyError(RESTORING)
        if self._found_locked > asked_at:
            place = self.engine.url.database
            raise StoreBusyError(database.BUSY.format(place=place))

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Turn the database's errors into sentences."""
        try:
            yield
        except SQLAlchemyError as error:
            raise database.in_plain_words(error, self.engine) from error
