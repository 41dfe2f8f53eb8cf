"""The tables of MIMIC-III, read row by row: plain or gzipped, with whatever is dirty in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.documents.rows.delimited import TableForm, delimited_rows
from core.documents.rows.files import UNPACKING_ERRORS, unpacked
from core.documents.rows.records import BadLine, Record, damaged
from core.errors import ConfigError, DocumentError

SUFFIXES = (".csv", ".csv.gz")
FORM = TableForm(",", is_even=True, encoding="utf-8-sig", longest_cell=2_000_000)
"""Read in one pass, for a file has 4 GB; no note is longer than a cell may be."""


@dataclass(frozen=True, slots=True)
class MimicTable:
    """A table by the name of its file, and the columns that it must have."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MimicRow:
    """A row with its cells by column, the names in capitals.

    Attributes:
        number: counts the rows from 1; 0 for one that cannot be used.
        fault: why its cells cannot be used, or "".
    """

    where: str
    number: int = 0
    cells: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column) or ""

    def get(self, column: str, default: str) -> str:
        """Return a cell, or the default where the table has no such column."""
        return self.cells.get(column, default) or ""

    @property
    def admission(self) -> str:
        """The admission's id as a whole number; "" where there is none.

        Tables that a data frame wrote have 145834.0 for 145834, since some of the ids are missing.
        """
        written = self["HADM_ID"].strip()
        whole = written.removesuffix(".0")
        return str(int(whole)) if whole.isdecimal() else ""


def open_table(folder: Path, table: MimicTable) -> Path:
    """Return the file of a table.

    Raises:
        ConfigError: it is not there.
    """
    for suffix in SUFFIXES:
        for name in (table.name, table.name.lower()):
            if (file := folder / f"{name}{suffix}").is_file():
                return file
    raise ConfigError(f"{folder} holds no {table.name}.csv (or .csv.gz) of MIMIC-III.")


def rows_of(path: Path, table: MimicTable) -> Iterator[MimicRow]:
    """Yield the rows of a table, one at a time.

    Raises:
        DocumentError: it lacks a column, or the file is damaged.
    """
    try:
        with unpacked(path) as file:
            names, records = delimited_rows(file, FORM)
            header = [name.upper() for name in names]
            if missing := [name for name in table.columns if name not in header]:
                raise DocumentError(
                    f"{path} has no column {missing[0]}: it is no {table.name}.csv."
                )
            for record in records:
                yield _row(record, path)
    except UNPACKING_ERRORS as error:
        raise DocumentError(f"{path}: {damaged(error)}; fetch it again.") from error
    except OSError as error:
        raise DocumentError(f"{path} cannot be read ({error.strerror}).") from error


def _row(record: Record | BadLine, path: Path) -> MimicRow:
    where = f"{path.name}, {record.where}"
    if isinstance(record, BadLine):
        return MimicRow(where, fault=f"{record.reason}; it is skipped")
    cells = {name.upper(): str(cell) for name, cell in record.fields.items()}
    return MimicRow(where, record.number, cells)
