"""What is decided on documents, in a few queries.

Each function takes the ids of at most a group of `in_groups`, and returns by document id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, and_, select

from core.review.decisions import ledger
from core.review.decisions.decided import untouched
from core.review.decisions.derivation import turns_of_several
from core.review.store.proposed_terms import ProposedTerm
from core.review.store.tables import (
    decision,
    decision_event,
    given_concept,
    person,
    prediction_run,
    proposed_term,
    suggestion,
)
from core.vocabulary.concepts import Hierarchy

T = TypeVar("T")

ACCEPTED, REJECTED, EXCLUDED = "accepted", "rejected", "excluded"
NOT_TAKEN, GIVEN = "not taken", "given"
EXPLICIT = (ACCEPTED, REJECTED, EXCLUDED)


@dataclass(frozen=True, slots=True)
class ExportedDecision:
    """A concept of a document, and what was decided on it.

    Attributes:
        decision: one of `EXPLICIT`, NOT_TAKEN, or GIVEN.
        uri, notation, label: as they were shown; None where it was not suggested.
        person, decided_at: who, and when in UTC; of a suggestion that was not taken, who finished the
            document and when; None of what came with it.
        present: on admission: "Y", "N", "U", "W", or None while nobody said so.
        performed_on: the day of a procedure.
        place: of an accepted concept among those of its document, from 1 on.
        cited: places of the text that a person attached as evidence.
        added: accepted without having been on the page as a suggestion.
    """

    concept_id: str
    decision: str
    main: bool = False
    probability: float | None = None
    rank: int | None = None
    source: str | None = None
    person: str | None = None
    decided_at: datetime | None = None
    bundle_hash: str | None = None
    vocabulary_version: str | None = None
    uri: str | None = None
    notation: str | None = None
    label: str | None = None
    present: str | None = None
    performed_on: date | None = None
    place: int | None = None
    added: bool = False
    cited: str | None = None


@dataclass(frozen=True, slots=True)
class SignOff:
    """Who has finished a document, and approved it or sent it back, and when; "" where nobody has."""

    finished_by: str = ""
    reviewed_by: str = ""
    reviewed_at: datetime | None = None


NO_SIGN_OFF = SignOff()


def decided(connection: Connection, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
    """Return every explicit decision on these documents, in the order they were made."""
    shown = and_(
        suggestion.c.run_id == decision_event.c.run_id,
        suggestion.c.concept_id == decision.c.concept_id,
    )
    query = (
        select(
            decision.c.document_id,
            decision.c.concept_id,
            decision.c.state,
            decision.c.main,
            decision_event.c.probability,
            decision_event.c.rank,
            decision_event.c.source,
            person.c.name,
            decision_event.c.decided_at,
            prediction_run.c.bundle_hash,
            prediction_run.c.vocabulary_version,
            suggestion.c.uri,
            suggestion.c.notation,
            suggestion.c.pref_label,
            decision.c.present,
            decision.c.performed_on,
            decision.c.place,
            decision.c.added,
            decision.c.cited,
        )
        .join(decision_event, decision_event.c.event_id == decision.c.event_id)
        .join(person, person.c.person_id == decision_event.c.person_id)
        .outerjoin(prediction_run, prediction_run.c.run_id == decision_event.c.run_id)
        .outerjoin(suggestion, shown)
        .where(decision.c.document_id.in_(ids), decision.c.state.in_(EXPLICIT))
        .order_by(decision.c.document_id, decision.c.event_id)
    )
    return _by_document(connection, query, ExportedDecision)


def sign_offs(connection: Connection, ids: Sequence[str]) -> dict[str, SignOff]:
    """Return who has finished and judged these documents, of those that somebody has."""
    names = {row.person_id: row.name for row in connection.execute(select(person))}

    def name_of(event: ledger.Event | None) -> str:
        return names[event.person_id] if event else ""

    def sign_off(turns: ledger.Turns) -> SignOff:
        review = turns.approval or turns.sent_back
        return SignOff(
            name_of(turns.finish), name_of(review), review.decided_at if review else None
        )

    turned = turns_of_several(connection, ids)
    return {document_id: sign_off(turns) for document_id, turns in turned.items()}


def not_taken(
    connection: Connection, ids: Sequence[str], hierarchy: Hierarchy | None = None
) -> dict[str, list[ExportedDecision]]:
    """Return the shown and untaken suggestions of the finished documents among these."""
    finishes = {
        document_id: turns.finish.event_id
        for document_id, turns in turns_of_several(connection, ids).items()
        if turns.finish is not None
    }
    finish_ids = list(finishes.values())
    origins = _origins(connection, finish_ids)
    return {
        document_id: [
            ExportedDecision(
                shown.concept_id,
                NOT_TAKEN,
                False,
                shown.probability,
                shown.rank,
                shown.source,
                *origins[finishes[document_id]],
                shown.uri,
                shown.notation,
                shown.pref_label,
            )
            for shown in suggestions
        ]
        for document_id, suggestions in untouched(connection, finish_ids, hierarchy).items()
    }


def _origins(
    connection: Connection, event_ids: Sequence[int]
) -> Mapping[int, tuple[str, datetime, str | None, str | None]]:
    query = (
        select(decision_event.c.event_id, person.c.name, decision_event.c.decided_at)
        .add_columns(prediction_run.c.bundle_hash, prediction_run.c.vocabulary_version)
        .join(person, person.c.person_id == decision_event.c.person_id)
        .outerjoin(prediction_run, prediction_run.c.run_id == decision_event.c.run_id)
        .where(decision_event.c.event_id.in_(event_ids))
    )
    rows: Iterable[Any] = connection.execute(query)
    return {event_id: tuple(origin) for event_id, *origin in rows}


def given(connection: Connection, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
    """Return the concepts that came with these documents, in their order."""
    query = (
        select(given_concept.c.document_id, given_concept.c.concept_id)
        .where(given_concept.c.document_id.in_(ids))
        .order_by(given_concept.c.document_id, given_concept.c.position)
    )
    return _by_document(
        connection, query, lambda concept_id: ExportedDecision(concept_id, GIVEN, source=GIVEN)
    )


def proposed_terms(connection: Connection, ids: Sequence[str]) -> dict[str, list[ProposedTerm]]:
    """Return the terms that people missed on these documents, oldest first."""
    columns = proposed_term.c
    query = (
        select(columns.document_id, columns.term_id, columns.document_id.label("again"))
        .add_columns(columns.text, columns.note, person.c.name, columns.created_at)
        .join(person, person.c.person_id == columns.person_id)
        .where(columns.document_id.in_(ids), columns.withdrawn_at.is_(None))
        .order_by(columns.term_id)
    )
    return _by_document(connection, query, ProposedTerm)


def _by_document(
    connection: Connection, query: Select[Any], make: Callable[..., T]
) -> dict[str, list[T]]:
    """Group what is made of each row, without its first column, by that column."""
    grouped: dict[str, list[T]] = {}
    rows: Iterable[Any] = connection.execute(query)
    for document_id, *values in rows:
        grouped.setdefault(document_id, []).append(make(*values))
    return grouped
