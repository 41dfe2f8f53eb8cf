"""The tables of MIMIC-III, read row by row: plain or gzipped, with whatever is dirty in them."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import ConfigError, DocumentError

SUFFIXES = (".csv", ".csv.gz")
MAX_CELL_CHARACTERS = 2_000_000
"""No note is longer: what is, has lost the quote at its end, and all behind it."""


@dataclass(frozen=True, slots=True)
class MimicTable:
    """A table by the name of its file, and the columns that it must have."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MimicRow:
    """A row with its cells by column, the names in capitals.

    Attributes:
        number: counts the rows from 1.
        fault: why its cells cannot be used, or "".
    """

    where: str
    number: int
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
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    packed = path.suffix == ".gz"
    try:
        with (
            gzip.open(path) if packed else path.open("rb") as raw,
            io.TextIOWrapper(raw, "utf-8", errors="replace", newline="") as text,
        ):
            yield from _rows(text, path, table)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DocumentError(
            f"{path} breaks off or is damaged ({error}): fetch it again."
        ) from error
    except OSError as error:
        raise DocumentError(f"{path} cannot be read ({error.strerror}).") from error


def _rows(text: io.TextIOWrapper, path: Path, table: MimicTable) -> Iterator[MimicRow]:
    reader = csv.reader(text)
    header = [name.strip().strip("\ufeff").upper() for name in next(reader, [])]
    if missing := [name for name in table.columns if name not in header]:
        raise DocumentError(f"{path} has no column {missing[0]}: it is no {table.name}.csv.")
    number = 0
    while True:
        number += 1
        where = f"{path.name}, line {reader.line_num + 1}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield MimicRow(where, number, fault=f"the row is no CSV ({error}) and is skipped")
            continue
        if len(cells) == len(header):
            yield MimicRow(where, number, dict(zip(header, cells, strict=True)))
        elif cells:
            fault = f"the row has not the {len(header)} cells of the first and is skipped"
            yield MimicRow(where, number, fault=fault)
