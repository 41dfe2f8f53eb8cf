"""The store at one moment: documents and everything that is decided on them, in a few queries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, and_, select

from core.clinical.stay import Stay
from core.review.decisions import ledger
from core.review.decisions.decided import untouched
from core.review.decisions.derivation import events, standing
from core.review.reports.summaries import (
    DocumentSummary,
    select_ids,
    select_summaries,
)
from core.review.store.documents import select_stays
from core.review.store.projects import Project, select_projects
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
        person, decided_at: of a suggestion that was not taken, who finished the document and when.
        present: on admission: "Y", "N", "U", "W", or None while nobody said so.
        performed_on: the day of a procedure.
        place: of an accepted concept among those of its document, from 1 on.
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


class Snapshot:
    """What the store holds at one moment, for as long as its connection is open.

    What takes documents takes at most a group of `in_groups`, and returns by document id.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def projects(self) -> list[Project]:
        """Return every project, the oldest first."""
        return select_projects(self._connection)

    def document_ids(
        self, project_id: int, *, batch: str | None, statuses: Collection[str]
    ) -> list[str]:
        """Return a project's documents by batch (None for all) and status, oldest first."""
        return select_ids(self._connection, project_id, batch=batch, statuses=statuses)

    def documents(self, project_id: int, ids: Sequence[str]) -> dict[str, DocumentSummary]:
        """Return the lines of these documents on the list of their project."""
        return select_summaries(self._connection, project_id, ids)

    def decided(self, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
        """Return every explicit decision on these documents, in the order they were made."""
        return _decided(self._connection, ids)

    def not_taken(self, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
        """Return what was shown and not taken on those of these documents that are finished."""
        return _left(self._connection, ids)

    def given(self, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
        """Return the concepts that came with these documents, in their order."""
        return _given(self._connection, ids)

    def stays(self, ids: Sequence[str]) -> dict[str, Stay]:
        """Return what is known of the stays of these documents."""
        return select_stays(self._connection, ids)

    def proposed_terms(self, ids: Sequence[str]) -> dict[str, list[ProposedTerm]]:
        """Return the terms that people missed on these documents, oldest first."""
        return _terms(self._connection, ids)


def _decided(connection: Connection, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
    """Every explicit decision on these documents."""
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
        )
        .join(decision_event, decision_event.c.event_id == decision.c.event_id)
        .join(person, person.c.person_id == decision_event.c.person_id)
        .outerjoin(prediction_run, prediction_run.c.run_id == decision_event.c.run_id)
        .outerjoin(suggestion, shown)
        .where(decision.c.document_id.in_(ids), decision.c.state.in_(EXPLICIT))
        .order_by(decision.c.document_id, decision.c.event_id)
    )
    return _by_document(connection, query, ExportedDecision)


def _left(connection: Connection, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
    """What was shown and not taken on those of these documents that are finished."""
    event = decision_event.c
    turns = standing(event.document_id.in_(ids), event.concept_id.is_(None))
    by_document: dict[str, list[ledger.Event]] = {}
    for turn in events(connection, turns):
        by_document.setdefault(turn.document_id, []).append(turn)
    found = (ledger.finish_in_force(theirs) for theirs in by_document.values())
    finishes = {finish.document_id: finish for finish in found if finish is not None}
    said = _said_of(connection, [finish.event_id for finish in finishes.values()])
    left = untouched(connection, [finish.event_id for finish in finishes.values()])
    return {
        document_id: [
            ExportedDecision(
                shown.concept_id,
                NOT_TAKEN,
                False,
                shown.probability,
                shown.rank,
                shown.source,
                *said[finishes[document_id].event_id],
                shown.uri,
                shown.notation,
                shown.pref_label,
            )
            for shown in theirs
        ]
        for document_id, theirs in left.items()
    }


def _said_of(
    connection: Connection, event_ids: Sequence[int]
) -> Mapping[int, tuple[str, datetime, str | None, str | None]]:
    """Person, moment, model and vocabulary version of events."""
    query = (
        select(decision_event.c.event_id, person.c.name, decision_event.c.decided_at)
        .add_columns(prediction_run.c.bundle_hash, prediction_run.c.vocabulary_version)
        .join(person, person.c.person_id == decision_event.c.person_id)
        .outerjoin(prediction_run, prediction_run.c.run_id == decision_event.c.run_id)
        .where(decision_event.c.event_id.in_(event_ids))
    )
    rows: Iterable[Any] = connection.execute(query)
    return {event_id: tuple(said) for event_id, *said in rows}


def _given(connection: Connection, ids: Sequence[str]) -> dict[str, list[ExportedDecision]]:
    """What came with these documents."""
    query = (
        select(given_concept.c.document_id, given_concept.c.concept_id)
        .where(given_concept.c.document_id.in_(ids))
        .order_by(given_concept.c.document_id, given_concept.c.position)
    )
    return _by_document(
        connection, query, lambda concept_id: ExportedDecision(concept_id, GIVEN, source=GIVEN)
    )


def _terms(connection: Connection, ids: Sequence[str]) -> dict[str, list[ProposedTerm]]:
    """The terms that people missed on these documents."""
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
    """What is made of each row after its first column, by the first column."""
    found: dict[str, list[T]] = {}
    rows: Iterable[Any] = connection.execute(query)
    for document_id, *values in rows:
        found.setdefault(document_id, []).append(make(*values))
    return found
