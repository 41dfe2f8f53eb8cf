"""The history of the chosen documents, CSV or JSON Lines: one row or line an event."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.documents.rows.spreadsheet_cells import text_cell
from core.export.content import ExportContent, ExportFormat
from core.export.gathering import ExportedDecision
from core.export.jsonl import OTHER_LINE_ENDS
from core.export.tables import format_moment, table
from core.review.reports.history import HistoryEvent

COLUMNS = (
    *("document_id", "title", "event", "person", "decided_at", "action", "uri", "notation"),
    *("label", "value", "probability", "rank", "source", "shown", "model", "vocabulary_version"),
    *("group", "undoes", "undone_by"),
)
MEANING = (
    "every event of the chosen documents, whatever decisions are chosen: who, when, what, and what "
    "the person saw (probability, rank, source, model). Nothing is left out that was undone."
)


def write_csv(content: ExportContent) -> Iterator[bytes]:
    """Yield the table as bytes."""
    rows = (tuple(map(_cell, event.values())) for event in _events(content))
    return table(COLUMNS, rows)


def write_lines(content: ExportContent) -> Iterator[bytes]:
    """Yield a line for each event."""
    for event in _events(content):
        yield f"{json.dumps(event, ensure_ascii=False).translate(OTHER_LINE_ENDS)}\n".encode()


def _events(content: ExportContent) -> Iterator[dict[str, Any]]:
    """Yield the events in the order of `COLUMNS`; a concept is named as the vocabulary names it."""
    for exported in content.documents:
        summary = exported.summary
        for event in content.history(summary.document_id):
            values = (summary.document_id, summary.title, *_values(event, content))
            yield dict(zip(COLUMNS, values, strict=True))


def _values(event: HistoryEvent, content: ExportContent) -> tuple[Any, ...]:
    uri, notation, label = event.uri, event.notation, event.label
    if event.concept_id is not None:
        shown = ExportedDecision(
            event.concept_id, event.action, uri=uri, notation=notation, label=label
        )
        name = content.naming.name(shown)
        uri, notation, label = name.uri, name.notation, name.label
    probability = None if event.probability is None else round(event.probability, 6)
    return (
        *(event.event_id, event.person, format_moment(event.decided_at), event.action),
        *(uri, notation, label, event.value, probability, event.rank, event.source),
        *(event.shown, event.bundle_hash, event.vocabulary_version),
        *(event.group, event.undoes, event.undone_by),
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    return text_cell(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


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
