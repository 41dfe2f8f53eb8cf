"""Writes of several threads in one transaction.

SQLite has one writer at a time, and waiting for the disk takes longer than writing a decision: who
waits at the same time shares a transaction, and its one wait. PostgreSQL needs none of this.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection

from core.errors import StoreError

Result = TypeVar("Result")


@dataclass(eq=False, slots=True)
class SharedWrite:
    """What one thread wants to write in a transaction that it may share with others.

    Attributes:
        moved: set when it is over, or when its thread is to go on with it: as the one that writes
            for all, or alone.
        is_over: whether it was written, or nothing can be.
        is_alone: whether it is to be written in a transaction of its own.
        error: why nothing was written.
    """

    work: Callable[[Connection], Any]
    result: Any = None
    error: Exception | None = None
    is_over: bool = False
    is_alone: bool = False
    moved: threading.Event = field(default_factory=threading.Event)


class WorkFailedError(Exception):
    """What one of those who share a transaction wanted to write cannot be written."""


class SharedWrites:
    """The writes of a store that may share a transaction.

    Args:
        transaction: opens one, as `Store.write`.
        one_writer: whether the database has one writer at a time.
    """

    def __init__(
        self, transaction: Callable[[], AbstractContextManager[Connection]], *, one_writer: bool
    ) -> None:
        self._transaction, self._one_writer = transaction, one_writer
        self._waiting: list[SharedWrite] = []
        self._is_writing = False  # whether a thread writes for those who wait
        self._lock = threading.Lock()

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Return what work returns; its changes are on the disk then, or it raises.

        Where the work of one of those who share a transaction raises, each has one of its own.

        Args:
            work: writes through an open connection; may be called once more after it was rolled
                back.
        Raises:
            StoreError: as `Store.write`.
        """
        if not self._one_writer:
            return self._alone(work)
        shared_write = SharedWrite(work)
        with self._lock:
            self._waiting.append(shared_write)
            writes = not self._is_writing
            self._is_writing = True
        if not writes:
            shared_write.moved.wait()
        if not shared_write.is_over and not shared_write.is_alone:
            self._write_for_all()
        if shared_write.is_alone:
            return self._alone(work)
        if shared_write.error is not None:
            raise shared_write.error
        result: Result = shared_write.result
        return result

    def _alone(self, work: Callable[[Connection], Result]) -> Result:
        with self._transaction() as connection:
            return work(connection)

    def _write_for_all(self) -> None:
        """Write what waits in one transaction; the next thread writes what has come since."""
        taken: list[SharedWrite] = []
        try:
            with self._transaction() as connection:
                with self._lock:
                    taken, self._waiting = self._waiting, []
                _write_each(taken, connection)
        except WorkFailedError:
            _settle(taken, is_alone=True)
        except Exception as error:
            with self._lock:
                taken, self._waiting = taken + self._waiting, []
            _settle(taken, error=error)
            if not isinstance(error, StoreError):
                raise
        else:
            _settle(taken)
        finally:
            with self._lock:
                self._is_writing = bool(self._waiting)
                if self._waiting:
                    self._waiting[0].moved.set()


def _write_each(shared: list[SharedWrite], connection: Connection) -> None:
    """Write what threads want to write.

    Raises:
        WorkFailedError: one of them cannot be written, so that none may be.
    """
    for write in shared:
        try:
            write.result = write.work(connection)
        except Exception as error:
            raise WorkFailedError from error


def _settle(
    shared: list[SharedWrite], *, is_alone: bool = False, error: Exception | None = None
) -> None:
    for write in shared:
        write.is_over, write.is_alone, write.error = not is_alone, is_alone, error
        write.moved.set()
