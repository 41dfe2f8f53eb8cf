"""The migrations make the tables that the code uses, and refuse what they do not lead to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex

from core.documents.document import Document, Part
from core.errors import StoreError
from core.review.decisions.recording import Operation, current, record
from core.review.reports.summaries import _newest, list_documents
from core.review.store import database, tables
from core.review.store.documents import fetch_document
from core.review.store.predictions import latest_prediction
from core.review.store.projects import list_projects
from core.review.store.schema import broken_rows, differences
from core.review.store.store import Store
from tests.support.postgres import NewDatabase
from tests.support.stores import states

NEWEST = {"n": "ix_document_newest"}


def _is_compared(_made: object, name: str | None, _kind: str, *_others: object) -> bool:
    """Return whether Alembic can compare it: of SQLite it does not read that an index descends."""
    return name != NEWEST["n"]


def _compared(store: Store) -> list[object]:
    """What Alembic would change in a database to have the tables of the code."""
    with store.read() as connection:
        options = {"compare_type": True, "include_object": _is_compared}
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, tables.metadata))


def test_migrations_lead_to_the_tables_that_the_code_uses(store: Store) -> None:
    assert _compared(store) == []
    with store.read() as connection:
        made = connection.scalar(text("SELECT sql FROM sqlite_master WHERE name = :n"), NEWEST)
    index = next(i for i in tables.document.indexes if i.name == NEWEST["n"])
    assert made == str(CreateIndex(index).compile(dialect=sqlite.dialect()))


def test_migrations_lead_to_the_same_tables_on_a_server(new_postgres: NewDatabase) -> None:
    with closing(Store.open(new_postgres())) as store:
        assert _compared(store) == []


def test_a_list_is_read_newest_first_without_sorting(store: Store) -> None:
    """100,000 documents were sorted for every page that shows three hundred."""
    query = _newest(removed=False).compile(dialect=sqlite.dialect())
    values = tuple({"project": 1, "most": 300}.get(name, 0) for name in query.positiontup or ())
    with store.read() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values).all()
    steps = " ".join(str(step.detail) for step in plan)
    assert "ix_document_newest" in steps
    assert "TEMP B-TREE" not in steps


def test_the_newest_migration_is_the_one_that_the_code_names() -> None:
    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_current_head() == database.HEAD
    assert scripts.get_base() == database.BASELINE


def test_a_database_of_before_the_release_opens_untouched(released_file: Path) -> None:
    with closing(sqlite3.connect(released_file)) as connection:
        before = list(connection.iterdump())
        assert differences(connection) == broken_rows(connection) == []
    with closing(Store.open(f"sqlite:///{released_file}")) as store:
        parts = (Part("On olives 🫒."), Part("A list.", "annex", date(2017, 3, 1)))
        assert fetch_document(store, "act") == Document("act", "Olives", parts)
        stored = latest_prediction(store, "act")
        assert stored is not None
        assert [one.concept_id for one in stored.prediction.suggestions] == ["c1", "c2"]
        assert stored.created_at == datetime(2026, 5, 4, 9, 8, 7, 6, tzinfo=UTC)
        assert [row.former_choices for row in list_projects(store)] == [()]
        assert [row.status for row in list_documents(store, 1)] == ["in progress"]
        assert states(store) == {"c1": "accepted", "c9": "accepted"}
    with closing(sqlite3.connect(released_file)) as connection:
        assert list(connection.iterdump()) == before
    with closing(Store.open(f"sqlite:///{released_file}")) as store:
        undo = [Operation(1, "undo")]
        receipt = record(
            store, document_id="act", person_id=1, client_id="new tab", operations=undo
        )
        assert receipt.undone[0].actions == (("accept", "c1"),)
        assert list(current(store, "act")) == ["c9"]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE alembic_version SET version_num = '0011'", "schema 0011"),
        ("DELETE FROM alembic_version", "tables such as “decision”"),
        ("DROP TABLE alembic_version", "tables such as “decision”"),
    ],
)
def test_a_database_of_an_earlier_schema_is_refused(
    released_file: Path, change: str, found: str
) -> None:
    with closing(sqlite3.connect(released_file)) as connection:
        connection.execute(change)
        connection.commit()
        before = list(connection.iterdump())
    with pytest.raises(StoreError, match=f"{found}.*{database.LAST_UPGRADER}"):
        Store.open(f"sqlite:///{released_file}")
    with closing(sqlite3.connect(released_file)) as connection:
        assert list(connection.iterdump()) == before


def test_an_earlier_schema_is_refused_on_a_server(new_postgres: NewDatabase) -> None:
    url = new_postgres()
    with closing(Store.open(url)) as store:
        with store.write() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '0011'"))
        with pytest.raises(StoreError, match=f"schema 0011.*{database.LAST_UPGRADER}"):
            Store.open(url)
        with store.write() as connection:  # the next test has this database again
            connection.execute(text(f"UPDATE alembic_version SET version_num = '{database.HEAD}'"))
