"""Whether the values of a database that comes from outside are of the kinds of their columns.

SQLite keeps in a column what it is given, whatever its type; a wrong value would fail a page long after
the restore.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    Integer,
    String,
    Table,
    TypeDecorator,
)

from core.review.store.tables import metadata

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
