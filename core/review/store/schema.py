"""Whether a database has the tables that Strata makes, and nothing else, and its rows fit together.

A database that comes from outside may bring triggers and views that act when it is used, or lack
what a query needs. It is compared with what the migrations make, by what SQLite says of both; the
wording of a statement, which changes with the libraries, does not count.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Date,
    DateTime,
    Float,
    Inspector,
    Integer,
    String,
    Table,
    TypeDecorator,
    create_engine,
    exists,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError

from core.review.store import database as databases
from core.review.store.tables import decision_event, metadata

MAX_SHOWN = 3  # differences that a sentence names
# Who opens a file from outside calls no function that the file itself asks for.
DISTRUST = "PRAGMA trusted_schema = OFF"
TABLES = (
    "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
    "AND name <> 'alembic_version' ORDER BY name"
)
COLUMNS = (
    'SELECT cid, name, upper(type), "notnull", pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid'
)
KINDS = "SELECT type, wr FROM pragma_table_list(?) WHERE schema = 'main'"
KEYS = 'SELECT "table", "from", coalesce("to", "from") FROM pragma_foreign_key_list(?)'
INDEXES = "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?) WHERE origin <> 'pk'"
INDEXED = "SELECT name FROM pragma_index_info(?) ORDER BY seqno"
# Of PostgreSQL: what acts when a table of ours is used. Those of foreign keys are not among them.
TRIGGERS = """SELECT DISTINCT trigger_name, event_object_table FROM information_schema.triggers
    WHERE event_object_schema = current_schema() ORDER BY trigger_name"""
BUSY_SECONDS = 10.0

Fact = tuple[object, ...]


def differences(database: sqlite3.Connection) -> list[str]:
    """Return how the tables of a database differ from those of its schema's version.

    Raises:
        sqlite3.Error: it cannot be read.
        StoreError: its version is of another program.
    """
    row = database.execute("SELECT version_num FROM alembic_version").fetchone()
    if row is None:
        return ["does not say of which version it is"]
    expected, actual = _expected(str(row[0])), frozenset(_facts(database))
    more = sorted(f"has {_named(fact)}" for fact in actual - expected)
    return more + sorted(f"lacks {_named(fact)}" for fact in expected - actual)


def broken_rows(database: sqlite3.Connection) -> list[str]:
    """Return what is wrong with the rows of a database: pages, indexes, references.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    problems = [str(row[0]) for row in database.execute(f"PRAGMA integrity_check({MAX_SHOWN})")]
    if problems != ["ok"]:
        return problems
    lost = database.execute(
        'SELECT DISTINCT "table", parent FROM pragma_foreign_key_check LIMIT ?', (MAX_SHOWN,)
    )
    return [f"rows of {table} name a missing row of {parent}" for table, parent in lost]


def examine(file: Path) -> tuple[list[str], int]:
    """Return what is wrong with a SQLite file, and how many decision steps are in a whole one.

    Raises:
        StoreError: another version of the program wrote it.
    """
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as connection:
            connection.execute(DISTRUST)
            problems = differences(connection) or broken_rows(connection)
            counted = "SELECT count(*) FROM decision_event"
            (n_events,) = connection.execute(counted).fetchone() if not problems else (0,)
            return problems, n_events
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [" ".join(str(error).split())], 0


@dataclass(frozen=True, slots=True)
class ServerState:
    """How a database on a server is.

    Attributes:
        version: of its schema; None where it is empty.
        problems: what is wrong, as parts of a sentence; of an older schema, which an upgrade
            changes, nothing is said.
        n_events: decision steps; 0 where something is wrong.
    """

    version: str | None
    problems: list[str]
    n_events: int = 0


def examine_server(url: str) -> ServerState:
    """Return how a database on a server is, which is read and not upgraded.

    Raises:
        StoreError: it does not answer, or another version of the program wrote it.
    """
    engine = databases.connect(url, busy_timeout_seconds=BUSY_SECONDS)
    try:
        with engine.connect() as connection:
            version = databases.schema_version(connection)
            databases.refuse_other(version)
            if version != databases.HEAD:
                return ServerState(version, [])
            problems = _server_differences(connection) or _lost_references(connection)
            counted = select(func.count()).select_from(decision_event)
            return ServerState(
                version, problems, 0 if problems else connection.scalar(counted) or 0
            )
    except SQLAlchemyError as error:
        raise databases.in_plain_words(error, engine) from error
    finally:
        engine.dispose()


def _server_differences(connection: Connection) -> list[str]:
    """Return how the tables on a server differ from the schema; further tables are ignored."""
    inspector = inspect(connection)
    names = set(inspector.get_table_names())
    problems = [f"lacks a table '{name}'" for name in metadata.tables if name not in names]
    for table in metadata.sorted_tables:
        if table.name in names:
            problems += _table_differences(inspector, table)
    if connection.dialect.name == "postgresql":
        triggers = connection.execute(text(TRIGGERS)).all()
        ours = [name for name, table in triggers if table in metadata.tables]
        problems += [f"has a trigger {name[:60]!r}" for name in ours]
    return problems


def _table_differences(inspector: Inspector, table: Table) -> list[str]:
    expected = {column.name for column in table.columns}
    columns = {column["name"] for column in inspector.get_columns(table.name)}
    keys = {
        (*key["constrained_columns"], key["referred_table"])
        for key in inspector.get_foreign_keys(table.name)
    }
    wanted = {(key.parent.name, key.column.table.name) for key in table.foreign_keys}
    return [
        *(f"has the column {name[:60]!r} of '{table.name}'" for name in sorted(columns - expected)),
        *(f"lacks the column '{name}' of '{table.name}'" for name in sorted(expected - columns)),
        *(f"lacks the reference '{name}' of '{table.name}'" for name, _ in sorted(wanted - keys)),
    ]


