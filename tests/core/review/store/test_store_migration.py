"""A store that the first Strata wrote, with all its data, becomes one of this Strata."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex

from core.documents.document import Document, Part
from core.review.decisions.recording import Operation, current, record
from core.review.reports.summaries import _newest, list_documents
from core.review.store import database, tables
from core.review.store.arrivals import find_same
from core.review.store.documents import fetch_document
from core.review.store.predictions import latest_prediction
from core.review.store.schema import broken_rows, differences
from core.review.store.store import Store
from tests.support.first_store import FIRST_ROWS, SCHEMAS, configuration, read_schema
from tests.support.stores import states

NEWEST = {"n": "ix_document_newest"}


def _is_compared(_made: object, name: str | None, _kind: str, *_others: object) -> bool:
    """Return whether Alembic can compare it: of SQLite it does not read that an index descends."""
    return name != NEWEST["n"]


def test_migrations_lead_to_the_tables_that_the_code_uses(upgraded_store: Store) -> None:
    with upgraded_store.read() as connection:
        options = {"compare_type": True, "include_object": _is_compared}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, tables.metadata) == []
        made = connection.scalar(text("SELECT sql FROM sqlite_master WHERE name = :n"), NEWEST)
    index = next(i for i in tables.document.indexes if i.name == NEWEST["n"])
    assert made == str(CreateIndex(index).compile(dialect=sqlite.dialect()))


def test_a_list_is_read_newest_first_without_sorting(upgraded_store: Store) -> None:
    """100,000 documents were sorted for every page that shows three hundred."""
    query = _newest(removed=False).compile(dialect=sqlite.dialect())
    values = tuple({"project": 1, "most": 300}.get(name, 0) for name in query.positiontup or ())
    with upgraded_store.read() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values).all()
    steps = " ".join(str(step.detail) for step in plan)
    assert "ix_document_newest" in steps
    assert "TEMP B-TREE" not in steps


def test_the_newest_migration_is_the_one_that_the_code_names() -> None:
    assert ScriptDirectory.from_config(configuration()).get_current_head() == database.HEAD


def test_no_row_is_lost_and_none_is_changed(upgraded_store: Store) -> None:
    with upgraded_store.read() as connection:
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


def test_documents_and_predictions_are_read_as_before(upgraded_store: Store) -> None:
    parts = (Part("On olives 🫒."), Part("A list.", "annex", date(2017, 3, 1)))
    assert fetch_document(upgraded_store, "act") == Document("act", "Olives", parts)
    stored = latest_prediction(upgraded_store, "act")
    assert stored is not None
    assert [one.concept_id for one in stored.prediction.suggestions] == ["c1", "c2"]
    assert stored.prediction.own_probability == {}
    assert stored.created_at == datetime(2026, 5, 4, 9, 8, 7, 6, tzinfo=UTC)


def test_what_can_be_told_of_old_documents_is_filled_in(upgraded_store: Store) -> None:
    (act,), (bare,) = (
        list_documents(upgraded_store, 1),
        list_documents(upgraded_store, 1, removed=True),
    )
    assert (act.n_characters, bare.n_characters) == (len("On olives 🫒.\n\nA list."), 0)
    assert (act.status, act.n_accepted, bare.status) == ("in progress", 2, "new")
    same = Document.from_text("", "Another title", "On  olives 🫒.\nA list. ")
    assert find_same(upgraded_store, same, 1) == "act"
    assert find_same(upgraded_store, Document("", "Only a title", ()), 1) == "bare"


def test_old_decisions_hold_and_can_be_undone(upgraded_store: Store) -> None:
    decided = current(upgraded_store, "act")
    assert {key: (one.state, one.action) for key, one in decided.items()} == {
        "c1": ("accepted", "accept"),
        "c9": ("accepted", "add"),
    }
    receipt = record(
        upgraded_store,
        document_id="act",
        person_id=1,
        client_id="new tab",
        operations=[Operation(1, "undo")],
    )
    assert receipt.undone[0].actions == (("accept", "c1"),)
    assert list(current(upgraded_store, "act")) == ["c9"]


def test_opening_it_again_changes_nothing(upgraded_store: Store, first_url: str) -> None:
    again = Store.open(first_url)
    assert current(again, "act") == current(upgraded_store, "act")
    again.close()


def back_to_the_workbench(store: Store) -> None:
    config = configuration()
    with store.engine.execution_options(writes=True).begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")


def test_codes_can_be_left_behind_while_nobody_decided_on_any(
    upgraded_store: Store, first_url: str
) -> None:
    before = current(upgraded_store, "act")
    back_to_the_workbench(upgraded_store)
    with upgraded_store.read() as connection:
        columns = {row.name for row in connection.execute(text("PRAGMA table_info(decision)"))}
    assert "place" not in columns
    again = Store.open(first_url)
    assert current(again, "act") == before
    again.close()


def test_what_coders_decided_is_not_left_behind(upgraded_store: Store) -> None:
    operation = Operation(1, "order", value=("c9", "c1"))
    record(
        upgraded_store, document_id="act", person_id=1, client_id="new tab", operations=[operation]
    )
    with pytest.raises(NotImplementedError, match="restore a backup"):
        back_to_the_workbench(upgraded_store)
    assert [one.place for one in current(upgraded_store, "act").values()] == [2, 1]


def test_every_released_schema_has_its_file() -> None:
    revisions = {
        row.revision for row in ScriptDirectory.from_config(configuration()).walk_revisions()
    }
    assert {file.stem for file in SCHEMAS.iterdir()} == revisions


@pytest.mark.parametrize("dump", sorted(SCHEMAS.iterdir()), ids=lambda dump: dump.stem)
def test_a_store_of_every_released_schema_is_upgraded(dump: Path, tmp_path: Path) -> None:
    file = tmp_path / "strata.sqlite"
    url = read_schema(dump, file)
    with closing(sqlite3.connect(file)) as connection:
        assert differences(connection) == []  # a backup of it is taken for ours
    opened = Store.open(url)
    assert states(opened) == {"c1": "accepted", "c9": "accepted"}
    receipt = record(
        opened,
        document_id="act",
        person_id=1,
        client_id="new tab",
        operations=[Operation(1, "undo"), Operation(2, "accept", "c3")],
    )
    assert receipt.undone[0].actions == (("accept", "c1"),)
    assert states(opened) == {"c9": "accepted", "c3": "accepted"}
    opened.close()
    with closing(sqlite3.connect(file)) as connection:
        assert differences(connection) == broken_rows(connection) == []
