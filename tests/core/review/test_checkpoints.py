from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from core.review import checkpoints
from core.review.store.people import default_person, read_preferences, set_preference
from core.review.store.store import Store


def opened(folder: Path) -> Store:
    return Store.open(f"sqlite:///{folder}/strata.sqlite")


def in_the_file(folder: Path) -> str | None:
    """What the database's file says without its log, which is left behind."""
    copy = folder / "copy.sqlite"
    shutil.copyfile(folder / "strata.sqlite", copy)
    with closing(sqlite3.connect(copy)) as connection:
        row = connection.execute("SELECT value FROM preference").fetchone()
    return row and str(row[0])


def write(store: Store, number: int) -> None:
    set_preference(store, default_person(store).person_id, "number", number)


def test_what_was_committed_reaches_the_file_without_a_writer_doing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path)
    write(store, 1)
    monkeypatch.setattr(checkpoints, "EVERY_COMMITS", 1)
    write(store, 2)
    store.checkpoints.wait()
    assert in_the_file(tmp_path) == "2"
    with store.read() as connection:
        assert connection.scalar(text("PRAGMA wal_autocheckpoint")) == checkpoints.MOST_PAGES
    store.close()


def test_a_reader_keeps_its_moment_and_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path)
    monkeypatch.setattr(checkpoints, "EVERY_COMMITS", 1)
    write(store, 1)
    person_id = default_person(store).person_id
    numbers = text("SELECT value FROM preference")
    with store.read() as connection:
        before = connection.execute(numbers).all()
        for number in range(2, 20):
            write(store, number)
        store.checkpoints.wait()
        assert connection.execute(numbers).all() == before
    assert read_preferences(store, person_id)["number"] == 19
    store.close()


def test_the_log_begins_anew_after_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path)
    monkeypatch.setattr(checkpoints, "EVERY_COMMITS", 10)
    log = tmp_path / "strata.sqlite-wal"
    sizes = []
    for number in range(300):
        write(store, number)
        store.checkpoints.wait()
        sizes.append(log.stat().st_size)
    assert sizes[-1] == sizes[50]  # 30 checkpoints: without them it would be six times as long
    store.close()


def test_a_failed_checkpoint_loses_nothing_and_the_next_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path)
    monkeypatch.setattr(checkpoints, "EVERY_COMMITS", 1)
    monkeypatch.setattr(checkpoints, "PASSIVE", "PRAGMA no checkpoint")
    write(store, 1)
    store.checkpoints.wait()
    monkeypatch.undo()
    monkeypatch.setattr(checkpoints, "EVERY_COMMITS", 1)
    write(store, 2)
    store.close()
    assert read_preferences(store, default_person(store).person_id)["number"] == 2
