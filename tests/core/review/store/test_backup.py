from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import threading
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import text

from core.errors import StoreError
from core.home import STAGING
from core.review.decisions.recording import Operation, current
from core.review.reports.summaries import list_documents
from core.review.store import database
from core.review.store.backup import write_backup
from core.review.store.documents import fetch_document, remove_document
from core.review.store.restore import read_backup
from core.review.store.store import Store
from tests.support.backups import backup, changed, manifest_of
from tests.support.stores import send, states


def test_what_was_backed_up_comes_back_while_the_store_is_open(
    worked_store: Store, home: Path, url: str
) -> None:
    content, before = backup(worked_store, home), current(worked_store, "act")
    send(worked_store, Operation(4, "undo"), Operation(5, "reject", "c1"), Operation(6, "finish"))
    remove_document(worked_store, "other")
    (home / "vocabularies" / "stw" / "stw.jsonl").write_text("newer", encoding="utf-8")
    (home / "vocabularies" / "new.jsonl").write_text("imported since", encoding="utf-8")
    restored = read_backup(io.BytesIO(content), database_url=url, home=home)
    assert (restored.n_documents, restored.n_events) == (2, 3)
    assert restored.created_at == manifest_of(content)["created_at"]
    assert (current(worked_store, "act"), states(worked_store, "other")) == (
        before,
        {"c2": "accepted"},
    )
    assert {one.document_id: one.status for one in list_documents(worked_store, 1)} == {
        "act": "in progress",
        "other": "in progress",
    }
    left = [path.relative_to(home).as_posix() for path in (home / "vocabularies").rglob("*.jsonl")]
    assert left == ["vocabularies/stw/stw.jsonl"]
    assert (home / left[0]).read_text(encoding="utf-8") == '{"concept_id": "1"}\n'
    assert send(worked_store, Operation(7, "accept", "c3")).stored == (7,)
    assert not list(home.glob(f"{STAGING}*"))


def test_what_was_there_is_kept_and_can_be_restored_in_its_turn(
    worked_store: Store, home: Path, url: str
) -> None:
    content = backup(worked_store, home)
    send(worked_store, Operation(4, "reject", "c1"), Operation(5, "add", "c5"))
    (home / "vocabularies" / "new.jsonl").write_text("imported since", encoding="utf-8")
    kept = read_backup(io.BytesIO(content), database_url=url, home=home).kept
    assert kept.parent == home / "backups"
    assert states(worked_store) == {"c1": "accepted"}
    read_backup(kept, database_url=url, home=home)
    assert states(worked_store) == {"c1": "rejected", "c5": "accepted"}
    assert (home / "vocabularies" / "new.jsonl").is_file()
    assert len(list((home / "backups").iterdir())) == 2


def test_a_backup_goes_to_another_installation(
    worked_store: Store, home: Path, tmp_path: Path
) -> None:
    write_backup(worked_store, home, tmp_path / "strata.zip")
    elsewhere = tmp_path / "elsewhere"
    url = f"sqlite:///{elsewhere}/strata.sqlite"
    read_backup(tmp_path / "strata.zip", database_url=url, home=elsewhere)
    with_all = Store.open(url)
    assert fetch_document(with_all, "act") == fetch_document(worked_store, "act")
    assert current(with_all, "act") == current(worked_store, "act")
    assert (elsewhere / "vocabularies" / "stw" / "stw.jsonl").is_file()
    with with_all.read() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA integrity_check")) == "ok"
    with_all.close()


def test_a_backup_is_one_moment_while_others_write(
    worked_store: Store, home: Path, url: str
) -> None:
    stop = threading.Event()

    def decide() -> None:
        sequence = 10
        while not stop.is_set():
            pair = (Operation(sequence, "accept", "c5"), Operation(sequence + 1, "accept", "c6"))
            send(
                worked_store,
                *pair,
                Operation(sequence + 2, "undo"),
                Operation(sequence + 3, "undo"),
            )
            sequence += 4

    thread = threading.Thread(target=decide)
    thread.start()
    try:
        contents = [backup(worked_store, home) for _ in range(3)]
        restored = read_backup(io.BytesIO(contents[0]), database_url=url, home=home)
    finally:
        stop.set()
        thread.join()
    assert restored.n_events >= 3
    for content in contents:
        read_backup(io.BytesIO(content), database_url=url, home=home)
        assert states(worked_store) == {"c1": "accepted"}


def test_another_programs_database_is_refused(
    worked_store: Store, home: Path, url: str, tmp_path: Path
) -> None:
    content, other = backup(worked_store, home), tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE letters (x)")
    connection.close()
    sums = {"strata.sqlite": hashlib.sha256(other.read_bytes()).hexdigest()}
    described = json.dumps(manifest_of(content) | {"sha256": sums}).encode()
    foreign = changed(content, "strata.sqlite", other.read_bytes()).getvalue()
    with pytest.raises(StoreError, match="of another program"):
        read_backup(changed(foreign, "manifest.json", described), database_url=url, home=home)
    assert states(worked_store) == {"c1": "accepted"}


