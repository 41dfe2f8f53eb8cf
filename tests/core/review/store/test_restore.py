"""Restores while others decide, restores that are killed, and backups that bring something else."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import StoreBusyError, StoreError
from core.home import clear_leftovers, leftovers
from core.review.decisions.recording import Operation
from core.review.store import restore
from core.review.store.backup import write_backup
from core.review.store.restore import finish_restores, read_backup
from core.review.store.store import RESTORED, RESTORING, Store
from tests.support.backups import backup, changed, manifest_of
from tests.support.killed import kill, killed_at
from tests.support.stores import send, states
from tests.support.waiting import PATIENCE_SECONDS

Events = set[tuple[str, int]]


def events_in(database: Path) -> Events:
    """Client and sequence of every event."""
    with closing(sqlite3.connect(database)) as connection:
        return set(connection.execute("SELECT client_id, sequence FROM decision_event"))


def kept_events(backup_file: Path, folder: Path) -> Events:
    """The events in a backup."""
    folder.mkdir()
    restore.unpack(backup_file, folder)
    return events_in(folder / "strata.sqlite")


# ---------------------------------------------------------------------- under use


def test_nobody_decides_between_the_kept_backup_and_the_restored_state(
    worked_store: Store, home: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = backup(worked_store, home)
    another_program = Store.open(url, busy_timeout_seconds=0.05)
    refused: list[str] = []

    def decide_meanwhile(*arguments: object) -> None:
        for sequence in (90, 91):  # before what is there is kept, and after
            with pytest.raises(StoreBusyError) as error:
                send(another_program, Operation(sequence, "accept", "c6"))
            refused.append(str(error.value))
            if sequence == 90:
                write_backup(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(restore, "write_backup", decide_meanwhile)
    kept = read_backup(io.BytesIO(content), database_url=url, home=home).kept
    assert len(refused) == 2 and "keeps the database locked" in refused[0]
    assert send(another_program, Operation(90, "accept", "c6")).stored == (90,)
    another_program.close()
    assert ("tab", 90) not in kept_events(kept, home / "looked-at")
    assert ("tab", 90) in events_in(home / "strata.sqlite")


def test_a_paused_store_refuses_at_once_and_a_replaced_one_for_good(
    worked_store: Store, home: Path, url: str
) -> None:
    content = backup(worked_store, home)
    restore.watch_for_restores(worked_store)
    restore.pause(worked_store)
    with pytest.raises(StoreBusyError, match=RESTORING):
        send(worked_store, Operation(4, "accept", "c6"))
    read_backup(io.BytesIO(content), database_url=url, home=home)
    restore.resume(worked_store)
    for _ in range(2):  # numbers of people and projects were read from what is no longer there
        with pytest.raises(StoreBusyError, match=RESTORED):
            send(worked_store, Operation(4, "accept", "c6"))
    assert worked_store.gate.is_replaced
    assert ("tab", 4) not in events_in(home / "strata.sqlite")


def test_every_acknowledged_decision_is_in_the_kept_backup_or_the_new_database(
    worked_store: Store, home: Path, url: str
) -> None:
    content = backup(worked_store, home)
    restored, acknowledged = threading.Event(), [set[int]() for _ in range(3)]

    def decide(number: int) -> None:
        store, sequence, left = Store.open(url, busy_timeout_seconds=0.05), 1, 5
        ends = time.monotonic() + PATIENCE_SECONDS
        while left and time.monotonic() < ends:
            try:
                send(store, Operation(sequence, "accept", "c6"), client_id=f"tab{number}")
            except StoreBusyError:
                continue
            acknowledged[number].add(sequence)
            sequence += 1
            left -= restored.is_set()
        store.close()

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        kept = read_backup(io.BytesIO(content), database_url=url, home=home).kept
    finally:
        restored.set()
        for thread in threads:
            thread.join()
    found = kept_events(kept, home / "looked-at") | events_in(home / "strata.sqlite")
    sent = {(f"tab{n}", sequence) for n, own in enumerate(acknowledged) for sequence in own}
    assert len(sent) >= 15 and sent <= found
    worked_store.close()


# ---------------------------------------------------------------------- killed


def at_the_rows() -> None:
    take_rows = restore._take_rows
    restore._take_rows = lambda *given: (take_rows(*given), kill())  # type: ignore[assignment]


def at_the_commit() -> None:
    restore._finish = kill


def between_the_renames() -> None:
    def rename(path: Path, target: Path) -> None:
        os.rename(path, target)  # noqa: PTH104 - its own is what is replaced
        kill()

    Path.rename = rename  # type: ignore[method-assign, assignment]


def before_the_file() -> None:
    restore._put_in_place = kill


@pytest.mark.parametrize(
    ("place", "is_restored"),
    [(at_the_rows, False), (at_the_commit, True), (between_the_renames, True)],
)
def test_a_killed_restore_leaves_the_old_state_or_the_new_one(
    worked_store: Store,
    home: Path,
    url: str,
    place: Callable[[], None],
    is_restored: bool,
) -> None:
    content = backup(worked_store, home)
    send(worked_store, Operation(4, "reject", "c1"))
    vocabulary = home / "vocabularies" / "stw" / "stw.jsonl"
    vocabulary.write_text("newer", encoding="utf-8")
    worked_store.close()
    killed_at(lambda: read_backup(io.BytesIO(content), database_url=url, home=home), place)
    assert leftovers(home)
    finish_restores(url, home)
    clear_leftovers(home)
    assert leftovers(home) == []
    opened = Store.open(url)
    assert states(opened) == {"c1": "accepted" if is_restored else "rejected"}
    opened.close()
    assert (vocabulary.read_text("utf-8") == "newer") is not is_restored
    with closing(sqlite3.connect(home / "strata.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_killed_restore_of_a_damaged_database_is_finished(
    worked_store: Store, home: Path, url: str
) -> None:
    content = backup(worked_store, home)
    worked_store.close()
    (home / "strata.sqlite").write_bytes(b"This is a letter to my aunt.\n" * 100)
    work = lambda: read_backup(io.BytesIO(content), database_url=url, home=home)  # noqa: E731
    killed_at(work, before_the_file)
    finish_restores(url, home)
    assert leftovers(home) == []
    opened = Store.open(url)
    assert states(opened) == {"c1": "accepted"}
    opened.close()


def test_a_restore_that_goes_on_is_left_alone(
    worked_store: Store, home: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = backup(worked_store, home)

    def start_another_server(*arguments: object) -> None:
        finish_restores(url, home)
        assert clear_leftovers(home) == []
        write_backup(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(restore, "write_backup", start_another_server)
    read_backup(io.BytesIO(content), database_url=url, home=home)
    assert states(worked_store) == {"c1": "accepted"}


def test_a_store_finds_the_file_that_took_the_place_of_a_damaged_one(
    worked_store: Store, home: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(home / "strata.sqlite")) as connection:
        connection.execute("VACUUM INTO ?", (str(tmp_path / "copy.sqlite"),))
    live = home / "strata.sqlite"
    (tmp_path / "copy.sqlite").replace(f"{live}{restore.PREPARED}")
    restore._put_in_place(live)
    send(worked_store, Operation(4, "reject", "c1"))
    assert ("tab", 4) in events_in(home / "strata.sqlite")


# ---------------------------------------------------------------------- what a backup may bring


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "CREATE TRIGGER spy AFTER INSERT ON decision_event BEGIN DELETE FROM decision; END",
            "has a trigger 'spy'",
        ),
        ("CREATE VIEW everybody AS SELECT * FROM person", "has a view 'everybody'"),
        ("CREATE TABLE more (x)", "has a table 'more'"),
        ("ALTER TABLE job DROP COLUMN settings", "lacks the column 'settings' of 'job'"),
        ("DROP INDEX ix_decision_event_person", "lacks the index 'person_id'"),
        ("DELETE FROM document WHERE document_id = 'other'", "name a missing row of document"),
        ("DELETE FROM alembic_version", "does not say of which version"),
        ("UPDATE document SET title = x'00ff'", "'title' of 'document' .* no text of its length"),
        ("UPDATE document SET title = 7.5; UPDATE document SET title = x'07'", "no text"),
        ("UPDATE decision SET state = 'accepted, or so it seems'", "'state' of 'decision'"),
        ("UPDATE document SET version = 'many'", "'version' of 'document' .* no whole number"),
        ("UPDATE document SET version = 3000000000", "no whole number"),
        ("UPDATE decision_event SET sequence = sequence + 0.5", "'sequence' of 'decision_event'"),
        ("UPDATE decision SET added = 2", "'added' of 'decision' .* no yes or no"),
        ("UPDATE decision_event SET probability = 'high'", "'probability' .* no number"),
        ("UPDATE decision_event SET probability = 9e999", "'probability' .* no number"),
        ("UPDATE decision_event SET value = '{\"a\": '", "'value' .* no JSON"),
        ("UPDATE project SET learning = 'NaN'", "'learning' of 'project' .* no JSON"),
        ("UPDATE document SET created_at = '2026-02-30 10:00:00.000000'", "no date with a time"),
        ("UPDATE document SET created_at = '2026-02-03'", "no date with a time"),
        ("UPDATE document SET created_at = '2026-02-03 25:00:00'", "no date with a time"),
        ("UPDATE document SET created_at = '2026-02-03 10:00:00.12 x'", "no date with a time"),
        ("UPDATE document SET created_at = 1770000000", "no date with a time"),
        ("UPDATE document_part SET part_date = '0000-01-01'", "'part_date' .* no date"),
        ("UPDATE document_part SET part_date = '2026-13-01'", "'part_date' .* no date"),
    ],
)
def test_a_backup_that_brings_something_else_is_refused(
    worked_store: Store, home: Path, url: str, tmp_path: Path, statement: str, sentence: str
) -> None:
    content, file = backup(worked_store, home), tmp_path / "other.sqlite"
    with closing(sqlite3.connect(home / "strata.sqlite")) as connection:
        connection.execute("VACUUM INTO ?", (str(file),))
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(statement)
        connection.commit()
    sums = {"strata.sqlite": hashlib.sha256(file.read_bytes()).hexdigest()}
    described = json.dumps(manifest_of(content) | {"sha256": sums}).encode()
    hostile = changed(content, "strata.sqlite", file.read_bytes()).getvalue()
    with pytest.raises(StoreError, match=sentence):
        read_backup(changed(hostile, "manifest.json", described), database_url=url, home=home)
    assert states(worked_store) == {"c1": "accepted"}
    assert not (home / "backups").exists()
