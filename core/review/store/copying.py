"""All rows of one database in another, whatever kinds of database they are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, cast, delete, func, insert, literal, select
from sqlalchemy.dialects.postgresql import REGCLASS

from core.errors import StoreError
from core.review.store.store import Store
from core.review.store.tables import audit_event, metadata

ROWS_AT_ONCE = 1_000
HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class TableSum:
    """How many rows a table has, and a checksum of them that does not depend on their order."""

    n_rows: int
    checksum: str


@contextmanager
def same_moment(store: Store) -> Iterator[Connection]:
    """Open a connection on which every query sees the same moment, on a server too."""
    if store.engine.dialect.name == "sqlite":
        with store.read() as connection:
            yield connection
        return
    with store.engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
        yield connection


def copy_store(source_url: str, target_url: str) -> dict[str, TableSum]:
    """Copy a whole database into an empty one, and compare both before it counts.

    Returns:
        By table, what both hold.
    Raises:
        StoreError: a database cannot be opened, the first one is empty, the second one is not, or
            it does not hold the same as the first one afterwards; then it is empty as before.
    """
    with (
        closing(Store.open(source_url)) as source,
        closing(Store.open(target_url)) as target,
        target.write(alone=True) as here,
    ):
        if n_rows(here):
            raise StoreError("The database to copy to is not empty; name a new one.")
        with source.write(alone=True) as there:
            if not n_rows(there):  # as where its name is misspelt, and SQLite makes it
                raise StoreError(
                    "The database to copy from holds nothing: nothing was copied. Look at its name."
                )
            copy_rows(there, here)
            expected, actual = sums(there), sums(here)
        different = [name for name, rows in expected.items() if rows != actual[name]]
        if different:
            names = ", ".join(different)
            raise StoreError(f"The copies of {names} are not the same; nothing was copied.")
        return expected


def copy_rows(source: Connection, target: Connection) -> None:
    """Replace the rows of a database by those of another, in its open transaction.

    Of the audit log nothing is deleted: what the other one has comes behind it.
    """
    for table in reversed(metadata.sorted_tables):
        if table is not audit_event:
            target.execute(delete(table))
    for table in metadata.sorted_tables:
        for rows in _rows(source, table):
            target.execute(insert(table), rows)
        _count_on(target, table)


def sums(connection: Connection) -> dict[str, TableSum]:
    """Return what every table holds, for a comparison of two databases of whatever kinds."""
    return {table.name: _sum(connection, table) for table in metadata.sorted_tables}


def n_rows(connection: Connection) -> int:
    """Return how many rows all tables have together."""
    counts = (select(func.count()).select_from(table) for table in metadata.sorted_tables)
    return sum(connection.scalar(count) or 0 for count in counts)


def _rows(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    query = select(table).order_by(*table.primary_key).execution_options(yield_per=ROWS_AT_ONCE)
    with connection.execute(query) as result:
        for rows in result.mappings().partitions():
            yield [dict(row) for row in rows]


def _sum(connection: Connection, table: Table) -> TableSum:
    total, number = 0, 0
    for rows in _rows(connection, table):
        number += len(rows)
        total += sum(_hash(row) for row in rows)
    return TableSum(number, f"{total % 256**HASH_BYTES:0{2 * HASH_BYTES}x}")


def _hash(row: Mapping[str, Any]) -> int:
    content = json.dumps(dict(row), sort_keys=True, default=str)
    return int.from_bytes(hashlib.blake2b(content.encode(), digest_size=HASH_BYTES).digest())


def _count_on(connection: Connection, table: Table) -> None:
    """Have a server number new rows behind the copied ones; SQLite does so by itself.

    Never lower than before: a number is set for good, also where the copy is given up later, and
    the rows that were there are there again then.
    """
    column = table.autoincrement_column
    if column is None or connection.dialect.name != "postgresql" or column.foreign_keys:
        return
    sequence = func.pg_get_serial_sequence(literal(table.name), literal(column.name))
    last = connection.scalar(select(func.max(column)))
    used = connection.scalar(select(func.pg_sequence_last_value(cast(sequence, REGCLASS))))
    latest = max((number for number in (last, used) if number is not None), default=None)
    connection.execute(select(func.setval(sequence, latest or 1, latest is not None)))
