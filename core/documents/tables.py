"""What a table or a ZIP of tables holds, row by row; read in the process that parses files."""

from __future__ import annotations

import io
from dataclasses import replace

from core.documents.archives import documents_in, opened, read_member
from core.documents.kinds import ZIP
from core.documents.rows.files import rows_of
from core.documents.rows.packed_rows import PackedRows, packed
from core.documents.rows.records import Records


def read_table(kind: str, name: str, content: bytes) -> PackedRows:
    """Read the rows of a table, or of all tables in a ZIP, here and now.

    Raises:
        DocumentError: it cannot be unpacked, or holds more than is read.
    """
    if kind == ZIP:
        return packed(name, None, _of_all(name, content))
    columns, records = _rows(name, content)
    return packed(name, columns, records)


def _of_all(name: str, content: bytes) -> Records:
    with opened(name, content) as archive:
        for member in documents_in(archive):
            _, records = _rows(member, read_member(name, archive, member))
            yield from (replace(row, where=f"{member}, {row.where}") for row in records)


def _rows(name: str, content: bytes) -> tuple[list[str] | None, Records]:
    """Return the columns and rows of a file; a table without a first row has none."""
    columns, records = rows_of(name, io.BytesIO(content))
    return columns, iter(()) if columns == [] else records
