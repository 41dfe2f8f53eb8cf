"""What holds on a document, what its page showed, and what was left untouched at the finish.

All inside a transaction that the store opened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, and_, bindparam, func, select

from core.review.decisions.operations import Operation
from core.review.store.people import SHOWN_NAME
from core.review.store.rules import RuleHistory
from core.review.store.tables import (
    decision,
    decision_event,
    document,
    given_concept,
    in_groups,
    person,
    prediction_run,
    suggestion,
)
from core.vocabulary.concepts import Hierarchy

ACCEPTED, EXCLUDED, OPEN = "accepted", "excluded", "open"
GIVEN = "given"


@dataclass(frozen=True, slots=True)
class Decision:
    """What holds now for one concept of one document.

    Attributes:
        state: "accepted", "rejected", "excluded" (with all that is below it) or "open" (a category
            whose code is still to be found).
        added: accepted without having been suggested.
        main: a main topic of the document.
        action: what brought the state about, such as "back_off".
        probability: as the person saw it; None, with `rank`, where it was not suggested.
        source: the suggester, "given", or where an added concept was found; or None.
        present: on admission: "Y", "N", "U", "W", or "" while nobody said so.
        performed_on: the day of a procedure.
        place: of an accepted concept among those of its document, from 1 on; None for the others.
        cited: places of the text that a person attached as evidence, such as "10-25 40-52".
        person_id, shown: who decided, and what others see of them.
    """

    concept_id: str
    state: str
    added: bool
    main: bool
    action: str
    probability: float | None
    rank: int | None
    source: str | None
    person: str
    decided_at: datetime
    present: str = ""
    performed_on: date | None = None
    place: int | None = None
    cited: str = ""
    person_id: int | None = None
    shown: str = ""

    def facts(self) -> dict[str, Any]:
        """Return it as the browser reads it, without who decided."""
        return {
            "state": self.state,
            "added": self.added,
            "main": self.main,
            "backed_off": self.action == "back_off",
            "present": self.present,
            "performed_on": str(self.performed_on or ""),
            "place": self.place,
            "cited": self.cited,
        }


def accepted_in_order(decisions: Mapping[str, Decision]) -> list[Decision]:
    """Return the accepted ones of a document in the order of its codes."""
    accepted = (row for row in decisions.values() if row.state == ACCEPTED)
    return sorted(accepted, key=lambda row: row.place or 0)


DECIDED = (
    select(
        decision.c.concept_id,
        decision.c.state,
        decision.c.added,
        decision.c.main,
        decision_event.c.action,
        decision_event.c.probability,
        decision_event.c.rank,
        decision_event.c.source,
        person.c.name,
        decision_event.c.decided_at,
        decision.c.present,
        decision.c.performed_on,
        decision.c.place,
        decision.c.cited,
        decision_event.c.person_id,
        SHOWN_NAME,
    )
    .join(decision_event, decision_event.c.event_id == decision.c.event_id)
    .join(person, person.c.person_id == decision_event.c.person_id)
    .where(decision.c.document_id == bindparam("here"))
    .order_by(decision.c.event_id)
)


def decided(connection: Connection, document_id: str) -> dict[str, Decision]:
    """Return the decisions that hold on a document, by concept id, in the order they were made."""
    rows: Iterable[Any] = connection.execute(DECIDED, {"here": document_id})
    decisions = [
        replace(Decision(*row), present=row.present or "", cited=row.cited or "") for row in rows
    ]
    places = places_of({row.concept_id: row.place for row in decisions if row.state == ACCEPTED})
    return {row.concept_id: replace(row, place=places.get(row.concept_id)) for row in decisions}


def places_of(ordered: dict[str, int | None]) -> dict[str, int]:
    """Return the places of accepted concepts, 1, 2, 3 …: those that no order names come last.

    Args:
        ordered: their places in the order in force, in the order in which they were accepted.
    """
    last = len(ordered) + max((place or 0 for place in ordered.values()), default=0)
    in_order = sorted(ordered, key=lambda concept_id: ordered[concept_id] or last)
    return {concept_id: place for place, concept_id in enumerate(in_order, start=1)}


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


def untouched(
    connection: Connection, finish_ids: Sequence[int], hierarchy: Hierarchy | None = None
) -> dict[str, list[NotTaken]]:
    """Return, for each finished document, the suggestions that were shown and are not decided.

    What the text denies waits for nobody, and so is none of them; nor is what a rule of the project
    hid on that day, unless it came with the document, which shows it all the same.

    Args:
        finish_ids: the events that finished the documents.
        hierarchy: with it, rules hold for what is below their concepts.
    """
    by_document: dict[str, list[NotTaken]] = {}
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
        .where(columns.denied == "")
        .order_by(decision_event.c.document_id, columns.rank, columns.concept_id)
    )
    for some in in_groups(finish_ids):
        for row in connection.execute(query.where(decision_event.c.event_id.in_(some))):
            by_document.setdefault(row.document_id, []).append(NotTaken(*row[1:]))
    shown = {i: [one.concept_id for one in some] for i, some in by_document.items()}
    for document_id, hidden in hidden_by_rules(connection, finish_ids, shown, hierarchy).items():
        left = [one for one in by_document[document_id] if one.concept_id not in hidden]
        by_document[document_id] = left
    return {document_id: left for document_id, left in by_document.items() if left}


def hidden_by_rules(
    connection: Connection,
    finish_ids: Sequence[int],
    suggested: Mapping[str, Collection[str]],
    hierarchy: Hierarchy | None,
) -> dict[str, set[str]]:
    """Return by document which of its suggested concepts a rule hid when it was finished."""
    query = select(document.c.document_id, document.c.project_id, decision_event.c.decided_at).join(
        decision_event, decision_event.c.document_id == document.c.document_id
    )
    finishes: list[Any] = []
    for some in in_groups(finish_ids):
        finishes += connection.execute(query.where(decision_event.c.event_id.in_(some)))
    history = RuleHistory(connection, {row.project_id for row in finishes})
    hidden: dict[str, set[str]] = {}
    for row in finishes if history else ():
        rules = history.at(row.project_id, row.decided_at)
        concept_ids = suggested.get(row.document_id, ())
        if found := {one for one in concept_ids if rules.hides(one, hierarchy)}:
            hidden[row.document_id] = found
    brought = select(given_concept.c.document_id, given_concept.c.concept_id)
    for ids in in_groups(list(hidden)):
        for row in connection.execute(brought.where(given_concept.c.document_id.in_(ids))):
            hidden[row.document_id].discard(row.concept_id)
    return hidden


def below(concept_id: str, roots: Collection[str], hierarchy: Hierarchy | None) -> bool:
    """Whether a concept is below one of these, by whichever path."""
    if not roots or hierarchy is None or concept_id not in hierarchy:
        return False
    return not hierarchy.ancestors(concept_id).isdisjoint(roots)


HERE: BindParameter[str] = bindparam("here")
THESE: BindParameter[str] = bindparam("these", expanding=True)
LATEST_RUN = select(func.max(prediction_run.c.run_id)).where(prediction_run.c.document_id == HERE)
SUGGESTED = select(
    suggestion.c.concept_id, suggestion.c.probability, suggestion.c.rank, suggestion.c.source
).where(suggestion.c.run_id == bindparam("run"), suggestion.c.concept_id.in_(THESE))
GIVEN_THERE = select(given_concept.c.concept_id).where(
    given_concept.c.document_id == HERE, given_concept.c.concept_id.in_(THESE)
)


class SeenSuggestions:
    """The latest prediction run of a document, and its suggestions of the decided concepts."""

    def __init__(
        self, connection: Connection, document_id: str, operations: Sequence[Operation]
    ) -> None:
        self.connection = connection
        self.document_id = document_id
        self.run_id: int | None = connection.scalar(LATEST_RUN, {"here": document_id})
        concept_ids = {operation.concept_id for operation in operations if operation.concept_id}
        self._suggested = self._suggestions(concept_ids)
        self._given = self._given_of(concept_ids - self._suggested.keys())

    def of(self, operation: Operation) -> dict[str, object]:
        """Return the columns `run_id`, `probability`, `rank` and `source` of an event."""
        seen = self._suggested.get(operation.concept_id, {})
        stated_source = operation.source if operation.action == "add" else None
        given = GIVEN if operation.concept_id in self._given else None
        source = stated_source or seen.get("source") or given or operation.source
        return {"run_id": self.run_id, "source": source, "probability": None, "rank": None} | {
            name: seen[name] for name in ("probability", "rank") if seen
        }

    def _suggestions(self, concept_ids: set[str]) -> dict[str, dict[str, object]]:
        if self.run_id is None or not concept_ids:
            return {}
        values = {"run": self.run_id, "these": list(concept_ids)}
        rows = self.connection.execute(SUGGESTED, values).mappings()
        return {row["concept_id"]: dict(row) for row in rows}

    def _given_of(self, concept_ids: set[str]) -> frozenset[str]:
        if not concept_ids:
            return frozenset()
        values = {"here": self.document_id, "these": list(concept_ids)}
        return frozenset(self.connection.scalars(GIVEN_THERE, values))
