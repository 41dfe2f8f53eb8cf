"""Tables that open in a spreadsheet, CSV or TSV; a column is a name and what its cells hold.

Text cells that a spreadsheet would take for a formula get a leading apostrophe; probabilities and
ranks are plain numbers.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TypeVar

from core.documents.rows.spreadsheet_cells import text_cell

Row = TypeVar("Row")
Part = TypeVar("Part")
Columns = Mapping[str, Callable[[Row], object]]
"""The columns of a table in their order: what each is called, and its value in a row."""
Cells = tuple[str, ...]

COMMA, TAB = ",", "\t"
BREAKS = re.compile("[\t\r\n]+")
PIECE_CHARACTERS = 64_000  # of a file that is being written


def write_table(
    columns: Columns[Row], rows: Iterable[Row], *, delimiter: str = COMMA
) -> Iterator[bytes]:
    """Yield the bytes of a table: UTF-8 with a byte order mark, CRLF, names first.

    In a TSV, tabs and line breaks inside a cell become a space.
    """
    piece = io.StringIO(newline="")
    writer = csv.writer(piece, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(columns)
    yield codecs.BOM_UTF8
    for row in rows:
        cells = cells_of(row, columns)
        writer.writerow([BREAKS.sub(" ", cell) for cell in cells] if delimiter == TAB else cells)
        if piece.tell() > PIECE_CHARACTERS:
            yield piece.getvalue().encode()
            piece.seek(0)
            piece.truncate()
    yield piece.getvalue().encode()


def columns_from(part: Callable[[Row], Part], columns: Columns[Part]) -> Columns[Row]:
    """Return columns of what a row holds as columns of the row."""

    def column(value_of: Callable[[Part], object]) -> Callable[[Row], object]:
        return lambda row: value_of(part(row))

    return {name: column(value_of) for name, value_of in columns.items()}


def cells_of(row: Row, columns: Columns[Row]) -> Cells:
    """Return the cells of a row, safe for a spreadsheet; what is None is an empty cell."""
    return tuple(_cell(value_of(row)) for value_of in columns.values())


def format_moment(moment: datetime | None) -> str:
    """Return a moment, which is in UTC, as ISO 8601 writes it; nothing for none."""
    return "" if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return text_cell(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
