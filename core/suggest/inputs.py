"""Documents from files, for a batch: JSON lines, CSV, a text file, or a folder of texts.

One bad line never stops a batch: it becomes a `BadLine` that says where and why, and reading goes
on behind it.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import BinaryIO, TypeGuard, cast

from core.documents.document import Document
from core.documents.intake import title_from
from core.errors import ConfigError

CSV_SUFFIXES = {".csv", ".tsv"}
DELIMITERS = ",;\t"
TEXT_SUFFIX = ".txt"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class InputDocument:
    """A document as a batch names it.

    Attributes:
        given_id: as it stands in the file, so that a number stays a number in the output.
    """

    given_id: str | int | float
    document: Document


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line, row or file that holds no document."""

    where: str
    reason: str


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
        return BadLine(path.name, _not_text(error))
    return _document({"text": text}, default_id=path.stem, where=path.name)


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
    for number, line in enumerate(file, start=1):
        if line.strip(b"\xef\xbb\xbf \t\r\n"):
            yield _json_document(line, number)


def _json_document(line: bytes, number: int) -> InputDocument | BadLine:
    where = f"line {number}"
    try:
        fields = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return BadLine(where, _not_text(error))
    except json.JSONDecodeError as error:
        return BadLine(where, f"not JSON ({error.msg}, column {error.colno})")
    except (RecursionError, ValueError) as error:
        return BadLine(where, f"not JSON that can be read ({error})")
    if not isinstance(fields, dict):
        return BadLine(where, "not a JSON object with id, title and text")
    return _document(fields, default_id=number, where=where)


def _read_csv(file: BinaryIO, path: Path) -> Reading:
    """Rows under a header; bytes that are not UTF-8 spoil their own row only."""
    csv.field_size_limit(2**31 - 1)  # whole acts stand in one cell
    with TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="") as text:
        header = text.readline()
        delimiter = max(DELIMITERS, key=header.count)
        names = [
            name.strip().lower() for name in next(csv.reader([header], delimiter=delimiter), [])
        ]
        if not {"title", "text"} & set(names):
            raise ConfigError(f"{path} needs a first row that names the columns id, title, text.")
        for number, (line, row) in enumerate(_rows(text, delimiter), start=1):
            where = f"line {line}"
            if isinstance(row, csv.Error):
                yield BadLine(where, f"not CSV ({row})")
            elif any(row):
                yield _csv_document(dict(zip(names, row, strict=False)), number, where)


def _rows(text: TextIOWrapper, delimiter: str) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """The rows below the header with the lines they begin in; an error where one is broken."""
    reader = csv.reader(text, delimiter=delimiter)
    while True:
        line = reader.line_num + 2
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, error


def _csv_document(fields: dict[str, str], number: int, where: str) -> InputDocument | BadLine:
    try:
        "".join(fields.values()).encode("utf-8")
    except UnicodeEncodeError:
        return BadLine(where, "not text in UTF-8")
    given_id = fields.get("id", "").strip()
    return _document(fields | {"id": given_id or None}, default_id=number, where=where)


def _document(
    fields: Mapping[str, object], *, default_id: str | int, where: str
) -> InputDocument | BadLine:
    """A document from its named fields, or what is wrong with them."""
    given_id = default_id if fields.get("id") is None else fields["id"]
    title = "" if fields.get("title") is None else fields["title"]
    text = "" if fields.get("text") is None else fields["text"]
    if not _is_id(given_id):
        return BadLine(where, "the id is neither text nor a number")
    if not isinstance(title, str) or not isinstance(text, str):
        return BadLine(where, "title and text must be text")
    if not title.strip() and not text.strip():
        return BadLine(where, "neither title nor text")
    title, text = _whole(title), _whole(text)
    if not title.strip():
        # As on the page, so that both suggest the same for the same text.
        title, text = title_from(text)
    return InputDocument(given_id, Document.from_text(str(given_id), title, text))


def _is_id(value: object) -> TypeGuard[str | int | float]:
    """Whether this can be written out again as it came."""
    if isinstance(value, str):
        return _whole(value) == value
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _whole(text: str) -> str:
    """Text with the halves of surrogate pairs replaced, which JSON can name but UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _not_text(error: UnicodeDecodeError) -> str:
    return f"not text in UTF-8 (byte {error.start + 1})"
