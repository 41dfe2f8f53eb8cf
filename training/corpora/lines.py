"""Records from files of lines, plain or gzipped: JSON Lines, and tables with a delimiter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from core.documents.rows import records as rows
from core.documents.rows.delimited import TableForm, delimited_rows
from core.documents.rows.files import UNPACKING_ERRORS, rows_of, unpacked
from core.documents.rows.json_rows import json_rows
from core.documents.rows.records import damaged
from core.errors import ConfigError, DocumentError
from training.corpora.records import Record, RecordError

Records = Iterator[tuple[str, Callable[[], Record]]]
"""The place of each record ("file, line 3"), and a way to parse it."""

ROW_ID = "row_id"
"""Field under which a row has its split and number, as "train-12"."""


def json_lines_file(folder: Path, name: str) -> Path | None:
    """Return the file of a split, plain or gzipped; None where there is neither."""
    candidates = (folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz")
    return next((path for path in candidates if path.is_file()), None)


def required_json_lines(folder: Path, name: str) -> Path:
    """Return the file of a split, plain or gzipped.

    Raises:
        ConfigError: there is neither.
    """
    path = json_lines_file(folder, name)
    if path is None:
        wanted = folder / f"{name}.jsonl"
        raise ConfigError(f"There is neither {wanted} nor its .gz: the corpus needs {name}.")
    return path


def json_lines(path: Path) -> Records:
    """Read every line that is not blank as JSON, or the objects of an array.

    Raises:
        DocumentError: the file cannot be unpacked.
    """
    return _located(path, json_rows)


def delimited(
    path: Path, delimiter: str, *, quoted: bool = True, header: Sequence[str] = ()
) -> Records:
    """Read every row of a table that is not blank, by the names of its columns.

    Args:
        quoted: whether a field may stand in quotation marks; in GLUE's files they are text.
        header: names of the columns, where the file's first row does not give them.
    Raises:
        DocumentError: the file cannot be unpacked.
    """
    form = TableForm(delimiter, header=header, quoted=quoted, is_even=True)
    return _located(path, lambda file: delimited_rows(file, form)[1])


def rows_at(path: Path) -> Records:
    """Read the rows of a file by the ending of its name, a table's with as many cells as columns.

    Raises:
        DocumentError: the file cannot be unpacked.
    """
    return _located(path, lambda file: rows_of(path.name, file, is_even=True)[1])


def text_lines(path: Path) -> Iterator[str]:
    """Yield every line of a text file, blank ones too, without its end.

    Raises:
        DocumentError: the file cannot be unpacked or is not UTF-8.
    """
    with _readable(path) as lines:
        for line in _decoded(path, lines):
            yield line.rstrip("\r\n")


def with_ids(records: Records, split: str) -> Records:
    """Return the records with their split and number, for those that have no id of their own."""
    for number, (where, load) in enumerate(records, start=1):
        yield where, partial(_with_id, load, f"{split}-{number}")


@contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    try:
        with unpacked(path) as file:
            yield file
    except (OSError, *UNPACKING_ERRORS) as error:
        raise DocumentError(f"{path}: {damaged(error)}; fetch it again.") from error


def _located(path: Path, read: Callable[[BinaryIO], rows.Records]) -> Records:
    """Name the file beside the line of each row; one that cannot be read is known when loaded."""
    with _readable(path) as file:
        for record in read(file):
            yield f"{path}, {record.where}", partial(_fields, record)


def _fields(record: rows.Record | rows.BadLine) -> Record:
    if isinstance(record, rows.BadLine):
        raise RecordError(record.reason)
    return record.fields


def _decoded(path: Path, lines: Iterator[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DocumentError(
                f"{path}, line {number}, is not UTF-8: save the table in that encoding."
            ) from error


def _with_id(load: Callable[[], Record], row_id: str) -> Record:
    return {**load(), ROW_ID: row_id}
