"""A row of a file with its named fields, and a row that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

MAX_BAD_CHARACTERS = 100_000
"""What is kept of a bad row: one with an open quotation mark may be the rest of its file."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row or line with named fields.

    Attributes:
        where: "line 7", for a person.
        number: counts the rows from 1; stands for an id where there is none.
        is_export: whether it is a document as Strata has exported it.
        said: what a person should know of the row; "" where there is nothing.
    """

    where: str
    number: int
    fields: Mapping[str, object]
    is_export: bool = False
    said: str = ""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line, row or file that holds no document.

    Attributes:
        content: how it reads, cut after `MAX_BAD_CHARACTERS`; "" where that is not known.
    """

    where: str
    reason: str
    content: str = field(default="", compare=False)


Records = Iterator[Record | BadLine]


def not_utf_8(error: UnicodeDecodeError) -> str:
    """Return what to say of bytes that are not UTF-8."""
    return f"not text in UTF-8 (byte {error.start + 1})"


def damaged(error: Exception) -> str:
    """Return what to say of a compressed file that cannot be unpacked to its end."""
    return f"the compressed file breaks off or is damaged, and cannot be unpacked ({error})"
