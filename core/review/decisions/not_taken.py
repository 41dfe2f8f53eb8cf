"""Suggestions that were on the page, untouched, when a document was finished."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, and_, select

from core.review.store.tables import decision, decision_event, suggestion

if TYPE_CHECKING:
    from core.vocabulary.concepts import Hierarchy

ASKED_AT_ONCE = 500  # finishes in one query


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A suggestion that was on the page, untouched, when the document was finished.

    Attributes:
        uri, notation, pref_label: as they were shown.
    """

    concept_id: str
    probability: float
    rank: int
    source: str
    uri: str
    notation: str | None
    pref_label: str


def untouched(connection: Connection, finish_ids: Sequence[int]) -> dict[str, list[NotTaken]]:
    """For each finished document, the suggestions that were shown and are not decided, by rank.

    Args:
        finish_ids: the events that finished the documents.
    """
    found: dict[str, list[NotTaken]] = {}
    columns = suggestion.c
    decided = and_(
        decision.c.document_id == decision_event.c.document_id,
        decision.c.concept_id == columns.concept_id,
    )
    query = (
        select(decision_event.c.document_id, columns.concept_id, columns.probability)
        .add_columns(columns.rank, columns.source, columns.uri, columns.notation)
        .add_columns(columns.pref_label)
        .join(decision_event, decision_event.c.run_id == columns.run_id)
        .outerjoin(decision, decided)
        .where(columns.rank <= decision_event.c.shown, decision.c.event_id.is_(None))
        .order_by(decision_event.c.document_id, columns.rank, columns.concept_id)
    )
    for start in range(0, len(finish_ids), ASKED_AT_ONCE):
        some = finish_ids[start : start + ASKED_AT_ONCE]
        for row in connection.execute(query.where(decision_event.c.event_id.in_(some))):
            found.setdefault(row.document_id, []).append(NotTaken(*row[1:]))
    return found


def below(concept_id: str, roots: Collection[str], hierarchy: Hierarchy | None) -> bool:
    """Whether a concept is below one of these, by whichever path."""
    if not roots or hierarchy is None or concept_id not in hierarchy:
        return False
    return not hierarchy.ancestors(concept_id).isdisjoint(roots)
