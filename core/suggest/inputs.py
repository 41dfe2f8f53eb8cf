"""Documents from files, for a batch: JSON lines, CSV, a text file, or a folder of texts.

One bad line never stops a batch: it becomes a `BadLine` that says where and why, and reading goes
on behind it.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, cast

from core.documents.rows.records import (
    BadLine,
    InputDocument,
    Record,
    csv_records,
    document_of,
    json_records,
    not_text,
)
from core.errors import ConfigError

__all__ = ["BadLine", "InputDocument", "Reading", "read_inputs"]

CSV_SUFFIXES = {".csv", ".tsv"}
TEXT_SUFFIX = ".txt"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


Reading = Iterator[InputDocument | BadLine]


def read_inputs(path: Path) -> Reading:
    """All documents of a file or folder, one at a time, in order.

    JSON lines have `id`, `title`, `text`; CSV files have columns of these names, in any case, with
    commas, semicolons or tabs between; of a text file, the name without `.txt` is the id. A
    missing id is the number of its line or row. Without a title, the first line of the text is
    taken for it. Any of these may end in `.gz`.

    Raises:
        ConfigError: there is no such file or folder, it cannot be read, or a CSV file has
            neither a title nor a text column.
    """
    if not path.exists():
        raise ConfigError(f"There is no file or folder {path}.")
    return _checked(path)


def _checked(path: Path) -> Reading:
    """The documents, with what the system says of the file as a sentence."""
    try:
        yield from _read_folder(path) if path.is_dir() else _read_file(path)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        yield BadLine(path.name, f"the compressed file breaks off or is damaged here ({error})")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error


def _read_folder(path: Path) -> Reading:
    """Every text of a folder by name; what is below in other folders is not looked at."""
    files = [file for file in sorted(path.iterdir()) if file.suffix.lower() == TEXT_SUFFIX]
    if not files:
        raise ConfigError(f"The folder {path} holds no .txt file.")
    for file in files:
        yield _read_text(file)


def _read_file(path: Path) -> Reading:
    """A file by the ending of its name; an ending that is not known is read as JSON lines."""
    packed = path.suffix.lower() == ".gz"
    name = Path(path.stem if packed else path.name)
    if name.suffix.lower() == TEXT_SUFFIX and not packed:
        yield _read_text(path)
        return
    with cast("BinaryIO", gzip.open(path)) if packed else path.open("rb") as file:
        if name.suffix.lower() in CSV_SUFFIXES:
            yield from _read_csv(file, path)
        else:
            yield from _read_json_lines(file)


def _read_text(path: Path) -> InputDocument | BadLine:
    """A text file: its name is the id."""
    content = path.read_bytes()
    try:
        text = _decoded(content)
    except UnicodeDecodeError as error:
        return BadLine(path.name, not_text(error))
    return document_of({"text": text}, default_id=path.stem, where=path.name)


def _decoded(content: bytes) -> str:
    """Text in UTF-16 or UTF-8, or as old Windows programs wrote it.

    Raises:
        UnicodeDecodeError: it is none of these, as anything with a NUL in it.
    """
    if content.startswith(UTF16_MARKS):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        if b"\0" in content:
            raise
        return content.decode("cp1252")


def _read_json_lines(file: BinaryIO) -> Reading:
    """One JSON object a line; empty lines are passed over."""
    for record in json_records(file):
        yield record if isinstance(record, BadLine) else _document(record)


def _read_csv(file: BinaryIO, path: Path) -> Reading:
    """Rows under a header; bytes that are not UTF-8 spoil their own row only."""
    with TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="") as text:
        names, records = csv_records(text)
        if not {"title", "text"} & {name.lower() for name in names}:
            raise ConfigError(f"{path} needs a first row that names the columns id, title, text.")
        for record in records:
            yield record if isinstance(record, BadLine) else _csv_document(record)


def _csv_document(record: Record) -> InputDocument | BadLine:
    """Columns may be named in any case; an empty id is none."""
    fields = {name.lower(): value for name, value in record.fields.items()}
    fields["id"] = str(fields.get("id", "")).strip() or None
    return _document(Record(record.where, record.number, fields))


def _document(record: Record) -> InputDocument | BadLine:
    return document_of(record.fields, default_id=record.number, where=record.where)
