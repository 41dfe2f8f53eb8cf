"""Objects of JSON Lines and of JSON arrays; a bad one does not stop those behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from itertools import chain
from typing import BinaryIO

from core.documents.rows.records import (
    MAX_BAD_CHARACTERS,
    BadLine,
    Record,
    Records,
    not_utf_8,
)
from core.encoding import UTF_16, marked_encoding

WHITE_SPACE = b"\xef\xbb\xbf \t\r\n"
DECODER, BLANKS = json.JSONDecoder(), re.compile(r"\s*+")
NO_OBJECT = "not a JSON object with named fields"


def json_rows(file: BinaryIO) -> Records:
    """Read one JSON object a line, in UTF-8 or UTF-16, or the objects of an array.

    Lines are read one at a time, and empty ones passed over; an array is read as a whole, as are
    objects over several lines.
    """
    numbered = enumerate(_utf_8_lines(file), start=1)
    lines = ((number, line) for number, line in numbered if line.strip(WHITE_SPACE))
    first = next(lines, None)
    if first is None:
        return
    start = first[1].strip(WHITE_SPACE)
    if start != b"{" and not start.startswith(b"["):
        yield from _objects(chain([first], lines))
        return
    whole = [first, *lines]
    if start == b"{":
        objects = _spread_out(b"".join(line for _, line in whole))
        yield from _objects(whole) if objects is None else _listed(objects)
        return
    are_lines = len(whole) > 1 and (
        _is_json(first[1]) or isinstance(_record(whole[1][1], 1), Record)
    )
    yield from _objects(whole) if are_lines else _items(b"".join(line for _, line in whole))


def _utf_8_lines(file: BinaryIO) -> Iterator[bytes]:
    if file.seekable() and marked_encoding(file) == UTF_16:
        with TextIOWrapper(file, UTF_16, errors="replace", newline="\n") as text:
            yield from (line.encode("utf-8", "replace") for line in text)
    else:
        yield from file


def _objects(lines: Iterable[tuple[int, bytes]]) -> Records:
    for number, line in lines:
        yield _record(line, number)


def _record(line: bytes, number: int) -> Record | BadLine:
    where = f"line {number}"
    try:
        fields = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        reason = not_utf_8(error)
    except json.JSONDecodeError as error:
        reason = f"not JSON ({error.msg}, column {error.colno})"
    except (RecursionError, ValueError) as error:
        reason = f"not JSON that can be read ({error})"
    else:
        if isinstance(fields, dict):
            return Record(where, number, fields)
        reason = NO_OBJECT
    content = line.rstrip(b"\r\n").decode("utf-8", "replace")
    return BadLine(where, reason, content[:MAX_BAD_CHARACTERS])


def _items(content: bytes) -> Records:
    try:
        items = json.loads(content)
    except (RecursionError, ValueError) as error:  # bytes that are no text are such an error, too
        yield BadLine("the file", f"not JSON that can be read ({error})")
        return
    yield from _listed(items)


def _spread_out(content: bytes) -> list[object] | None:
    """Return the objects of a file that has each of them over several lines; None of another file."""
    objects: list[object] = []
    try:
        text, at = content.decode("utf-8-sig").strip(), 0
        while at < len(text):
            value, at = DECODER.raw_decode(text, BLANKS.match(text, at).end())  # type: ignore[union-attr]
            objects.append(value)
    except (RecursionError, ValueError):
        return None
    return objects


def _listed(items: Iterable[object]) -> Records:
    for number, item in enumerate(items, start=1):
        where = f"item {number}"
        yield Record(where, number, item) if isinstance(item, dict) else BadLine(where, NO_OBJECT)


def _is_json(line: bytes) -> bool:
    """Return whether a line is a whole JSON value, so that it is no beginning of an array."""
    try:
        json.loads(line)
    except (RecursionError, ValueError):
        return False
    return True
