"""Checkpoints of SQLite: what its log holds is moved to the database's file, beside the writers.

SQLite does it in the commit that fills the log. Who decides just then waits until the disk has
taken pages from all over the file, half a second on a slow one, and everybody behind waits too.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

EVERY_COMMITS = 200  # some 8 MB of log
# SQLite does it itself from this length on: after an import, or where several programs write.
MOST_PAGES = 8000
# Moves what it can without waiting for anybody, and lets nobody wait.
PASSIVE = "PRAGMA wal_checkpoint(PASSIVE)"


class Checkpoints:
    """The checkpoints of one store, in a thread of their own.

    Args:
        turn: held by who writes.
    """

    def __init__(self, engine: Engine, turn: threading.Lock) -> None:
        self._engine, self._turn = engine, turn
        self._n_commits = 0
        self._going_on = threading.Lock()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a commit when the block ends without an error, and start what is due then."""
        yield
        self._n_commits += 1
        if self._n_commits >= EVERY_COMMITS and self._going_on.acquire(blocking=False):
            self._n_commits = 0
            threading.Thread(target=self._move, name="checkpoint").start()

    def wait(self) -> None:
        """Return when none is going on."""
        with self._going_on:
            pass

    def _move(self) -> None:
        """Move the log while others write, and then, as they wait, the little that has come since.

        The next one who writes begins the log anew, so that it does not grow for ever. What fails
        is left to the next checkpoint: nothing is lost, as the log has it.
        """
        try:
            with (
                suppress(sqlite3.Error, SQLAlchemyError),
                closing(self._engine.raw_connection()) as connection,
            ):
                cursor = connection.cursor()
                cursor.execute(PASSIVE).fetchall()
                with self._turn:
                    cursor.execute(PASSIVE).fetchall()
        finally:
            self._going_on.release()
