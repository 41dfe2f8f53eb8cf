"""The documents of an input of one or many files, one at a time, and where each of them stands."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, cast

from core.batches.places import InputFile
from core.boundaries import system_reason
from core.documents.inputs import (
    BadLine,
    InputDocument,
    document_in,
    file_document,
    records_in,
)
from core.documents.kinds import DOCUMENT_SUFFIXES, names_document
from core.documents.rows.files import PACKED, ROW_FORMATS, UNPACKING_ERRORS, NamedRows, RowReader
from core.documents.rows.records import Record, Records, damaged
from core.errors import ConfigError

PARQUET = ".parquet"
ROWS_AT_A_TIME = 256


def parquet_rows(file: BinaryIO, *, is_even: bool = False) -> NamedRows:
    """Return the columns of a Parquet file, and its rows, some at a time.

    Raises:
        ConfigError: it is none, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ConfigError("Parquet files need pyarrow: pip install pyarrow.") from error
    try:
        table = pq.ParquetFile(file)
    except pa.ArrowException as error:
        raise ConfigError(f"A Parquet file of the input is damaged: {error}.") from error
    return list(table.schema_arrow.names), _parquet_records(table)


def _parquet_records(table: Any) -> Records:
    number = 0
    for batch in table.iter_batches(batch_size=ROWS_AT_A_TIME):
        for fields in batch.to_pylist():
            number += 1
            yield Record(f"row {number}", number, fields)


FORMATS: Mapping[str, RowReader] = {**ROW_FORMATS, PARQUET: parquet_rows}
SUFFIXES = (
    *(f"{suffix}{end}" for suffix in FORMATS for end in ("", PACKED)), *sorted(DOCUMENT_SUFFIXES),
)  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class InputPosition:
    """How far an input is read: whole files, and rows of the next one, broken ones among them."""

    file: int = 0
    row: int = 0


START = InputPosition()


class InputReader:
    """Yields documents and rows that hold none, in the order of the input.

    Args:
        files: of the input.
        start: what stands before it is not made into documents; of its own file the rows before
            it are passed over.
    """

    def __init__(self, files: Sequence[InputFile], start: InputPosition = START) -> None:
        self.files, self.position = files, start
        self._before = sum(file.n_bytes for file in files[: start.file])
        self._open: BinaryIO | None = None
        self._rows: Records | None = None

    def __iter__(self) -> Iterator[InputDocument | BadLine]:
        return self

    def __next__(self) -> InputDocument | BadLine:
        row = self._next_row()
        return self._named(row if isinstance(row, InputDocument) else document_in(row), row)

    def pass_over(self, end: InputPosition) -> None:
        """Go on to a position without making documents of what stands before it."""
        while self.position.file < end.file:
            self._next_file()
        while self.position < end:
            self._next_row()

    @property
    def bytes_read(self) -> int:
        """How much of the input is read, as it is stored; of packed files and tables, about."""
        here = self._open
        if here is None or self.position.file >= len(self.files):
            return self._before
        size = self.files[self.position.file].n_bytes
        return self._before + (size if here.closed else min(here.tell(), size))

    # ------------------------------------------------------------------ rows

    def _next_row(self) -> Record | BadLine | InputDocument:
        while self.position.file < len(self.files):
            if self._rows is None:
                self._rows = self._rows_of(self.files[self.position.file])
                for _ in range(self.position.row):
                    next(self._rows, None)
            row = next(self._rows, None)
            if row is not None:
                self.position = replace(self.position, row=self.position.row + 1)
                return row
            self._next_file()
        raise StopIteration

    def _next_file(self) -> None:
        self._before += self.files[self.position.file].n_bytes
        self._rows = self._open = None
        self.position = InputPosition(self.position.file + 1)

    def _rows_of(self, file: InputFile) -> Iterator[Any]:
        """Yield the rows of a file; what cannot be read to its end is a broken row."""
        try:
            with closing(file.open()) as stored:
                self._open = stored
                if names_document(file.name):
                    yield file_document(file.name, stored.read())
                    return
                is_packed = file.name.lower().endswith(PACKED)
                opened = cast("BinaryIO", gzip.GzipFile(fileobj=stored)) if is_packed else stored
                yield from records_in(file.url, opened, FORMATS)
        except UNPACKING_ERRORS as error:
            yield BadLine(file.name, damaged(error))
        except OSError as error:
            raise ConfigError(f"{file.url} cannot be read: {system_reason(error)}.") from error

    def _named(
        self, item: InputDocument | BadLine, row: Record | BadLine | InputDocument
    ) -> InputDocument | BadLine:
        if isinstance(item, InputDocument):
            return item
        name = self.files[self.position.file].name
        where = item.where if item.where == name else f"{name}, {item.where}"
        content = repr(dict(row.fields)) if isinstance(row, Record) else item.content
        return BadLine(where, item.reason, content)
