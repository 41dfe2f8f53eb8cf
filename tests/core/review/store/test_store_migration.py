"""A store that the first Strata wrote, with all its data, becomes one of this Strata."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from core.documents.document import Document, Part
from core.review.decisions.recording import Operation, current, record
from core.review.reports.summaries import list_documents
from core.review.store import database, tables
from core.review.store.arrivals import find_same_text
from core.review.store.documents import fetch_document
from core.review.store.predictions import latest_prediction
from core.review.store.store import Store

MOMENT = "2026-05-04 09:08:07.000006"
FIRST_ROWS = {
    "vocabulary": [("eurovoc", MOMENT)],
    "project": [(1, "eurovoc", "eurovoc", MOMENT)],
    "person": [(1, "me", MOMENT), (2, "colleague", MOMENT)],
    "document": [
        ("act", 1, "Olives", "f1", MOMENT, MOMENT, None),
        ("bare", 1, "Only a\ttitle", "f2", MOMENT, MOMENT, MOMENT),
    ],
    "document_part": [
        ("act", 0, "body", None, "On olives 🫒."),
        ("act", 1, "annex", "2017-03-01", "A list."),
    ],
    "prediction_run": [
        (1, "act", MOMENT, "hash", "4.9", '{"limit": 2}', '{"top": 0.9}', 2, 12, 12, 1, 0.5),
    ],
    "suggestion": [
        (1, "c1", 1, 0.8, 0.85, "guided", "u1", None, "one"),
        (1, "c2", 2, 0.4, 0.45, "linear", "u2", "N2", "two"),
    ],
    "decision_event": [
        (1, "tab", 1, None, "act", 1, "accept", "c1", MOMENT, 1, 0.8, 1, "guided", None),
        (2, "tab", 2, "g", "act", 1, "reject", "c2", MOMENT, 1, 0.4, 2, "linear", None),
        (3, "tab", 3, "g", "act", 1, "reject", "c3", MOMENT, 1, None, None, None, None),
        (4, "tab", 4, None, "act", 1, "undo", None, MOMENT, 1, None, None, None, 3),
        (5, "theirs", 2, None, "act", 2, "add", "c9", MOMENT, 1, None, None, None, None),
        (6, "theirs", 1, None, "act", 2, "reject", "c9", MOMENT, 1, None, None, None, None),
    ],
    "decision": [("act", "c1", 1, "accepted", 0), ("act", "c9", 5, "accepted", 1)],
}


def configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS))
    return config


def write_first_store(file: Path) -> str:
    """A store of schema 0001 with rows in every table, and its URL."""
    url = f"sqlite:///{file}"
    engine = database.connect(url, busy_timeout_seconds=1)
    config = configuration()
    with engine.execution_options(writes=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    with sqlite3.connect(file) as old:
        for table, rows in FIRST_ROWS.items():
            marks = ", ".join("?" * len(rows[0]))
            old.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    old.close()
    return url


@pytest.fixture
def url(tmp_path: Path) -> str:
    return write_first_store(tmp_path / "strata.sqlite")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store.open(url)
    yield opened
    opened.close()


def test_migrations_lead_to_the_tables_that_the_code_uses(store: Store) -> None:
    with store.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.metadata) == []


def test_the_newest_migration_is_the_one_that_the_code_names() -> None:
    assert ScriptDirectory.from_config(configuration()).get_current_head() == database.HEAD


def test_no_row_is_lost_and_none_is_changed(store: Store) -> None:
    with store.read() as connection:
        old_columns = {
            "document": "document_id, project_id, title, fingerprint, created_at, updated_at, "
            "removed_at",
            "document_part": "document_id, position, kind, part_date, text",
            "decision_event": "event_id, client_id, sequence, group_id, document_id, person_id, "
            "action, concept_id, decided_at, run_id, probability, rank, source, undone_event_id",
            "decision": "document_id, concept_id, event_id, state, added",
            "suggestion": "*",
            "person": "*",
        }
        for table, columns in old_columns.items():
            kept = connection.execute(text(f"SELECT {columns} FROM {table}")).all()
            assert [tuple(row) for row in kept] == FIRST_ROWS[table]


def test_documents_and_predictions_are_read_as_before(store: Store) -> None:
    parts = (Part("On olives 🫒."), Part("A list.", "annex", date(2017, 3, 1)))
    assert fetch_document(store, "act") == Document("act", "Olives", parts)
    stored = latest_prediction(store, "act")
    assert stored is not None
    assert [one.concept_id for one in stored.prediction.suggestions] == ["c1", "c2"]
    assert stored.prediction.own_probability == {}
    assert stored.created_at == datetime(2026, 5, 4, 9, 8, 7, 6, tzinfo=UTC)


def test_what_can_be_told_of_old_documents_is_filled_in(store: Store) -> None:
    (act,), (bare,) = list_documents(store, 1), list_documents(store, 1, removed=True)
    assert (act.n_characters, bare.n_characters) == (len("On olives 🫒.\n\nA list."), 0)
    assert (act.status, act.n_accepted, bare.status) == ("in progress", 2, "new")
    same = Document.from_text("x", "Another title", "On  olives 🫒.\nA list. ")
    assert find_same_text(store, same, 1) == "act"
    assert find_same_text(store, Document("y", "Only a title", ()), 1) == "bare"


def test_old_decisions_hold_and_can_be_undone(store: Store) -> None:
    decided = current(store, "act")
    assert {key: (one.state, one.action) for key, one in decided.items()} == {
        "c1": ("accepted", "accept"),
        "c9": ("accepted", "add"),
    }
    receipt = record(
        store,
        document_id="act",
        person_id=1,
        client_id="new tab",
        operations=[Operation(1, "undo")],
    )
    assert receipt.undone[0].actions == (("accept", "c1"),)
    assert list(current(store, "act")) == ["c9"]


def test_opening_it_again_changes_nothing(store: Store, url: str) -> None:
    again = Store.open(url)
    assert current(again, "act") == current(store, "act")
    again.close()


def back_to_the_workbench(store: Store) -> None:
    config = configuration()
    with store.engine.execution_options(writes=True).begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")


def test_codes_can_be_left_behind_while_nobody_decided_on_any(store: Store, url: str) -> None:
    before = current(store, "act")
    back_to_the_workbench(store)
    with store.read() as connection:
        columns = {row.name for row in connection.execute(text("PRAGMA table_info(decision)"))}
    assert "place" not in columns
    again = Store.open(url)
    assert current(again, "act") == before
    again.close()


def test_what_coders_decided_is_not_left_behind(store: Store) -> None:
    operation = Operation(1, "order", value=("c9", "c1"))
    record(store, document_id="act", person_id=1, client_id="new tab", operations=[operation])
    with pytest.raises(NotImplementedError, match="restore a backup"):
        back_to_the_workbench(store)
    assert [one.place for one in current(store, "act").values()] == [2, 1]
