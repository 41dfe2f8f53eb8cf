"""The rows of a changed table by document, and whether a row is of the document that it names.

A spreadsheet takes ids for numbers and dates: 0012 comes back as 12, which may be another document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import PurePath

from core.documents.kinds import ROWS
from core.documents.rows.records import BadLine, Record
from core.documents.rows.spreadsheet_cells import text_cell, text_of_cell
from core.documents.uploads import MAX_FILE_BYTES, PARSER
from core.errors import DocumentError
from core.export.gathering import DECISIONS, PROPOSED

Cells = Mapping[str, str]
RowsByDocument = dict[str, list[tuple[str, Cells]]]
"""By document id: where each of its rows stands, and its cells by column."""

ID_COLUMN, TITLE_COLUMN, DECISION_COLUMN = "document_id", "title", "decision"
NAME_COLUMNS = ("uri", "label", "notation")
TABLES = (".csv", ".tsv")
TEXT_TABLE = ".txt"  # as spreadsheets call tables with tabs in UTF-16
NO_TABLE = "Add a table: a CSV or TSV that this page made, or one with the same columns."
NO_COLUMNS = (
    "The first row must name the column document_id, and one of uri, label and notation, as in the "
    "table that this page makes."
)
TOO_LARGE = f"The file is larger than {MAX_FILE_BYTES / 1e6:.0f} MB. Split it."
OLD_CODE_PAGE = "cp1252"  # of tables that spreadsheets save without being asked for UTF-8
NUMBER = re.compile(r"[+-]?\d{1,400}(?:\.(?P<decimals>\d{1,400}))?(?P<power>[eE][+-]?\d{1,3})?")
OTHER_TITLE = "its title is “{1}”, and that of document {0} is “{2}”"
NOT_ITS_TITLE = "its title is not that of document {0}"
EITHER = "{0} may be what a spreadsheet made of {1}"
LOST = "there is no document {0}; it may be what a spreadsheet made of {1}"
MOST_TITLE_CHARACTERS = 60


def rows_by_document(name: str, content: bytes, bad: list[BadLine]) -> RowsByDocument:
    """Return the rows of each document; those that cannot be read are added to `bad`.

    Raises:
        DocumentError: it is no table with these columns, or too large.
    """
    by_document: RowsByDocument = {}
    for row in _records(name, content):
        if isinstance(row, BadLine):
            bad.append(row)
            continue
        cells = {
            column.strip().lower(): text_of_cell(str(value)).strip()
            for column, value in row.fields.items()
        }
        word = cells.get(DECISION_COLUMN, "").lower()
        if word not in ("", PROPOSED, *DECISIONS):
            bad.append(BadLine(row.where, f"there is no decision {word[:40]!r}"))
        elif not cells.get(ID_COLUMN):
            bad.append(BadLine(row.where, "it names no document"))
        else:
            by_document.setdefault(cells[ID_COLUMN], []).append((row.where, cells))
    return by_document


def _records(name: str, content: bytes) -> Iterator[Record | BadLine]:
    suffix = PurePath(name.lower()).suffix
    if len(content) > MAX_FILE_BYTES:
        raise DocumentError(TOO_LARGE)
    if suffix not in (*TABLES, TEXT_TABLE):
        raise DocumentError(NO_TABLE)
    read_as = f"table{'.tsv' if suffix == TEXT_TABLE else suffix}"
    rows = PARSER.rows(ROWS, read_as, content)
    named = {column.strip().lower() for column in rows.columns or ()}
    if ID_COLUMN not in named or not named.intersection(NAME_COLUMNS):
        raise DocumentError(NO_COLUMNS)
    return iter(rows)


# ---------------------------------------------------------------------- of which document a row is


class DocumentRows:
    """Says whether rows are of the document that they name.

    Args:
        titles: of the documents of the project, by id.
        tabled: ids that the table has; one that kept its zeros was not taken for a number.
        hides_titles: whether a reason names none of them.
    """

    def __init__(
        self, titles: Mapping[str, str], tabled: Iterable[str], *, hides_titles: bool = False
    ) -> None:
        self._titles = titles
        self._other_title = NOT_ITS_TITLE if hides_titles else OTHER_TITLE
        self._tabled = set(tabled)
        self._numbers: dict[Decimal, list[str]] = {}
        for document_id in titles:
            if NUMBER.fullmatch(document_id):
                self._numbers.setdefault(Decimal(document_id), []).append(document_id)

    def mistaken(self, document_id: str, rows: Iterable[tuple[str, Cells]]) -> list[BadLine]:
        """Return the rows that belong, or may belong, to another document."""
        others = [i for i in self._alike(document_id) if i not in self._tabled]
        document_title = self._titles[document_id]
        bad_rows = []
        for where, cells in rows:
            title = cells.get(TITLE_COLUMN, "")
            shown = (text[:MOST_TITLE_CHARACTERS] for text in (title, document_title))
            if title and not is_same_title(title, document_title):
                reason = self._other_title.format(document_id, *shown)
                bad_rows.append(BadLine(where, reason))
            elif either := [
                i for i in others if not title or is_same_title(title, self._titles[i])
            ]:
                bad_rows.append(BadLine(where, EITHER.format(document_id, either[0])))
        return bad_rows

    def named_by_title(self, document_id: str, rows: Sequence[tuple[str, Cells]]) -> str:
        """Return the id of which a spreadsheet has taken the zeros, if the title of its rows says so."""
        others = self._alike(document_id)
        is_plain = document_id not in self._titles and "E" not in document_id.upper()
        if not is_plain or len(others) != 1 or others[0] in self._tabled:
            return document_id
        titles = [cells[TITLE_COLUMN] for _, cells in rows if cells.get(TITLE_COLUMN)]
        document_title = self._titles[others[0]]
        is_same = bool(titles) and all(is_same_title(title, document_title) for title in titles)
        return others[0] if is_same else document_id

    def lost(self, document_id: str, rows: Sequence[tuple[str, Cells]]) -> BadLine | None:
        """Return the first row of a document that the project lacks, where its id was another."""
        others = self._alike(document_id)
        return (
            BadLine(rows[0][0], LOST.format(document_id, " or ".join(others))) if others else None
        )

    def _alike(self, written: str) -> list[str]:
        """Return the ids that a spreadsheet may have changed into this one, such as 0012 into 12."""
        number = NUMBER.fullmatch(written)
        if number is None:
            return []
        if not number["power"]:
            return [i for i in self._numbers.get(Decimal(written), ()) if i != written]
        rounded = f".{len(number['decimals'] or '')}E"  # a long number has lost its last digits
        shown = format(Decimal(written), rounded)
        return [
            i
            for value, ids in self._numbers.items()
            for i in ids
            if i != written and format(value, rounded) == shown
        ]


def is_same_title(cell: str, title: str) -> bool:
    """Return whether a cell is a title, as a spreadsheet writes it in UTF-8 or an old code page."""
    written, exported = _plain(cell), _plain(text_of_cell(text_cell(title)))
    if NUMBER.fullmatch(written) and NUMBER.fullmatch(exported):
        return Decimal(written) == Decimal(exported)
    return written in (exported, exported.encode(OLD_CODE_PAGE, "replace").decode(OLD_CODE_PAGE))


def _plain(title: str) -> str:
    return " ".join(unicodedata.normalize("NFC", title).split())
