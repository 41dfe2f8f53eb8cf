"""Records from files of lines, plain or gzipped: JSON Lines, and tables with a delimiter."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

from core.errors import ConfigError, DocumentError
from training.corpora.records import Record, RecordError, as_record

Records = Iterator[tuple[str, Callable[[], Record]]]
"""The place of each record ("file, line 3"), and a way to parse it."""

ROW_ID = "row_id"
"""Field under which a row has its split and number, as "train-12"."""

LONGEST_FIELD = 10_000_000
"""Characters of one field of a table; more means a quotation mark that is never closed."""


def json_lines_file(folder: Path, name: str) -> Path | None:
    """The file of a split, plain or gzipped; None where there is neither."""
    candidates = (folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz")
    return next((path for path in candidates if path.is_file()), None)


def required_json_lines(folder: Path, name: str) -> Path:
    """The file of a split, plain or gzipped.

    Raises:
        ConfigError: there is neither.
    """
    path = json_lines_file(folder, name)
    if path is None:
        wanted = folder / f"{name}.jsonl"
        raise ConfigError(f"There is neither {wanted} nor its .gz: the corpus needs {name}.")
    return path


def json_lines(path: Path) -> Records:
    """Every line that is not blank, as JSON.

    Raises:
        DocumentError: the file cannot be unpacked.
    """
    with _readable(path) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield f"{path}, line {number}", partial(_parse_json, line)


def delimited(
    path: Path, delimiter: str, *, quoted: bool = True, header: Sequence[str] = ()
) -> Records:
    """Every row of a table that is not blank, by the names of its columns.

    Args:
        quoted: whether a field may stand in quotation marks; in GLUE's files they are text.
        header: names of the columns, where the file's first row does not give them.
    Raises:
        DocumentError: the file cannot be unpacked or decoded, or is no table.
    """
    csv.field_size_limit(LONGEST_FIELD)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    with _readable(path) as lines:
        texts = _decoded(path, lines)
        if not quoted:
            texts = map(_of_one_line, texts)
        rows = csv.reader(texts, delimiter=delimiter, quoting=quoting)
        try:
            columns = [name.strip() for name in header or next(rows, [])]
            for row in rows:
                if any(field.strip() for field in row):
                    yield f"{path}, line {rows.line_num}", partial(_parse_row, columns, row)
        except csv.Error as error:
            raise DocumentError(
                f"{path}, line {rows.line_num}, is no row of a table ({error}): "
                "look for a quotation mark that is not closed."
            ) from error


def text_lines(path: Path) -> Iterator[str]:
    """Every line of a text file, blank ones too, without its end.

    Raises:
        DocumentError: the file cannot be unpacked or is not UTF-8.
    """
    with _readable(path) as lines:
        for line in _decoded(path, lines):
            yield line.rstrip("\r\n")


def with_ids(records: Records, split: str) -> Records:
    """The records with their split and number, for those that have no id of their own."""
    for number, (where, load) in enumerate(records, start=1):
        yield where, partial(_with_id, load, f"{split}-{number}")


@contextmanager
def _readable(path: Path) -> Iterator[Iterator[bytes]]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
            yield iter(lines)
    except (OSError, EOFError, zlib.error) as error:
        raise DocumentError(f"{path} cannot be unpacked ({error}): fetch it again.") from error


def _decoded(path: Path, lines: Iterator[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DocumentError(
                f"{path}, line {number}, is not UTF-8: save the table in that encoding."
            ) from error


def _of_one_line(text: str) -> str:
    """The line with spaces for carriage returns inside it, which would end the row too early."""
    return text.rstrip("\r\n").replace("\r", " ") + "\n"


def _with_id(load: Callable[[], Record], row_id: str) -> Record:
    return {**load(), ROW_ID: row_id}


def _parse_json(line: bytes) -> Record:
    try:
        return as_record(json.loads(line))
    except UnicodeDecodeError as error:
        raise RecordError("the line is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise RecordError(f"the line is not JSON ({error.msg} at column {error.colno})") from error


def _parse_row(columns: Sequence[str], row: Sequence[str]) -> Record:
    if len(row) != len(columns):
        raise RecordError(f"the row has {len(row)} fields for {len(columns)} columns")
    return dict(zip(columns, row, strict=True))
