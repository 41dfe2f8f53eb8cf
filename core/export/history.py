"""The history of the chosen documents, CSV or JSON Lines: one row or line an event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.export.content import ExportContent, ExportedConcept, ExportFormat
from core.export.jsonl import json_line, rounded
from core.export.tables import Columns, format_moment, write_table
from core.review.reports.history import HistoryEvent, read_history
from core.review.reports.snapshot import ExportedDecision
from core.review.reports.summaries import DocumentSummary

MEANING = (
    "every event of the chosen documents, whatever decisions are chosen: who, when, what, and what "
    "the person saw (probability, rank, source, model). Nothing is left out that was undone."
)


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """An event of a document; `name` is of its concept, which is named as the vocabulary names it."""

    document: DocumentSummary
    event: HistoryEvent
    name: ExportedConcept | HistoryEvent


COLUMNS: Columns[HistoryRow] = {
    "document_id": lambda row: row.document.document_id,
    "title": lambda row: row.document.title,
    "event": lambda row: row.event.event_id,
    "person": lambda row: row.event.person,
    "decided_at": lambda row: format_moment(row.event.decided_at),
    "action": lambda row: row.event.action,
    "uri": lambda row: row.name.uri,
    "notation": lambda row: row.name.notation,
    "label": lambda row: row.name.label,
    "value": lambda row: row.event.value,
    "probability": lambda row: rounded(row.event.probability),
    "rank": lambda row: row.event.rank,
    "source": lambda row: row.event.source,
    "shown": lambda row: row.event.shown,
    "model": lambda row: row.event.bundle_hash,
    "vocabulary_version": lambda row: row.event.vocabulary_version,
    "group": lambda row: row.event.group,
    "undoes": lambda row: row.event.undoes,
    "undone_by": lambda row: row.event.undone_by,
}


def write_csv(content: ExportContent) -> Iterator[bytes]:
    """Yield the table as bytes."""
    return write_table(COLUMNS, _rows(content))


def write_lines(content: ExportContent) -> Iterator[bytes]:
    """Yield a line for each event."""
    for row in _rows(content):
        yield json_line({name: value_of(row) for name, value_of in COLUMNS.items()})


def _rows(content: ExportContent) -> Iterator[HistoryRow]:
    for exported in content.documents:
        for event in read_history(content.store, exported.summary.document_id):
            yield HistoryRow(exported.summary, event, _name(event, content))


def _name(event: HistoryEvent, content: ExportContent) -> ExportedConcept | HistoryEvent:
    if event.concept_id is None:
        return event
    as_shown = ExportedDecision(
        event.concept_id, event.action, uri=event.uri, notation=event.notation, label=event.label
    )
    return content.naming.name(as_shown)


HISTORY = ExportFormat(
    "history",
    "history.csv",
    "text/csv",
    write_csv,
    layout="table",
    meaning=f"CSV: {MEANING}",
    title="History",
    is_history=True,
    has_text=False,
)
HISTORY_LINES = ExportFormat(
    "history-jsonl",
    "history.jsonl",
    "application/jsonl",
    write_lines,
    meaning=f"JSON Lines: {MEANING}",
    title="History, JSONL",
    preview_note="The events of the first document, a line each.",
    is_history=True,
    has_text=False,
)
