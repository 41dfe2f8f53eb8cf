"""Decisions as a CSV file that opens in a spreadsheet: one row a decision.

Only decisions are exported, accepted and rejected or the accepted alone; a suggestion that nobody
touched is neither, and has no row. Text cells that a spreadsheet would take for a formula get a
leading apostrophe; probabilities and ranks are plain numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, and_, select

from core.review.store import Store
from core.review.tables import (
    decision,
    decision_event,
    document,
    person,
    prediction_run,
    project,
    suggestion,
)
from core.vocabulary.concepts import Concept, Hierarchy

COLUMNS = (
    "document_id",
    "title",
    "uri",
    "notation",
    "label",
    "path",
    "decision",
    "probability",
    "rank",
    "source",
    "model",
    "vocabulary",
    "person",
    "decided_at",
)
PERSON = "person"  # the source of a concept that no suggester named
LEVEL_SEPARATOR = " > "
PATH_SEPARATOR = " | "
MOST_PATHS = 20  # of one concept; where branches meet again and again, paths multiply
FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def export_csv(
    store: Store,
    *,
    document_id: str | None,
    accepted_only: bool,
    hierarchy: Hierarchy,
    language: str = "en",
) -> bytes:
    """The decisions of one document, or of all on the list of this vocabulary's projects.

    Args:
        document_id: None for all documents that were not removed.
        accepted_only: leave the rejected out; otherwise both, but nothing undecided.
        language: of labels and paths.
    Returns:
        UTF-8 with a byte order mark, lines ended by CRLF, first line the names in `COLUMNS`.
        `path` leads from the top concept down to the concept itself, one for each branch that it
        stands in; `rank` and `probability` are as the person saw them, empty for what was added
        without being suggested (then `source` is "person"); `decided_at` is in UTC.
    """
    with store.read() as connection:
        query = _query(document_id, accepted_only, hierarchy.vocabulary_id)
        rows = connection.execute(query).all()
    places = _places(hierarchy, language)
    return _write(_cells(row, places) for row in rows)


def _query(document_id: str | None, accepted_only: bool, vocabulary_id: str) -> Select[Any]:
    """Everything that is known of the wanted decisions, in one query."""
    shown = and_(
        suggestion.c.run_id == decision_event.c.run_id,
        suggestion.c.concept_id == decision.c.concept_id,
    )
    query = (
        select(
            decision.c.document_id,
            document.c.title,
            decision.c.concept_id,
            decision.c.state,
            suggestion.c.uri,
            suggestion.c.notation,
            suggestion.c.pref_label,
            decision_event.c.probability,
            decision_event.c.rank,
            decision_event.c.source,
            decision_event.c.decided_at,
            prediction_run.c.bundle_hash,
            project.c.vocabulary_id,
            prediction_run.c.vocabulary_version,
            person.c.name.label("person"),
        )
        .join(decision_event, decision_event.c.event_id == decision.c.event_id)
        .join(document, document.c.document_id == decision.c.document_id)
        .join(project, project.c.project_id == document.c.project_id)
        .join(person, person.c.person_id == decision_event.c.person_id)
        .outerjoin(prediction_run, prediction_run.c.run_id == decision_event.c.run_id)
        .outerjoin(suggestion, shown)
        .order_by(document.c.created_at, decision.c.document_id, decision.c.event_id)
    )
    if accepted_only:
        query = query.where(decision.c.state == "accepted")
    if document_id is not None:
        return query.where(decision.c.document_id == document_id)
    on_the_list = document.c.removed_at.is_(None)
    return query.where(on_the_list, project.c.vocabulary_id == vocabulary_id)


Place = tuple[Concept | None, str, str]  # the concept, its label and its paths


def _places(hierarchy: Hierarchy, language: str) -> Callable[[str], Place]:
    """Where a concept stands, looked up once however many documents have it."""

    @cache
    def place(concept_id: str) -> Place:
        if concept_id not in hierarchy:
            old = hierarchy.deprecated.get(concept_id)
            return old, old.label(language) if old else "", ""
        paths = (
            LEVEL_SEPARATOR.join(hierarchy[step].label(language) for step in path)
            for path in hierarchy.paths(concept_id, limit=MOST_PATHS)
        )
        concept = hierarchy[concept_id]
        return concept, concept.label(language), PATH_SEPARATOR.join(paths)

    return place


def _cells(row: Row[Any], places: Callable[[str], Place]) -> tuple[str, ...]:
    """One line of the file, in the order of `COLUMNS`.

    A concept that the vocabulary has lost is written as it was shown.
    """
    concept, label, path = places(row.concept_id)
    texts = (
        row.document_id,
        row.title,
        concept.uri if concept else row.uri or row.concept_id,
        (concept.notation if concept else row.notation) or "",
        label or row.pref_label or row.concept_id,
        path,
        row.state,
    )
    numbers = (
        "" if row.probability is None else f"{row.probability:.6f}",
        "" if row.rank is None else str(row.rank),
    )
    origin = (
        row.source or PERSON,
        row.bundle_hash or "",
        " ".join(filter(None, (row.vocabulary_id, row.vocabulary_version))),
        row.person,
        row.decided_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    return (*map(_text_cell, texts), *numbers, *map(_text_cell, origin))


def _text_cell(text: str) -> str:
    """Text that no spreadsheet runs as a formula, without characters that break a CSV file."""
    clean = CONTROL_CHARACTERS.sub("", text)
    risky = clean.startswith(("\t", "\r", "\n")) or clean.lstrip().startswith(FORMULA_STARTS)
    return f"'{clean}" if risky else clean


def _write(rows: Iterable[tuple[str, ...]]) -> bytes:
    """The file's bytes."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return file.getvalue().encode("utf-8-sig")
