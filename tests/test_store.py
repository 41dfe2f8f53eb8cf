from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import func, select, text

from core.documents.document import Document, Part
from core.errors import StoreError
from core.review import database, decisions, document_rows, prediction_rows, tables
from core.review.store import Store
from core.suggest.suggestions import Prediction, Suggestion

ACT = Document.from_text("act", "Olives", "On the marketing of olives.")
NOBODY = 65534


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/strata.sqlite"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store.open(url)
    yield opened
    opened.close()


def prediction(n_suggestions: int = 3) -> Prediction:
    return Prediction(
        suggestions=tuple(
            Suggestion(f"c{i}", f"http://x/{i}", f"N{i}", f"label {i}", 0.9 / i, 0.95 / i, i)
            for i in range(1, n_suggestions + 1)
        ),
        branch_probability={"top": 0.99},
        n_tokens=12,
        n_tokens_read=12,
        n_windows=1,
        bundle_hash="abc123",
        vocabulary_version="4.9",
        seconds=0.05,
    )


def accept(store: Store, document_id: str, sequence: int = 1, client_id: str = "tab") -> None:
    decisions.record(
        store,
        document_id=document_id,
        person_id=store.default_person().person_id,
        client_id=client_id,
        operations=[decisions.Operation(sequence, "accept", "c1")],
    )


def add(store: Store, document: Document = ACT) -> str:
    return store.add_document(document, project_id=store.default_project().project_id)


# The schema


def test_opening_creates_the_folder_and_the_tables(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/a/b/strata.sqlite")
    assert store.default_project().vocabulary_id == "eurovoc"
    store.close()


def test_migrations_lead_to_the_tables_that_the_code_uses(store: Store) -> None:
    with store.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.metadata) == []


def test_the_newest_migration_is_the_one_that_the_code_names() -> None:
    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == database.HEAD


def test_opening_again_keeps_everything(url: str, store: Store) -> None:
    add(store)
    again = Store.open(url)
    assert again.document("act") == ACT
    again.close()


def test_programs_that_open_a_new_database_at_once_create_it_once(url: str) -> None:
    program = "import sys; from core.review.store import Store; Store.open(sys.argv[1]).close()"
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
        "busy_timeout": 10_000,
    }


def test_foreign_keys_hold(store: Store) -> None:
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        store.save_prediction("nowhere", prediction(), settings={})


def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(StoreError, match="in memory"):
        Store.open("sqlite://")


@pytest.mark.parametrize("bad", ["strata.sqlite", "nosuchdatabase://x/y"])
def test_a_url_that_is_none_is_refused(bad: str) -> None:
    with pytest.raises(StoreError, match="no usable database URL"):
        Store.open(bad)


# Documents


def test_a_document_comes_back_as_it_was_added(store: Store) -> None:
    parts = (Part("Body.\r\n\tÉtat “x” 🫒"), Part("Annex", "annex", date(2017, 3, 1)))
    document = Document("1/ä", 'A "title", with\nbreaks', parts)
    assert add(store, document) == "1/ä"
    assert store.document("1/ä") == document


def test_a_document_that_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(StoreError, match="'nowhere'"):
        store.document("nowhere")


def test_the_same_document_is_kept_once(store: Store) -> None:
    assert [add(store), add(store)] == ["act", "act"]


def test_another_text_under_the_same_id_gets_a_suffix(store: Store) -> None:
    others = [Document.from_text("act", "Olives", f"Version {i}.") for i in range(3)]
    assert [add(store, other) for other in others] == ["act", "act-2", "act-3"]
    assert [add(store, other) for other in others] == ["act", "act-2", "act-3"]


def test_a_document_without_an_id_gets_one(store: Store) -> None:
    nameless = Document.from_text(" ", "Olives", "Text.")
    assert add(store, nameless) == add(store, nameless) != ""


def test_very_long_ids_stay_apart(store: Store) -> None:
    first = Document.from_text("x" * 5000, "One", "")
    second = Document.from_text("x" * 5000, "Two", "")
    assert len({add(store, first), add(store, second)}) == 2


def test_characters_that_no_database_holds_are_replaced_one_for_one(store: Store) -> None:
    document_id = add(store, Document("a", "T\0", (Part("x\ud800y"),)))
    kept = store.document(document_id)
    assert (len(kept.title), len(kept.text)) == (2, 3)
    assert "\0" not in kept.title


def test_the_list_shows_status_and_counts(store: Store) -> None:
    for name in ("new", "open", "decided"):
        add(store, Document.from_text(name, name, "Text."))
    store.save_prediction("open", prediction(1), settings={})
    store.save_prediction("open", prediction(3), settings={})
    store.save_prediction("decided", prediction(), settings={})
    accept(store, "decided")
    listed = {one.document_id: one for one in store.documents(1)}
    assert {key: one.status for key, one in listed.items()} == {
        "new": "new",
        "open": "open",
        "decided": "in review",
    }
    assert listed["open"].n_suggested == 3
    assert (listed["decided"].n_accepted, listed["decided"].n_rejected) == (1, 0)
    assert listed["decided"].updated_at > listed["decided"].created_at


def test_removing_takes_a_document_off_the_list_and_loses_nothing(store: Store) -> None:
    add(store)
    store.save_prediction("act", prediction(), settings={})
    accept(store, "act")
    store.remove_document("act")
    assert store.documents(1) == []
    assert [one.document_id for one in store.documents(1, removed=True)] == ["act"]
    store.restore_document("act")
    assert store.documents(1)[0].n_accepted == 1


