"""Rows of CSV and TSV files, one at a time; a bad row does not stop those behind it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain
from typing import BinaryIO, Literal

from core.documents.rows.records import MAX_BAD_CHARACTERS, BadLine, Record, Records
from core.encoding import UTF_8, encoding_of

DELIMITERS = ",;\t|"
LONGEST_CELL = 2**31 - 1  # characters; whole acts stand in one cell
QUOTED_NAME = re.compile(r'"[^"]*"')
# What may stand above the first row: an empty line, or the delimiter, as spreadsheets are told it.
ABOVE = re.compile(r'\A(?:"?sep=(?P<delimiter>[,;\t|])"?)?[ \t]*(?:\r\n?|\n)', re.IGNORECASE)
NEVER_CLOSED = (
    "a quotation mark that opens in this row is never closed, so that the rest of the file "
    "belongs to it"
)
CLOSED_LATE = (
    "a quotation mark that opens in this row is closed only {n} lines further down, by one of another "
    "row, so that these rows would become one document. Close it or take it away, and add the file again"
)
MORE_CELLS = (
    "The row has more cells than there are columns, so that its end was left out: a text with the "
    "delimiter in it stands in quotation marks."
)


@dataclass(frozen=True, slots=True)
class TableForm:
    """The form of a delimited table, as far as its format fixes it.

    Attributes:
        delimiter: "" where the first row shows it.
        likeliest: delimiter that is taken wherever it stands in the first row.
        header: names of the columns, where the first row is not theirs.
        quoted: whether a cell may stand in quotation marks; in some corpora they are text.
        is_even: whether a row with more or fewer cells than columns is refused.
        encoding: "" where the bytes show it; bytes that are wrong in a stated one are replaced.
        longest_cell: in characters; a longer one has lost the quotation mark at its end.
    """

    delimiter: str = ""
    likeliest: str = ""
    header: Sequence[str] = ()
    quoted: bool = True
    is_even: bool = False
    encoding: str = ""
    longest_cell: int = LONGEST_CELL


SNIFFED = TableForm()


def delimited_rows(file: BinaryIO, form: TableForm = SNIFFED) -> tuple[list[str], Records]:
    """Return the names of the columns, and the rows, which are read as they are asked for.

    Bytes that are not UTF-8 spoil their own row alone, unless the file is in another encoding.
    """
    csv.field_size_limit(form.longest_cell)
    lines = _lines(file, form)
    first, stated, n_above = next(lines, ""), "", 0
    while not form.header and (match := ABOVE.fullmatch(first)):
        first, stated, n_above = next(lines, ""), match["delimiter"] or stated, n_above + 1
    delimiter = form.delimiter or stated or delimiter_of(first, likeliest=form.likeliest)
    table = _Table(chain(["\n"] * n_above, [first], lines), form, delimiter)
    names = _each_once([name.strip() for name in form.header or table.first_row()])
    return names, table.records(names)


def _each_once(names: Sequence[str]) -> list[str]:
    """Return names of columns; one that is there before gets a number, so that no cell is lost."""
    taken = {name.lower() for name in names}
    counts: Counter[str] = Counter()
    unique = []
    for name in names:
        key, numbered = name.lower(), name
        counts[key] += 1
        while name and counts[key] > 1 and numbered.lower() in taken:
            numbered = f"{name} ({counts[key]})"
            counts[key] += numbered.lower() in taken
        unique.append(numbered)
    return unique


def delimiter_of(header: str, *, likeliest: str = "") -> str:
    """Return the likeliest delimiter if a first row has it, or else the one it has most often."""
    bare = QUOTED_NAME.sub("", header)
    if likeliest and likeliest in bare:
        return likeliest
    return max(DELIMITERS, key=bare.count)


def _lines(file: BinaryIO, form: TableForm) -> Iterator[str]:
    encoding = form.encoding or encoding_of(file)
    keeps_bad_bytes = encoding == UTF_8 and not form.encoding
    errors = "surrogateescape" if keeps_bad_bytes else "replace"
    newline = "" if form.quoted else "\n"
    with TextIOWrapper(file, encoding, errors=errors, newline=newline) as lines:
        yield from lines


class _Table:
    """The cells of a table's rows, and the line on which each row begins."""

    def __init__(self, lines: Iterator[str], form: TableForm, delimiter: str) -> None:
        self.form = form
        self.delimiter = delimiter
        self.is_at_end = False
        self.raw: list[str] = []  # the lines of the row that is being read
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if form.quoted else csv.QUOTE_NONE
        self.cells = csv.reader(self._counted(lines), delimiter=delimiter, quoting=quoting)

    def _counted(self, lines: Iterable[str]) -> Iterator[str]:
        """Pass the lines on, and notice when a row asks for more than there are."""
        for line in lines:
            shown = line if self.form.quoted else _on_one_line(line)
            self.raw.append(shown)
            yield shown
        self.is_at_end = True

    def first_row(self) -> list[str]:
        """Read the names of the columns; there are none in an empty file."""
        try:
            return next(filter(None, self.cells), [])
        except csv.Error:
            return []

    def records(self, names: Sequence[str]) -> Records:
        """Read the rows that are not blank."""
        number = 0
        while True:
            where = f"line {self.cells.line_num + 1}"
            number += 1
            self.raw.clear()
            try:
                row = next(self.cells)
            except StopIteration:
                return
            except csv.Error as error:
                yield BadLine(where, f"not CSV ({error})", self._as_it_reads())
                continue
            if any(cell.strip() for cell in row):
                reason = self._problem(row, names)
                if reason:
                    yield BadLine(where, reason, self._as_it_reads())
                else:
                    fields = dict(zip(names, row, strict=False))
                    yield Record(where, number, fields, said=_left_out(row, names))

    def _as_it_reads(self) -> str:
        """Return the row that was read last; bytes that are no text are replaced."""
        shown = "".join(self.raw)[:MAX_BAD_CHARACTERS].rstrip("\r\n")
        return shown.encode("utf-8", "replace").decode("utf-8")

    def _problem(self, row: Sequence[str], names: Sequence[str]) -> str:
        if self.is_at_end:
            return NEVER_CLOSED
        if len(self.raw) > 1 and self._swallows_rows(names):
            return CLOSED_LATE.format(n=len(self.raw) - 1)
        if not _is_text(row):
            return "not text in UTF-8"
        if self.form.is_even and len(row) != len(names):
            return f"the row has {len(row)} fields for {len(names)} columns"
        return ""

    def _swallows_rows(self, names: Sequence[str]) -> bool:
        """Return whether a row of several lines has taken others in.

        Then the mark that closes its cell stands inside another row, or cells are missing; and its
        further lines read as rows. Lines of a text, which may have as many commas, do neither.
        """
        if self._n_cells(self.raw, strict=True) == len(names):
            return False
        return any(self._n_cells([line]) == len(names) for line in self.raw[1:])

    def _n_cells(self, lines: Sequence[str], *, strict: bool = False) -> int:
        """Count the cells of a row in these lines; -1 where it is no row."""
        try:
            return len(next(csv.reader(lines, delimiter=self.delimiter, strict=strict), []))
        except csv.Error:
            return -1


def _left_out(row: Sequence[str], names: Sequence[str]) -> str:
    """Return what to say of a row with more cells than columns, of which the last stay out."""
    return MORE_CELLS if any(cell.strip() for cell in row[len(names) :]) else ""


def _is_text(row: Sequence[str]) -> bool:
    try:
        "".join(row).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _on_one_line(text: str) -> str:
    """Put spaces for carriage returns inside a line, which would end the row too early."""
    return text.rstrip("\r\n").replace("\r", " ") + "\n"
