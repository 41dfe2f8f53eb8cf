"""The migrations make the tables that the code uses, and refuse what they do not lead to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex

from core.errors import StoreError
from core.review.reports.summaries import _newest
from core.review.store import database, tables
from core.review.store.store import Store
from tests.support.postgres import NewDatabase

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


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE alembic_version SET version_num = '0011'", "schema 0011"),
        ("DELETE FROM alembic_version", "tables such as “assignment”"),
        ("DROP TABLE alembic_version", "tables such as “assignment”"),
    ],
)
def test_a_database_of_an_earlier_schema_is_refused(
    tmp_path: Path, change: str, found: str
) -> None:
    file = tmp_path / "strata.sqlite"
    Store.open(f"sqlite:///{file}").close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(change)
        before = list(connection.iterdump())
    with pytest.raises(StoreError, match=f"{found}.*{database.LAST_UPGRADER}"):
        Store.open(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as connection:
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