def test_adding_a_removed_document_again_restores_it(store: Store) -> None:
    add(store)
    store.remove_document("act")
    assert add(store) == "act"
    assert len(store.documents(1)) == 1


def test_each_vocabulary_has_its_own_project(store: Store) -> None:
    assert store.default_project("stw") != store.default_project("eurovoc")
    assert store.default_project("stw") == store.default_project("stw")


def test_a_thousand_documents_are_listed_quickly(store: Store) -> None:
    project_id = store.default_project().project_id
    with store.write() as connection:
        for i in range(1000):
            document = Document.from_text(str(i), "Title", "Text.")
            document_rows.add(connection, document, project_id=project_id)
            prediction_rows.save(connection, str(i), prediction(), {})
    for i in range(1, 100):
        accept(store, str(i), sequence=i)
    store.documents(1)
    seconds = []
    for _ in range(7):
        started = time.process_time()
        assert len(store.documents(1)) == 1000
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.05


# Predictions


def test_a_prediction_comes_back_as_it_was_saved(store: Store) -> None:
    add(store)
    run_id = store.save_prediction("act", prediction(300), settings={"limit": 300})
    stored = store.latest_prediction("act")
    assert stored is not None
    assert (stored.run_id, stored.prediction) == (run_id, prediction(300))
    assert (stored.bundle_hash, stored.vocabulary_version) == ("abc123", "4.9")
    assert stored.created_at.tzinfo is not None


def test_the_newest_prediction_is_the_one_that_counts(store: Store) -> None:
    add(store)
    store.save_prediction("act", prediction(3), settings={})
    newest = store.save_prediction("act", prediction(0), settings={})
    stored = store.latest_prediction("act")
    assert stored is not None
    assert (stored.run_id, stored.prediction.suggestions) == (newest, ())


def test_a_document_without_a_prediction_has_none(store: Store) -> None:
    add(store)
    assert store.latest_prediction("act") is None


# Threads


def test_many_threads_write_through_one_store(store: Store) -> None:
    add(store)

    def work(client_id: str) -> None:
        for sequence in range(1, 11):
            accept(store, "act", sequence, client_id)

    threads = [threading.Thread(target=work, args=(f"tab{i}",)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as connection:
        stored = connection.scalar(select(func.count()).select_from(tables.decision_event))
    assert stored == 120
    assert store.engine.pool.checkedout() == 0  # type: ignore[attr-defined]


# What goes wrong, in plain words. Reading still works where it can.


def test_a_database_that_can_only_be_read_says_so(store: Store, tmp_path: Path) -> None:
    add(store)
    reader = Store.open(f"sqlite:///file:{tmp_path}/strata.sqlite?mode=ro&uri=true")
    assert reader.document("act") == ACT
    with pytest.raises(StoreError, match=r"can only be read: .*strata\.sqlite.* writable"):
        accept(reader, "act")
    reader.close()
    accept(store, "act")  # what the browser kept is stored once the file can be written
    assert list(decisions.current(store, "act")) == ["c1"]


@pytest.fixture
def without_rights() -> Iterator[Path]:
    """A folder in which this process may not write; root gives its rights up for the test."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Store.open(f"sqlite:///{folder}/strata.sqlite").close()
        (folder / "strata.sqlite").chmod(0o444)
        folder.chmod(0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(NOBODY)
        yield folder
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs POSIX rights")
def test_a_folder_that_cannot_be_written_says_so(without_rights: Path) -> None:
    with pytest.raises(StoreError, match=r"(can only be read|cannot be opened): .*strata\.sqlite"):
        Store.open(f"sqlite:///{without_rights}/strata.sqlite").default_project("new")
    with pytest.raises(StoreError, match="folder cannot be created"):
        Store.open(f"sqlite:///{without_rights}/below/strata.sqlite")


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
    assert decisions.acknowledged(store, "tab") == last
    store.close()
    again = Store.open(url)
    accept(again, "act", last + 1)
    assert decisions.acknowledged(again, "tab") == last + 1
    again.close()


def accept_until_it_fails(store: Store) -> int:
    """The last sequence that was stored before the disk was full."""
    for sequence in range(2, 500):
        try:
            accept(store, "act", sequence)
        except StoreError:
            return sequence - 1
    raise AssertionError("the disk was never full")


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


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    file = tmp_path / "strata.sqlite"
    file.write_bytes(b"This is a letter to my aunt.\n" * 100)
    with pytest.raises(StoreError, match=r"no database, or is damaged: .*strata\.sqlite"):
        Store.open(f"sqlite:///{file}")
    assert file.read_bytes().startswith(b"This is a letter")


def test_a_damaged_database_says_so(url: str, store: Store, tmp_path: Path) -> None:
    for i in range(50):
        add(store, Document.from_text(str(i), "Title", "x" * 5000))
    store.close()
    file = tmp_path / "strata.sqlite"
    content = bytearray(file.read_bytes())
    content[4096 * 3 :] = b"\xff" * (len(content) - 4096 * 3)
    file.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        Store.open(url).documents(1)


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
    with pytest.raises(StoreError, match="already exists"):
        Store.open(f"sqlite:///{file}")
    with sqlite3.connect(file) as other:
        names = other.execute("SELECT name FROM sqlite_master").fetchall()
    other.close()
    assert names == [("document",)]  # the migration was undone as a whole
