"""Files that Strata itself has exported, a row for each document, as they were before the export.

A table has a row for each decision, and the text of a document in one of them; a line of JSON has
its parts. The table with a row for each document is read as any other, with its texts as they were.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from core.clinical.encounters import NOTES_FIELD
from core.clinical.stay import STAY_FIELDS
from core.documents.document import PART_BREAK
from core.documents.rows.records import BadLine, Record, Records
from core.documents.rows.row_documents import PARTS_FIELD
from core.documents.rows.spreadsheet_cells import text_of_cell
from core.documents.structure import PART_KINDS

TABLE_COLUMNS = frozenset({"document_id", "title", "uri", "label", "decision"})
SUBJECT_COLUMNS = frozenset(
    {"document_id", "title", "labels", "concepts", "notations", "main_topics", "n_concepts"}
)
LINE_FIELDS = frozenset({"id", "title", "status", "vocabulary", "concepts"})
CONCEPTS_FIELD, COMMENT_FIELD = "concepts", "comment"
CONCEPT_COLUMNS = ("uri", "notation", "label", "decision")
KEPT_FIELDS = ("id", "title", "text", CONCEPTS_FIELD, COMMENT_FIELD, *STAY_FIELDS)
CHARACTERS = "characters"  # of a part, in a table that has the text as a whole
CHANGED_TEXT = "The text is not as it was exported, so its notes could not be told apart."


def exported_rows(
    columns: Sequence[str] | None, records: Records, *, at_once: bool = False
) -> Records:
    """Yield one row a document for an export, and the rows of any other file unchanged.

    A ZIP of tables, which has no columns of its own, is looked at row by row.

    Args:
        at_once: whether all rows are held, so that those of a document may stand apart, as where
            somebody sorted the table.
    """
    names = _names(columns or ())
    if columns is None or names >= SUBJECT_COLUMNS:
        return map(_of_line, records)
    if not names >= TABLE_COLUMNS:
        return records
    return _documents_at_once(records) if at_once else _documents_in_order(records)


def _names(columns: Iterable[str]) -> set[str]:
    return {column.strip().lower() for column in columns}


def _documents_in_order(records: Records) -> Records:
    for document_id, rows in groupby(map(_cleaned, records), _document_of):
        if document_id is None:
            yield from rows
        else:
            yield _merged([row for row in rows if isinstance(row, Record)])


def _documents_at_once(records: Records) -> Records:
    documents: dict[str, list[Record]] = {}
    for row in map(_cleaned, records):
        document_id = _document_of(row)
        if isinstance(row, Record) and document_id is not None:
            documents.setdefault(document_id, []).append(row)
        else:
            yield row
    yield from map(_merged, documents.values())


def _document_of(row: Record | BadLine) -> str | None:
    return str(row.fields["document_id"]) or None if isinstance(row, Record) else None


def _cleaned(row: Record | BadLine) -> Record | BadLine:
    """Return a row with cells as they were before they were made safe for a spreadsheet."""
    if isinstance(row, BadLine):
        return row
    cells = {name.strip().lower(): text_of_cell(str(cell)) for name, cell in row.fields.items()}
    cells["document_id"] = cells.get("document_id", "").strip()
    return replace(row, fields=cells)


def _merged(rows: Sequence[Record]) -> Record:
    first = rows[0]
    cells = {
        name: next((str(row.fields[name]) for row in rows if row.fields.get(name)), "")
        for name in first.fields
    }
    fields: dict[str, object] = {"id": cells["document_id"], "title": cells["title"]}
    fields |= (texts := _text_fields(cells))
    fields[CONCEPTS_FIELD] = [
        {name: row.fields.get(name, "") for name in CONCEPT_COLUMNS} for row in rows
    ]
    fields[COMMENT_FIELD] = cells.get(COMMENT_FIELD, "")
    fields |= {name: _stay_cell(cells, name) for name in STAY_FIELDS if cells.get(name)}
    is_changed = "text" in texts and cells.get(PARTS_FIELD)
    return replace(first, fields=fields, is_export=True, said=CHANGED_TEXT if is_changed else "")


def _text_fields(cells: Mapping[str, str]) -> dict[str, object]:
    """Return the text of a document, in its parts where the table says how long each is."""
    if not cells.get("text"):
        return {}
    text = cells["text"].replace("\r\n", "\n")
    parts = _parts(text, cells.get(PARTS_FIELD, ""))
    return {"text": text} if parts is None else _named_parts(parts)


def _parts(text: str, outline: str) -> list[dict[str, object]] | None:
    """Split a text into parts of given lengths; None where the lengths do not add up to it."""
    parts, start = [], 0
    try:
        for part in json.loads(outline):
            end = start + int(part[CHARACTERS])
            parts.append({"kind": part["kind"], "title": part["title"], "date": part["date"],
                          "text": text[start:end]})  # fmt: skip
            start = end + len(PART_BREAK)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return parts if text == PART_BREAK.join(part["text"] for part in parts) else None


def _named_parts(parts: Sequence[object]) -> dict[str, object]:
    """Return parts under the name that says whether they are the notes of an encounter."""
    kinds = {str(part.get("kind")) for part in parts if isinstance(part, Mapping)}
    return {PARTS_FIELD if kinds <= PART_KINDS else NOTES_FIELD: list(parts)}


def _stay_cell(cells: Mapping[str, str], name: str) -> object:
    system = cells.get(f"{name}_system", "")
    return {"value": cells[name], "system": system} if system else cells[name]


def _of_line(row: Record | BadLine) -> Record | BadLine:
    if isinstance(row, BadLine):
        return row
    if _names(row.fields) >= SUBJECT_COLUMNS:
        return replace(row, fields={n: _text(cell) for n, cell in row.fields.items()})
    if not _is_exported(row.fields):
        return row
    fields = {name: row.fields[name] for name in KEPT_FIELDS if row.fields.get(name) is not None}
    parts = row.fields.get(PARTS_FIELD)
    fields |= _named_parts(parts) if isinstance(parts, list) and parts else {}
    return replace(row, fields=fields, is_export=True)


def _text(cell: object) -> object:
    return text_of_cell(cell) if isinstance(cell, str) else cell


def _is_exported(fields: Mapping[str, object]) -> bool:
    return fields.keys() >= LINE_FIELDS and isinstance(fields[CONCEPTS_FIELD], list)
