"""Rows of CSV files and JSON lines, one at a time; a bad one does not stop those behind it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import BinaryIO, TextIO, TypeGuard

from core.documents.clinical.encounters import NOTES_FIELD, encounter_of
from core.documents.document import Document
from core.documents.plain_text import title_from
from core.errors import DocumentError

DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class Record:
    """A row or line with named fields.

    Attributes:
        where: "line 7", for a person.
        number: counts the rows from 1; stands for an id where there is none.
    """

    where: str
    number: int
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line, row or file that holds no document."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class InputDocument:
    """A document as a batch names it.

    Attributes:
        given_id: as it stands in the file, so that a number stays a number in the output.
    """

    given_id: str | int | float
    document: Document


Records = Iterator[Record | BadLine]


def json_records(file: BinaryIO) -> Records:
    """One JSON object a line; empty lines are passed over."""
    for number, line in enumerate(file, start=1):
        if line.strip(b"\xef\xbb\xbf \t\r\n"):
            yield _json_record(line, number)


def json_array_records(content: bytes) -> Records:
    """The objects of a JSON list, numbered from 1."""
    try:
        items = json.loads(content)
    except (RecursionError, ValueError) as error:  # bytes that are no text are such an error, too
        yield BadLine("the file", f"not JSON that can be read ({error})")
        return
    for number, item in enumerate(items, start=1):
        where = f"item {number}"
        if isinstance(item, dict):
            yield Record(where, number, item)
        else:
            yield BadLine(where, "not a JSON object with id, title and text")


def _json_record(line: bytes, number: int) -> Record | BadLine:
    where = f"line {number}"
    try:
        fields = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return BadLine(where, not_text(error))
    except json.JSONDecodeError as error:
        return BadLine(where, f"not JSON ({error.msg}, column {error.colno})")
    except (RecursionError, ValueError) as error:
        return BadLine(where, f"not JSON that can be read ({error})")
    if not isinstance(fields, dict):
        return BadLine(where, "not a JSON object with id, title and text")
    return Record(where, number, fields)


def csv_records(file: TextIO) -> tuple[list[str], Records]:
    """The names in a CSV file's first row, and the rows below it.

    Args:
        file: opened with `newline=""`, and `errors="surrogateescape"` where bytes that are no text
            should spoil their own row alone.
    """
    csv.field_size_limit(2**31 - 1)  # whole acts stand in one cell
    header = file.readline()
    delimiter = max(DELIMITERS, key=header.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    return names, _csv_rows(file, names, delimiter)


def _csv_rows(file: TextIO, names: list[str], delimiter: str) -> Records:
    reader = csv.reader(file, delimiter=delimiter)
    number = 0
    while True:
        where = f"line {reader.line_num + 2}"
        number += 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadLine(where, f"not CSV ({error})")
            continue
        if any(row):
            yield _csv_record(dict(zip(names, row, strict=False)), number, where)


def _csv_record(fields: dict[str, str], number: int, where: str) -> Record | BadLine:
    try:
        "".join(fields.values()).encode("utf-8")
    except UnicodeEncodeError:
        return BadLine(where, "not text in UTF-8")
    return Record(where, number, fields)


def document_of(
    fields: Mapping[str, object], *, default_id: str | int, where: str
) -> InputDocument | BadLine:
    """A document from the fields `id`, `title` and `text`, or what is wrong with them.

    Without a title, the first line of the text is taken for it. With `notes` in place of the text,
    it is an encounter.
    """
    given_id = default_id if fields.get("id") is None else fields["id"]
    title = "" if fields.get("title") is None else fields["title"]
    text = "" if fields.get("text") is None else fields["text"]
    if not _is_id(given_id):
        return BadLine(where, "the id is neither text nor a number")
    if fields.get(NOTES_FIELD) is not None and not fields.get("text"):
        return _encounter(fields, given_id, where)
    if not isinstance(title, str) or not isinstance(text, str):
        return BadLine(where, "title and text must be text")
    if not title.strip() and not text.strip():
        return BadLine(where, "neither title nor text")
    title, text = whole(title), whole(text)
    if not title.strip():
        # As on the page, so that both suggest the same for the same text.
        title, text = title_from(text)
    return InputDocument(given_id, Document.from_text(str(given_id), title, text))


def _encounter(
    fields: Mapping[str, object], given_id: str | int | float, where: str
) -> InputDocument | BadLine:
    try:
        return InputDocument(given_id, encounter_of(fields, str(given_id)))
    except DocumentError as error:
        return BadLine(where, str(error))


def _is_id(value: object) -> TypeGuard[str | int | float]:
    """Whether this can be written out again as it came."""
    if isinstance(value, str):
        return whole(value) == value
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def whole(text: str) -> str:
    """Text with the halves of surrogate pairs replaced, which JSON can name but UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def not_text(error: UnicodeDecodeError) -> str:
    """What to say of bytes that are not UTF-8."""
    return f"not text in UTF-8 (byte {error.start + 1})"
