"""Rows of a file as the process that read it hands them on: packed, and unpacked a piece at a time."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from core.documents.rows.records import BadLine, Record, Records
from core.errors import DocumentError

MAX_ROWS = 200_000
MAX_ROW_BYTES = 20_000_000  # as of a file that holds one document
MAX_BYTES = 300_000_000  # of all rows, as they are written here
PIECE_BYTES = 1_000_000
FASTEST = 1
TOO_LONG = f"it has more than {MAX_ROW_BYTES / 1e6:.0f} MB"
TOO_DEEP = "it is nested too deeply"


@dataclass(frozen=True, slots=True)
class PackedRows:
    """The rows of a file, which may be gone through again and again.

    Attributes:
        columns: their names; None where each row names its own fields.
        pieces: lines of JSON, one a row, packed.
    """

    columns: list[str] | None
    n_rows: int
    pieces: tuple[bytes, ...] = field(repr=False)

    def __len__(self) -> int:
        """How many rows there are, the bad ones among them."""
        return self.n_rows

    def __iter__(self) -> Iterator[Record | BadLine]:
        """Unpack them in their order."""
        for piece in self.pieces:
            for line in zlib.decompress(piece).splitlines():
                where, number, content, remark = json.loads(line)
                if number is None:
                    yield BadLine(where, *content)
                else:
                    yield Record(where, number, content, said=remark)


def packed(name: str, columns: list[str] | None, rows: Records) -> PackedRows:
    """Pack rows.

    Raises:
        DocumentError: there are more, or longer ones, than are read at a time.
    """
    pieces: list[bytes] = []
    n_rows = n_bytes = 0
    waiting: list[bytes] = []
    n_waiting = 0
    for line in _lines(rows):
        n_rows, n_bytes, n_waiting = n_rows + 1, n_bytes + len(line), n_waiting + len(line)
        if n_rows > MAX_ROWS or n_bytes > MAX_BYTES:
            raise DocumentError(
                f"{name} has more than {MAX_ROWS:,} rows or {MAX_BYTES / 1e6:.0f} MB of text. "
                "Split it."
            )
        waiting.append(line)
        if n_waiting >= PIECE_BYTES:
            pieces.append(zlib.compress(b"\n".join(waiting), FASTEST))
            waiting, n_waiting = [], 0
    if waiting:
        pieces.append(zlib.compress(b"\n".join(waiting), FASTEST))
    return PackedRows(columns, n_rows, tuple(pieces))


def _lines(rows: Iterable[Record | BadLine]) -> Iterator[bytes]:
    for row in rows:
        if isinstance(row, BadLine):
            yield _line(row.where, None, [row.reason, row.content])
            continue
        try:
            line = _line(row.where, row.number, dict(row.fields), row.said)
        except RecursionError:
            line = _line(row.where, None, [TOO_DEEP])
        yield line if len(line) <= MAX_ROW_BYTES else _line(row.where, None, [TOO_LONG])


def _line(where: str, number: int | None, content: object, remark: str = "") -> bytes:
    return json.dumps([where, number, content, remark]).encode("ascii")
