"""Files of rows by the ending of their names, plain or packed with gzip.

Another format is a module of its own and a line in `ROW_FORMATS`.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO, Protocol, cast

from core.documents.rows.delimited import TableForm, delimited_rows
from core.documents.rows.json_rows import json_rows
from core.documents.rows.records import Records

NamedRows = tuple[list[str] | None, Records]
"""The names of the columns, None where each row names its own fields; and the rows."""


class RowReader(Protocol):
    """Reads the rows of an open file."""

    def __call__(self, file: BinaryIO, *, is_even: bool = False) -> NamedRows:
        """Read on as rows are asked for.

        Args:
            is_even: whether a row of a table with more or fewer cells than columns is refused.
        """


def _csv(file: BinaryIO, *, is_even: bool = False) -> NamedRows:
    return delimited_rows(file, TableForm(is_even=is_even))


def _tsv(file: BinaryIO, *, is_even: bool = False) -> NamedRows:
    return delimited_rows(file, TableForm(likeliest="\t", is_even=is_even))


def _json(file: BinaryIO, *, is_even: bool = False) -> NamedRows:
    return None, json_rows(file)


ROW_FORMATS: Mapping[str, RowReader] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _json,
    ".ndjson": _json,
    ".json": _json,
}
"""Ending of a name -> reader."""

DEFAULT_FORMAT = ".jsonl"
PACKED = ".gz"
UNPACKING_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error)


def suffix_of(name: str) -> str:
    """Return a file's suffix in lower case; of a packed file that of its content."""
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix == PACKED else path.suffix


def rows_of(name: str, file: BinaryIO, *, is_even: bool = False) -> NamedRows:
    """Return the columns and rows of an open file; one of an unknown ending is JSON Lines."""
    read = ROW_FORMATS.get(suffix_of(name), ROW_FORMATS[DEFAULT_FORMAT])
    return read(file, is_even=is_even)


@contextmanager
def unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file, a packed one as what is in it.

    Raises:
        OSError: it cannot be read; reading on raises one of `UNPACKING_ERRORS` where it breaks off.
    """
    is_packed = path.suffix.lower() == PACKED
    with cast("BinaryIO", gzip.open(path)) if is_packed else path.open("rb") as file:
        yield file