def _lost_references(connection: Connection) -> list[str]:
    problems = []
    for table in metadata.sorted_tables:
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name):
            there = key.column.table.alias()
            named = exists().where(there.c[key.column.name] == key.parent)
            lost = select(exists().where(key.parent.is_not(None), ~named))
            if connection.scalar(lost):
                problems.append(
                    f"rows of {table.name} name a missing row of {key.column.table.name}"
                )
    return problems


def in_short(problems: list[str]) -> str:
    """Return problems as part of a sentence."""
    more = len(problems) - MAX_SHOWN
    return "; ".join(problems[:MAX_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _facts(database: sqlite3.Connection) -> Iterator[Fact]:
    for kind, name in database.execute(TABLES).fetchall():
        if kind == "index":
            continue  # with its table
        yield (kind, name)
        if kind != "table":
            continue
        yield from (("kind", name, *row) for row in database.execute(KINDS, (name,)))
        yield from (("column", name, *row) for row in database.execute(COLUMNS, (name,)))
        yield from (("reference", name, *row) for row in database.execute(KEYS, (name,)))
        for index, *about in database.execute(INDEXES, (name,)).fetchall():
            columns = [row[0] for row in database.execute(INDEXED, (index,))]
            index_names = () if index.startswith("sqlite_autoindex") else (index,)
            yield ("index", name, *columns, *index_names, *about)


def _named(fact: Fact) -> str:
    """Something in a database as a person knows it, cut where it is a long name."""
    kind, name, *more = fact
    inside = {"column": 1, "reference": 1, "index": 0}.get(str(kind))
    where = f"{str(name)[:60]!r}"
    if inside is None:
        return f"a {kind} {where}"
    return f"the {kind} {str(more[inside])[:60]!r} of {where}"


@cache
def _expected(version: str) -> frozenset[Fact]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.sqlite"
        engine = create_engine(f"sqlite:///{file}")
        try:
            with engine.begin() as connection:
                databases.upgrade(connection, version)
        finally:
            engine.dispose()
        with closing(sqlite3.connect(file)) as database:
            return frozenset(_facts(database))


# ---------------------------------------------------------------------- kinds of values

# SQLite keeps in a column what it is given, whatever its type; it would fail a page long after a restore.
MAX_TEXT_BYTES = 200_000_000
MAX_JSON_BYTES = 50_000_000
LONG = 200  # characters; ids of earlier versions may be longer than those of this one
MAX_INTEGER = 2**31 - 1  # as PostgreSQL keeps; of numbers of messages, twice as many digits
# As SQLAlchemy writes a day and a moment; SQLite makes another day of one that there is not.
DAY = "substr({0}, 1, 4) >= '0001' AND date(substr({0}, 1, 10), '+0 days') IS substr({0}, 1, 10)"
SIX_DIGITS = f".{'[0-9]' * 6}"
MOMENT = (
    f"{DAY} AND strftime(' %H:%M:%S', substr({{0}}, 12, 8)) IS substr({{0}}, 11, 9) "
    f"AND (length({{0}}) = 19 OR substr({{0}}, 20) GLOB '{SIX_DIGITS}')"
)


def wrong_values(database: sqlite3.Connection) -> list[str]:
    """Return which columns hold values that are none of their kind.

    Raises:
        sqlite3.Error: they cannot be read.
    """
    return [
        f"{column.name!r} of {table.name!r} has a value that is no {kind}"
        for table in metadata.sorted_tables
        for column, kind, condition in _conditions(table)
        if _is_broken(database, table, column, condition)
    ]


def _conditions(table: Table) -> Iterator[tuple[Column[object], str, str]]:
    for column in table.columns:
        kind = column.type.impl if isinstance(column.type, TypeDecorator) else column.type
        name = f'"{column.name}"'
        match kind:
            case Boolean():
                yield column, "yes or no", f"typeof({name}) = 'integer' AND {name} IN (0, 1)"
            case Integer():
                most = MAX_INTEGER if kind.__visit_name__ == "integer" else 2**63 - 1
                yield (
                    column,
                    "whole number",
                    f"typeof({name}) = 'integer' AND {name} BETWEEN -{most} AND {most}",
                )
            case Float():
                number = f"typeof({name}) IN ('real', 'integer') AND abs({name}) < 1e300"
                yield column, "number", number
            case DateTime():
                yield column, "date with a time", _text(name, 40, MOMENT.format(name))
            case Date():
                yield column, "date", _text(name, 10, DAY.format(name))
            case JSON():
                yield column, "JSON", _text(name, MAX_JSON_BYTES, f"json_valid({name})")
            case String():
                most = kind.length or MAX_TEXT_BYTES
                yield column, "text of its length", _text(name, most if most < LONG else 2 * most)


def _text(name: str, most: int, condition: str = "1") -> str:
    return f"typeof({name}) = 'text' AND length({name}) <= {most} AND {condition}"


def _is_broken(
    database: sqlite3.Connection, table: Table, column: Column[object], condition: str
) -> bool:
    name = f'"{column.name}"'
    # What is missing although it must not be is found by SQLite itself.
    wrong = f'SELECT 1 FROM "{table.name}" WHERE {name} IS NOT NULL AND NOT ({condition}) LIMIT 1'  # noqa: S608
    return database.execute(wrong).fetchone() is not None
