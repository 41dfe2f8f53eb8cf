from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from core.documents.document import Document
from core.errors import StoreBusyError, StoreError
from core.review.decisions import recording as decisions
from core.review.reports.summaries import list_documents
from core.review.store.documents import fetch_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.core.review.store.conftest import rights_given_back
from tests.support.stores import ACT, accept, acknowledged, add


def test_a_database_that_can_only_be_read_says_so(store: Store, tmp_path: Path) -> None:
    add(store)
    reader = Store.open(f"sqlite:///file:{tmp_path}/strata.sqlite?mode=ro&uri=true")
    assert fetch_document(reader, "act") == ACT
    with pytest.raises(StoreError, match=r"can only be read: .*strata\.sqlite.* writable"):
        accept(reader, "act")
    reader.close()
    accept(store, "act")  # what the browser kept is stored once the file can be written
    assert list(decisions.current(store, "act")) == ["c1"]


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs POSIX rights")
def test_a_folder_that_cannot_be_written_says_so(without_rights: Path) -> None:
    with pytest.raises(StoreError, match=r"(can only be read|cannot be opened): .*strata\.sqlite"):
        default_project(Store.open(f"sqlite:///{without_rights}/strata.sqlite"), "new")
    with pytest.raises(StoreError, match="folder cannot be created"):
        Store.open(f"sqlite:///{without_rights}/below/strata.sqlite")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs POSIX rights")
def test_what_could_only_be_read_is_written_as_soon_as_it_may_be(
    store: Store, tmp_path: Path, without_rights: Path
) -> None:
    with rights_given_back(without_rights):
        add(store)
        for path in tmp_path.glob("strata.sqlite*"):  # as a killed server leaves them
            shutil.copy(path, without_rights)
    with closing(Store.open(f"sqlite:///{without_rights}/strata.sqlite")) as opened:
        with opened.read(), opened.read():
            pass  # two connections that share what they have open
        with pytest.raises(StoreError, match="can only be read"):
            accept(opened, "act")
        with rights_given_back(without_rights):
            accept(opened, "act")


def test_a_full_disk_says_so_and_what_was_stored_stays(store: Store, url: str) -> None:
    add(store)
    accept(store, "act")
    with store.engine.connect() as connection:
        pages = connection.scalar(text("PRAGMA page_count"))
        connection.execute(text(f"PRAGMA max_page_count = {pages}"))
    long = Document.from_text("long", "Long", "x" * 1_000_000)
    with pytest.raises(StoreError, match=r"disk is full.*Free some space"):
        add(store, long)
    last = accept_until_it_fails(store)
    with pytest.raises(StoreError, match="disk is full"):
        accept(store, "act", last + 1)
    assert acknowledged(store, "tab") == last
    store.close()
    again = Store.open(url)
    accept(again, "act", last + 1)
    assert acknowledged(again, "tab") == last + 1
    again.close()


def accept_until_it_fails(store: Store) -> int:
    """The last sequence that was stored before the disk was full."""
    for sequence in range(2, 500):
        try:
            accept(store, "act", sequence)
        except StoreError:
            return sequence - 1
    raise AssertionError("the disk was never full")


def test_who_waited_behind_another_one_does_not_wait_for_the_same_lock_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store)
    monkeypatch.setattr(store, "_found_locked", float("inf"))  # while this one waited for its turn
    with pytest.raises(StoreBusyError, match="Another program keeps the database locked"):
        accept(store, "act")
    monkeypatch.setattr(store, "_found_locked", 0.0)
    accept(store, "act")


def test_a_locked_database_says_so(store: Store, url: str, tmp_path: Path) -> None:
    add(store)
    hasty = Store.open(url, busy_timeout_seconds=0.05)
    other = sqlite3.connect(tmp_path / "strata.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="Another program keeps the database locked"):
        accept(hasty, "act")
    other.execute("ROLLBACK")
    other.close()
    accept(hasty, "act")
    assert list(decisions.current(hasty, "act")) == ["c1"]
    hasty.close()


def test_a_damaged_database_says_so(url: str, store: Store, tmp_path: Path) -> None:
    for i in range(50):
        add(store, Document.from_text(str(i), "Title", "x" * 5000))
    store.close()
    file = tmp_path / "strata.sqlite"
    content = bytearray(file.read_bytes())
    content[4096 * 3 :] = b"\xff" * (len(content) - 4096 * 3)
    file.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        list_documents(Store.open(url), 1)
