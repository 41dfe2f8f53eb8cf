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
from functools import cached_property
from typing import NoReturn

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from core.errors import NotAllowedError, StoreBusyError, StoreError
from core.review.shared_writes import SharedWrites
from core.review.store import database

BUSY_SECONDS = 2.0  # that a request waits for another program's lock
TURN_SECONDS = 30.0  # that a write waits for others of this program, which go on meanwhile
MIGRATION_SECONDS = 60.0  # that opening waits for another program that migrates
MIGRATION_RETRY_SECONDS = 0.05
REOPENING_SECONDS = 0.01  # between two looks whether all connections are idle
RESTORING = "A backup is being restored, so nothing can be saved for a moment."
READ_ALONE = "This was asked for without a right to write; nothing was changed."
RESTORED = "A backup was restored meanwhile. Reload the page and try again."


class Gate:
    """Whether a store may write: not while a backup is restored, nor afterwards.

    Attributes:
        is_paused: a restore by this program is going on.
        is_replaced: a restore by whatever program has put another content here since `watch`;
            nothing is written through this store any more.
    """

    def __init__(self) -> None:
        self.is_paused = False
        self.is_replaced = False
        self._generation: str | None = None

    def watch(self, connection: Connection) -> None:
        """Record the content's mark; readers with an earlier mark have to read again."""
        self._generation = database.generation(connection)

    def check(self) -> None:
        """Raise a StoreBusyError while a backup is restored."""
        if self.is_paused:
            raise StoreBusyError(RESTORING)

    def check_content(self, connection: Connection) -> None:
        """Raise a StoreBusyError where another content has come since `watch`."""
        if self._generation is None:
            return
        if self.is_replaced or database.generation(connection) != self._generation:
            self.is_replaced = True
            raise StoreBusyError(RESTORED)


ReadConnection = Connection
"""What `Store.read` gives to whoever asks several queries about one moment."""


class Store:
    """A database of documents, suggestions and decisions; open it with `Store.open`.

    Attributes:
        gate: whether it may write.
        actor: who writes, by number; None for a command and for the server itself.
        turn: held by who writes, where there can be one writer alone.
        shared: for writes that may share a transaction.
    """

    actor: int | None = None

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.gate = Gate()
        self._one_writer = engine.dialect.name == "sqlite"
        # SQLite has one writer at a time, and waits for it by polling; a lock is fair and quick.
        self.turn = threading.Lock()
        self._found_locked = 0.0  # when another program's lock was last met
        self._found_read_only = False  # since all connections were opened
        self._reopening = threading.Lock()
        self.shared = SharedWrites(self.write, one_writer=self._one_writer)

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

    @cached_property
    def for_reading(self) -> ReadingStore:
        """This store, for whoever may read alone."""
        return ReadingStore(self)

    def acting(self, person_id: int) -> Store:
        """Return this store, for what a person writes."""
        return PersonsStore(self, person_id)

    def close(self) -> None:
        """Give all connections back to the system."""
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a connection that sees one consistent state."""
        with self._plainly(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Connection]:
        """Open a connection whose changes are on the disk when the block ends, or not at all.

        Args:
            alone: no other program writes meanwhile, on a server too.
        Raises:
            StoreBusyError: another program keeps the database locked, or a backup is being restored.
            StoreError: nothing was written, for another reason.
        """
        writer = self.engine.execution_options(writes=database.ALONE if alone else True)
        with self._plainly(), self._in_turn(), writer.begin() as connection:
            self.gate.check_content(connection)
            yield connection

    # ------------------------------------------------------------------ waiting

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Wait until this is the only writer of this program, where there can be one alone."""
        self.gate.check()
        if not self._one_writer:
            yield
            return
        asked_at = time.monotonic()
        if not self.turn.acquire(timeout=TURN_SECONDS):
            raise StoreBusyError("The database has too much to do at the moment. Try again.")
        try:
            self._refuse_at_once(asked_at)
            yield
        except SQLAlchemyError as error:
            if isinstance(database.in_plain_words(error, self.engine), StoreBusyError):
                self._found_locked = time.monotonic()
            raise
        finally:
            self.turn.release()

    def _refuse_at_once(self, asked_at: float) -> None:
        """Refuse at once while an earlier writer has just failed to get the lock."""
        self.gate.check()
        if self._found_locked > asked_at:
            place = self.engine.url.database
            raise StoreBusyError(database.BUSY.format(place=place))

    def _reopen(self) -> None:
        """Reopen all connections after one turned out to be read-only.

        SQLite shares the log between the connections of a process: as long as one is open that was
        opened while nothing could be written, no other one can write.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        while self._found_read_only and time.monotonic() < deadline:
            with self._reopening:
                is_idle = not self.engine.pool.checkedout()  # type: ignore[attr-defined]
                if is_idle:
                    self.engine.dispose()
                    self._found_read_only = False
                    return
            time.sleep(REOPENING_SECONDS)

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        if self._found_read_only:
            self._reopen()
        try:
            yield
        except SQLAlchemyError as error:
            self._found_read_only |= database.is_read_only(error)
            raise database.in_plain_words(error, self.engine) from error


class PersonsStore(Store):
    """The same open store for what a person writes, as the audit log says."""

    __slots__ = ("actor",)

    def __init__(self, store: Store, person_id: int) -> None:
        self.__dict__ = store.__dict__  # one state, as below
        self.actor = person_id


class ReadingStore(Store):
    """The same open store for whoever may read: what would write is refused.

    Who writes says by which right, and gets the store itself (`Session.writing`).
    """

    def __init__(self, store: Store) -> None:
        self.__dict__ = store.__dict__  # one state: its gate, its turn, its connections

    def write(self, *, alone: bool = False) -> NoReturn:
        """Refuse to write.

        Raises:
            NotAllowedError: always.
        """
        raise NotAllowedError(READ_ALONE)

    @property
    def shared(self) -> SharedWrites:  # type: ignore[override]
        """Refuse to write with others."""
        raise NotAllowedError(READ_ALONE)
