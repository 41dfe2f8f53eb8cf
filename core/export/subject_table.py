"""What documents are about as a table that opens in a spreadsheet: one row a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.export.content import ExportContent, ExportedConcept, ExportFormat, subjects
from core.export.gathering import ExportedDocument
from core.export.tables import Columns, columns_from, write_table
from core.review.reports.snapshot import ExportedDecision

SEPARATOR = " | "


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """A document with its subjects, each with its name; `text` is "" where it is left out."""

    exported: ExportedDocument
    subjects: list[tuple[ExportedDecision, ExportedConcept]]
    text: str


COLUMNS: Columns[SubjectRow] = {
    "document_id": lambda row: row.exported.summary.document_id,
    "title": lambda row: row.exported.summary.title,
    "labels": lambda row: _joined(name.label for _, name in row.subjects),
    "concepts": lambda row: _joined(name.uri for _, name in row.subjects),
    "notations": lambda row: _joined(name.notation or "" for _, name in row.subjects),
    "main_topics": lambda row: _joined(name.label for item, name in row.subjects if item.main),
    "n_concepts": lambda row: len(row.subjects),
    "proposed_terms": lambda row: _joined(term.text for term in row.exported.proposed_terms),
    "status": lambda row: row.exported.summary.status,
    "comment": lambda row: row.exported.summary.comment,
    "batch": lambda row: row.exported.summary.batch,
}
TEXT_COLUMN: Columns[SubjectRow] = {"text": lambda row: row.text}


def write(content: ExportContent) -> Iterator[bytes]:
    """Yield the table as bytes; a document without subjects has a row as well."""
    columns: Columns[SubjectRow] = {
        **COLUMNS,
        **columns_from(lambda row: row.exported, content.people_columns),
        **(TEXT_COLUMN if content.with_text else {}),
    }
    return write_table(columns, (_row(exported, content) for exported in content.documents))


def _row(exported: ExportedDocument, content: ExportContent) -> SubjectRow:
    named = [(item, content.naming.name(item)) for item in subjects(exported)]
    document = content.text_of(exported)
    return SubjectRow(exported, named, document.text if document else "")


def _joined(texts: Iterable[str]) -> str:
    """Join texts in one cell; separators within a text are replaced."""
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
