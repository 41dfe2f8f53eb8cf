"""What documents are about as a table that opens in a spreadsheet: one row a document."""

from __future__ import annotations

from collections.abc import Iterator

from core.documents.rows.spreadsheet_cells import text_cell
from core.export.content import ExportContent, ExportFormat, subjects
from core.export.gathering import ExportedDocument
from core.export.tables import TEXT, table

SEPARATOR = " | "
COLUMNS = (
    *("document_id", "title", "labels", "concepts", "notations", "main_topics"),
    *("n_concepts", "proposed_terms", "status", "comment", "batch"),
)


def write(content: ExportContent) -> Iterator[bytes]:
    """Yield the table as bytes; a document without subjects has a row as well."""
    columns = COLUMNS if content.document is None else (*COLUMNS, TEXT)
    return table(columns, (_cells(exported, content) for exported in content.documents))


def _cells(exported: ExportedDocument, content: ExportContent) -> tuple[str, ...]:
    summary = exported.summary
    items = list(subjects(exported))
    names = [content.naming.name(item) for item in items]
    main = [name.label for name, item in zip(names, items, strict=True) if item.main]
    document = content.text_of(exported)
    texts = (
        summary.document_id,
        summary.title,
        _joined([name.label for name in names]),
        _joined([name.uri for name in names]),
        _joined([name.notation or "" for name in names]),
        _joined(main),
        str(len(items)),
        _joined([term.text for term in exported.proposed_terms]),
        summary.status,
        summary.comment,
        summary.batch or "",
        *(() if document is None else (document.text,)),
    )
    return tuple(map(text_cell, texts))


def _joined(texts: list[str]) -> str:
    """Return texts in one cell; a separator in one of them would make it two."""
    return SEPARATOR.join(text.replace("|", "/") for text in texts if text)


SUBJECT_TABLE = ExportFormat(
    "documents",
    "documents.csv",
    "text/csv",
    write,
    layout="table",
    meaning=(
        "CSV with one row a document, its accepted concepts joined by `|`; given ones too if you "
        "choose them. Other decisions stay out."
    ),
    title="CSV by document",
    has_subjects=True,
)