@pytest.mark.parametrize(
    "content", [b"", b"a letter", b"PK\x03\x04 cut off", b"PK\x05\x06" + b"\0" * 18]
)
def test_a_file_that_is_no_backup_is_refused(
    worked_store: Store, home: Path, url: str, content: bytes
) -> None:
    with pytest.raises(StoreError, match="no backup of Strata"):
        read_backup(io.BytesIO(content), database_url=url, home=home)
    assert states(worked_store) == {"c1": "accepted"}
    assert not (home / "backups").exists()


def test_another_programs_zip_is_refused(home: Path, url: str, worked_store: Store) -> None:
    for name, content in (("notes.txt", "hello"), ("manifest.json", '{"format": "other"}')):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, content)
        with pytest.raises(StoreError, match="no backup of Strata"):
            read_backup(file, database_url=url, home=home)


def test_a_damaged_backup_is_refused(worked_store: Store, home: Path, url: str) -> None:
    content = backup(worked_store, home)
    manifest = manifest_of(content)
    middle = len(content) // 2
    sums = manifest["sha256"]
    assert isinstance(sums, dict)
    outside = manifest | {"sha256": sums | {"../../evil": "0"}}
    for broken in (
        io.BytesIO(content[:middle] + b"\xff" * 200 + content[middle + 200 :]),
        changed(content, "strata.sqlite", b"SQLite format 3\0"),
        changed(content, "strata.sqlite", None),
        changed(content, "manifest.json", json.dumps(manifest | {"sha256": {}}).encode()),
        changed(content, "manifest.json", json.dumps(manifest | {"n_events": "7"}).encode()),
        changed(content, "manifest.json", json.dumps(outside).encode()),
    ):
        with pytest.raises(StoreError, match=r"backup is damaged .* nothing was changed"):
            read_backup(broken, database_url=url, home=home)
    assert states(worked_store) == {"c1": "accepted"}
    assert not (home / "backups").exists()
    assert not (home.parent / "evil").exists()


def test_a_newer_backup_is_refused(worked_store: Store, home: Path, url: str) -> None:
    content = backup(worked_store, home)
    newer = json.dumps(manifest_of(content) | {"format_version": 2}).encode()
    with pytest.raises(StoreError, match="newer Strata"):
        read_backup(changed(content, "manifest.json", newer), database_url=url, home=home)


@pytest.mark.parametrize(
    ("version", "refusal"),
    [("9999", r"newer Strata \(schema 9999"), ("0011", f"schema 0011.*{database.LAST_UPGRADER}")],
)
def test_a_backup_of_another_schema_is_refused(
    worked_store: Store, home: Path, url: str, version: str, refusal: str
) -> None:
    def set_version(version: str) -> None:
        with worked_store.write() as connection:
            connection.execute(text(f"UPDATE alembic_version SET version_num = '{version}'"))

    set_version(version)
    content = backup(worked_store, home)
    set_version(database.HEAD)
    with pytest.raises(StoreError, match=refusal):
        read_backup(io.BytesIO(content), database_url=url, home=home)
    assert states(worked_store) == {"c1": "accepted"}


def test_a_damaged_database_is_moved_aside_and_replaced(
    worked_store: Store, home: Path, url: str
) -> None:
    content = backup(worked_store, home)
    worked_store.close()
    file = home / "strata.sqlite"
    file.write_bytes(b"This is a letter to my aunt.\n" * 100)
    kept = read_backup(io.BytesIO(content), database_url=url, home=home).kept
    assert (kept / "strata.sqlite").read_bytes().startswith(b"This is a letter")
    assert (kept / "vocabularies" / "stw" / "stw.jsonl").is_file()
    worked_store.close()
    assert states(worked_store) == {"c1": "accepted"}


def test_a_locked_database_is_left_alone(
    worked_store: Store, home: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.review.store.restore.PATIENCE_SECONDS", 0.1)
    content = backup(worked_store, home)
    send(worked_store, Operation(4, "reject", "c1"))
    other = sqlite3.connect(home / "strata.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="keeps the database locked"):
        read_backup(io.BytesIO(content), database_url=url, home=home)
    other.execute("ROLLBACK")
    other.close()
    assert states(worked_store) == {"c1": "rejected"}


def test_another_database_is_told_its_own_tool(home: Path) -> None:
    url = "mysql://me@localhost/strata"
    with pytest.raises(StoreError, match="database here is mysql"):
        read_backup(io.BytesIO(b""), database_url=url, home=home)


def test_a_target_that_cannot_be_written_is_said(worked_store: Store, home: Path) -> None:
    with pytest.raises(StoreError, match=r"no folder .*nowhere'"):
        write_backup(worked_store, home, home / "nowhere" / "strata.zip")
    with pytest.raises(StoreError, match="backup could not be written"):
        write_backup(worked_store, home, home / ("long" * 80))
