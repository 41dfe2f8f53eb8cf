"""The connections of a SQLite file, which wait for no lock."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Any

from sqlalchemy.pool import ConnectionPoolEntry, Pool

MOST_KEPT = 32


class WaitlessPool(Pool):
    """Opens a connection where none is idle, and keeps at most `MOST_KEPT` that come back.

    SQLAlchemy's `QueuePool` has one lock for all of them. Whoever gets it waits for Python's own lock
    next, and all others for both: of 200 sessions that open documents, thirty threads stood before it
    while the processors were idle. What a deque or a set does is one step, which needs no lock.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._idle: deque[ConnectionPoolEntry] = deque()
        self._used: set[object] = set()
        self._is_over = False

    def _do_get(self) -> ConnectionPoolEntry:
        asked = object()  # counts before there is a connection, which others must not overlook
        self._used.add(asked)
        try:
            record = self._idle_or_new()
            self._used.add(record)
        finally:
            self._used.discard(asked)
        return record

    def _idle_or_new(self) -> ConnectionPoolEntry:
        try:
            return self._idle.pop()  # the one used last, which has the pages at hand
        except IndexError:
            return self._create_connection()

    def _do_return_conn(self, record: ConnectionPoolEntry) -> None:
        if self._is_over or len(self._idle) >= MOST_KEPT:
            record.close()
        else:
            self._idle.append(record)
        self._used.discard(record)

    def recreate(self) -> WaitlessPool:
        """Return an empty pool of the same kind."""
        return type(self)(
            self._creator,
            pre_ping=self._pre_ping,
            recycle=self._recycle,
            echo=self.echo,
            logging_name=self._orig_logging_name,
            reset_on_return=self._reset_on_return,
            _dispatch=self.dispatch,
            dialect=self._dialect,
        )

    def dispose(self) -> None:
        """Close what is idle; the rest is closed when it comes back."""
        self._is_over = True
        with suppress(IndexError):  # others may take the last
            while True:
                self._idle.pop().close()

    def checkedout(self) -> int:
        """Return how many are used now."""
        return len(self._used)

    def status(self) -> str:
        """Say how many are idle."""
        return f"{len(self._idle)} idle connections"
