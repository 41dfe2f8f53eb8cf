from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import text

from core.errors import StoreError
from core.review.connections import MOST_KEPT
from core.review.reports.summaries import list_documents
from core.review.store.documents import fetch_document
from core.review.store.predictions import save_prediction
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.stores import ACT, add, prediction


def test_opening_creates_the_folder_and_the_tables(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/a/b/strata.sqlite")
    assert default_project(store).vocabulary_id == "eurovoc"
    store.close()


def test_opening_again_keeps_everything(url: str, store: Store) -> None:
    add(store)
    again = Store.open(url)
    assert fetch_document(again, "act") == ACT
    again.close()


def test_programs_that_open_a_new_database_at_once_create_it_once(url: str) -> None:
    program = (
        "import sys; from core.review.store.store import Store; Store.open(sys.argv[1]).close()"
    )
    started = [subprocess.Popen([sys.executable, "-c", program, url]) for _ in range(4)]
    assert [process.wait() for process in started] == [0, 0, 0, 0]


def test_sqlite_is_set_up_so_that_a_commit_is_on_the_disk(store: Store) -> None:
    with store.read() as connection:
        pragmas = {
            name: connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 2_000,
    }


def test_readers_at_once_have_a_connection_each_of_which_few_are_kept(store: Store) -> None:
    pool = store.engine.pool
    store.engine.dispose()
    with ExitStack() as reading:
        connections = [reading.enter_context(store.read()) for _ in range(MOST_KEPT + 3)]
        assert [one.scalar(text("SELECT 1")) for one in connections] == [1] * (MOST_KEPT + 3)
    assert store.engine.pool.status() == f"{MOST_KEPT} idle connections"
    with store.read() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
        assert store.engine.pool.status() == f"{MOST_KEPT - 1} idle connections"
    store.close()
    assert store.engine.pool is not pool
    assert store.engine.pool.status() == "0 idle connections"


def test_foreign_keys_hold(store: Store) -> None:
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        save_prediction(store, "nowhere", prediction(), settings={})


def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(StoreError, match="in memory"):
        Store.open("sqlite://")


@pytest.mark.parametrize("bad", ["strata.sqlite", "nosuchdatabase://x/y"])
def test_a_url_that_is_none_is_refused(bad: str) -> None:
    with pytest.raises(StoreError, match="no usable database URL"):
        Store.open(bad)


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    file = tmp_path / "strata.sqlite"
    file.write_bytes(b"This is a letter to my aunt.\n" * 100)
    with pytest.raises(StoreError, match=r"no database, or is damaged: .*strata\.sqlite"):
        Store.open(f"sqlite:///{file}")
    assert file.read_bytes().startswith(b"This is a letter")


def test_a_database_of_a_newer_program_is_left_alone(url: str, store: Store) -> None:
    with store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(StoreError, match=r"newer Strata \(schema 9999"):
        Store.open(url)


def test_another_database_with_the_same_table_names_is_not_taken_over(tmp_path: Path) -> None:
    file = tmp_path / "strata.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE document (x)")
    other.close()
    with pytest.raises(StoreError, match="without the version of a schema"):
        Store.open(f"sqlite:///{file}")
    with sqlite3.connect(file) as other:
        names = other.execute("SELECT name FROM sqlite_master").fetchall()
    other.close()
    assert names == [("document",)]


def test_stores_that_are_opened_at_once_in_one_program_are_all_migrated(tmp_path):
    urls = [f"sqlite:///{tmp_path}/{number}.sqlite" for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        stores = list(threads.map(Store.open, urls))
    for one in stores:
        assert list_documents(one, default_project(one).project_id) == []
        one.close()


def test_a_new_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "strata.sqlite"
    before = os.umask(0o022)
    try:
        opened = Store.open(f"sqlite:///{file}")
        default_project(opened)
        found = [file, file.parent, file.with_name("strata.sqlite-wal")]
        assert not any(path.stat().st_mode & 0o077 for path in found)
        opened.close()
    finally:
        os.umask(before)
