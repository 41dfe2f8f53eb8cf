"""Threads that write at the same time share a transaction, and each hears of its own work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, func, insert, select

from core.errors import StoreBusyError, StoreError
from core.review.store.store import Store
from core.review.store.tables import document
from tests.support.waiting import wait_until

LONG = 30  # seconds; only a failure waits so long
Work = Callable[[Connection], str]


def adding(name: str) -> Work:
    def work(connection: Connection) -> str:
        row = connection.execute(select(document).where(document.c.document_id == "act")).one()
        connection.execute(insert(document).values({**row._mapping, "document_id": name}))
        return name

    return work


def failing(_connection: Connection) -> str:
    raise StoreError("This cannot be written.")


def held(store: Store) -> set[str]:
    with store.read() as connection:
        return set(connection.scalars(select(document.c.document_id)))


@contextmanager
def all_at_once(
    store: Store, works: list[Work], *, is_paused: bool = False
) -> Iterator[list[Future[str]]]:
    """Have threads write that all wait when the first of them may, or may no more."""
    with ThreadPoolExecutor(len(works)) as threads:
        with store.turn:
            futures = [threads.submit(store.shared.write, work) for work in works]
            wait_until(lambda: len(store.shared._waiting) == len(works))
            store.gate.is_paused = is_paused
        yield futures


def test_those_who_wait_share_one_transaction(sqlite_store: Store, commits: list[str]) -> None:
    names = [f"document {number}" for number in range(6)]
    with all_at_once(sqlite_store, [adding(name) for name in names]) as futures:
        assert [future.result(LONG) for future in futures] == names
    assert len(commits) == 1
    assert held(sqlite_store) == {"act", *names}


def test_where_one_fails_the_others_are_written(sqlite_store: Store) -> None:
    works = [adding("first"), failing, adding("last"), adding("last")]
    with all_at_once(sqlite_store, works) as (first, failed, *last):
        assert first.result(LONG) == "first"
        with pytest.raises(StoreError, match="This cannot be written"):
            failed.result(LONG)
        errors = [future.exception(LONG) for future in last]
    assert sorted(isinstance(error, StoreError) for error in errors) == [False, True]
    assert held(sqlite_store) == {"act", "first", "last"}


def test_where_nothing_can_be_written_everybody_hears_so(sqlite_store: Store) -> None:
    works = [adding("first"), adding("last")]
    with all_at_once(sqlite_store, works, is_paused=True) as futures:
        with pytest.raises(StoreBusyError):
            futures[0].result(LONG)
        with pytest.raises(StoreBusyError):
            futures[1].result(LONG)
    sqlite_store.gate.is_paused = False
    assert sqlite_store.shared.write(adding("next")) == "next"
    assert held(sqlite_store) == {"act", "next"}


def test_nobody_is_forgotten_among_many(sqlite_store: Store, commits: list[str]) -> None:
    names = [f"document {number}" for number in range(120)]
    with ThreadPoolExecutor(12) as threads:
        found = list(threads.map(lambda name: sqlite_store.shared.write(adding(name)), names))
    assert found == names
    with sqlite_store.read() as connection:
        assert connection.scalar(select(func.count()).select_from(document)) == 121
    assert sum(commit == "commit" for commit in commits) <= 121
