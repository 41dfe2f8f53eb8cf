"""Writes what a person decides on a document, inside one transaction of the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select

from core.review.annotations.access import ALL_FINISHED, BEING_ANNOTATED, ERASED, OWN_OUTCOME
from core.review.decisions import ledger, undo
from core.review.decisions.decided import SeenSuggestions, decided
from core.review.decisions.derivation import (
    derive_concepts,
    derive_document,
    derive_places,
    turns_of,
)
from core.review.decisions.limits import Limits
from core.review.decisions.operations import (
    FOUND_BY_WORDS,
    SIMILAR,
    TAKEN,
    Operation,
    Receipt,
    Refusal,
)
from core.review.listed import ANNOTATION, STANDS, WAITING_IDS
from core.review.people.assignments import hand_over
from core.review.people.comments import write_entry
from core.review.store.tables import decision, decision_event, document

FINISHED = "This document is finished; reopen it to change something. It was not stored."
ANNOTATED_SINCE = (
    "Your last action was in a document that two people have annotated since; it stays, until who may "
    "adjudicate reopens the document."
)
ELSEWHERE = "Your last action was in another document. {0}"
NOT_FINISHED = "This document is not finished, so there is nothing to reopen."
UNFINISHED = "Only a finished document is approved or sent back."
APPROVED = "This document is approved; only who may review reopens it. It was not stored."
APPROVED_ALREADY = "This document is approved already."
NO_REVIEW = "Only who may review approves documents or sends them back. It was not stored."
STAYS = "It was decided here meanwhile, and stays so: nothing was taken from similar documents."
NOT_ACCEPTED = "Only an accepted concept can be a main topic; the mark was not stored."
NO_CODE = "Only an accepted code can have a mark, a day or evidence; it was not stored."
ON_ACCEPTED = {"mark": NOT_ACCEPTED, "present": NO_CODE, "performed": NO_CODE, "cite": NO_CODE}
STORED_BEHIND = select(
    decision_event.c.sequence,
    decision_event.c.position,
    decision_event.c.document_id,
    decision_event.c.action,
    decision_event.c.concept_id,
    decision_event.c.group_id,
    decision_event.c.value,
).where(
    decision_event.c.client_id == bindparam("client"),
    decision_event.c.sequence >= bindparam("first"),
)
LAST_EVENT = select(func.max(decision_event.c.event_id))
STATE = select(decision.c.state).where(
    decision.c.document_id == bindparam("here"), decision.c.concept_id == bindparam("concept")
)
ANNOTATED_AT = select(func.max(ANNOTATION.c.finished_at)).where(
    ANNOTATION.c.annotation_of == bindparam("here"), STANDS
)
APPEND = insert(decision_event).returning(decision_event.c.event_id)
IS_WAITING = (
    WAITING_IDS.where(
        ANNOTATION.c.annotation_of
        == func.coalesce(document.c.annotation_of, document.c.document_id)
    )
    .correlate(document)
    .exists()
    .label("is_waiting")
)
LOCK = (
    select(document.c.document_id, document.c.finished_at, document.c.annotation_of)
    .add_columns(document.c.erased_at, document.c.version, IS_WAITING)
    .where(document.c.document_id == bindparam("here"))
    .with_for_update(key_share=True)
)


class DecisionWriter:
    """Writes the operations that a client sends for a document, after those that are stored.

    Args:
        is_finished: whether the document is, before this call.
        stays: why nothing changes in it any more, or now; "" where it may.
        limits: what is refused.
    """

    def __init__(
        self,
        connection: Connection,
        document_id: str,
        person_id: int,
        client_id: str,
        *,
        is_finished: bool = False,
        stays: str = "",
        limits: Limits | None = None,
    ) -> None:
        self.connection = connection
        self.document_id = document_id
        self.person_id = person_id
        self.client_id = client_id
        self.is_finished = is_finished
        self.stays = stays
        self.limits = limits or Limits()
        self.now = datetime.now(UTC)
        self.undecided: dict[str, set[str]] = {}  # by document, concepts to derive again
        self.versions: dict[str, int] = {}  # by document, the last event that touched it
        self.reordered: set[str] = set()  # documents whose codes may stand in another order
        self.turned: set[str] = set()  # documents that may have been finished, reopened or judged
        self.behind: list[Row[Any]] = []  # what this client stored from the first number sent on
        self.next_id = 0
        self.turns = ledger.Turns()
        self.shown: SeenSuggestions | None = None

    def store(self, operations: Sequence[Operation]) -> Receipt:
        """Append what is new, and return what became of each."""
        self.behind = self._stored_behind(operations)
        earlier = {
            row.sequence: _identity(
                row.document_id, row.action, row.concept_id, row.group_id, row.value
            )
            for row in self.behind
        }
        fresh = [operation for operation in operations if operation.sequence not in earlier]
        taken = [
            operation
            for operation in operations
            if earlier.get(operation.sequence, self._identity(operation))
            != self._identity(operation)
        ]
        refused = refuse(taken, "number taken", TAKEN)
        if fresh:
            refused += self._append_all(fresh)
        lost = {refusal.sequence for refusal in refused}
        stored = [operation for operation in operations if operation.sequence not in lost]
        undo_numbers = [operation.sequence for operation in stored if operation.action == "undo"]
        undone = undo.undone_by(self.connection, self.client_id, undo_numbers)
        return Receipt(tuple(operation.sequence for operation in stored), tuple(refused), undone)

    def _stored_behind(self, operations: Sequence[Operation]) -> list[Row[Any]]:
        first = min((operation.sequence for operation in operations), default=0)
        values = {"client": self.client_id, "first": first}
        return list(self.connection.execute(STORED_BEHIND, values))

    def _identity(self, operation: Operation) -> tuple[object, ...]:
        concept_id = operation.concept_id or None
        ordered = isinstance(operation.value, tuple)
        value = list(operation.value or ()) if ordered else operation.value
        return _identity(self.document_id, operation.action, concept_id, operation.group, value)

    def _append_all(self, fresh: Sequence[Operation]) -> list[Refusal]:
        self.next_id = (self.connection.scalar(LAST_EVENT) or 0) + 1
        if self.is_finished:
            self.turns = turns_of(self.connection, self.document_id)
        self.shown = SeenSuggestions(self.connection, self.document_id, fresh)
        refusals = [self._take(operation) for operation in fresh]
        self._derive()
        for document_id, version in self.versions.items():
            turned = document_id in self.turned
            derive_document(
                self.connection, document_id, version=version, now=self.now, turned=turned
            )
        return [refusal for refusal in refusals if refusal is not None]

    def _take(self, operation: Operation) -> Refusal | None:
        order = self._order(operation.sequence)
        if operation.action == "undo":
            return self._undo(operation, order)
        if self.stays:
            return Refusal(operation.sequence, "finished", self.stays)
        problem = self._obstacle(operation, order)
        if problem is not None:
            return problem
        event_id = self._append(operation, order)
        if operation.action == "send_back" and self.turns.finish is not None:
            finisher = self.turns.finish.person_id
            hand_over(self.connection, self.document_id, finisher, self.person_id)
            note = str(operation.value or "")
            write_entry(self.connection, self.document_id, note, self.person_id)
        self._touch(self.document_id, event_id, [operation.concept_id])
        if operation.group and order[0] < event_id:
            undo.take_back_late(self.connection, event_id)
        self._turn(self.document_id, [operation.action])
        return None

    def _obstacle(self, operation: Operation, order: ledger.Order) -> Refusal | None:
        sequence, action = operation.sequence, operation.action
        finished = _is_before(self.turns.finish, order)
        if action in ledger.TURNS - {"finish"}:
            return self._unturned(operation, order, finished=finished)
        if finished:
            return Refusal(sequence, "finished", FINISHED)
        problem = self.limits.refusal(operation)
        if problem is not None:
            return problem
        if operation.source == SIMILAR and self._state(operation.concept_id) is not None:
            return Refusal(sequence, "decided", STAYS)
        if action in ON_ACCEPTED and self._state(operation.concept_id) != "accepted":
            return Refusal(sequence, "not accepted", ON_ACCEPTED[action])
        return self._unfinished(sequence) if action == "finish" else None

    def _unturned(
        self, operation: Operation, order: ledger.Order, *, finished: bool
    ) -> Refusal | None:
        """Why a document is not reopened or judged; None where it is."""
        number, is_judged = operation.sequence, operation.action in ledger.JUDGING
        if is_judged and not self.limits.may_review:
            return Refusal(number, "no right", NO_REVIEW)
        if not finished:
            return Refusal(number, "not finished", UNFINISHED if is_judged else NOT_FINISHED)
        if _is_before(self.turns.approval, order):
            if operation.action == "approve":
                return Refusal(number, "approved", APPROVED_ALREADY)
            return None if self.limits.may_review else Refusal(number, "approved", APPROVED)
        is_own = operation.action == "approve" and self._is_own_outcome()
        return Refusal(number, "own outcome", OWN_OUTCOME) if is_own else None

    def _is_own_outcome(self) -> bool:
        """Whether the person has adjudicated the document, and somebody else is to approve it."""
        finish = self.turns.finish
        if self.limits.approves_own or finish is None or finish.person_id != self.person_id:
            return False
        annotated_at = self.connection.scalar(ANNOTATED_AT, {"here": self.document_id})
        return annotated_at is not None and annotated_at <= finish.decided_at

    def _unfinished(self, sequence: int) -> Refusal | None:
        if self.limits.may_finish is None:
            return None
        self._derive()
        reason = self.limits.may_finish(decided(self.connection, self.document_id))
        return Refusal(sequence, "not allowed", reason) if reason else None

    def _state(self, concept_id: str) -> str | None:
        self._derive()
        values = {"here": self.document_id, "concept": concept_id}
        state: str | None = self.connection.scalar(STATE, values)
        return state

    def _undo(self, operation: Operation, order: ledger.Order) -> Refusal | None:
        """Take the last action of one's own back; where there is none, the undo is stored anyway."""
        target = undo.last_own(self.connection, self.person_id, self.document_id, order)
        if target is None:
            self._touch(self.document_id, self._append(operation, order), [])
            return None
        locked = lock(self.connection, target.document_id)
        if locked is not None and (sentence := why_stays(locked)):
            is_here = target.document_id == self.document_id
            reason = sentence if is_here else ELSEWHERE.format(sentence)
            return Refusal(operation.sequence, "finished", reason)
        if self._is_annotated_since(target):
            return Refusal(operation.sequence, "finished", ANNOTATED_SINCE)
        turns = turns_of(self.connection, target.document_id)
        if turns.approval is not None and target.order < turns.approval.order:
            return Refusal(operation.sequence, "approved", APPROVED)
        sentence = ""
        if turns.finish is not None and target.order < turns.finish.order:
            sentence = undo.FINISHED_SINCE
        elif target.action in ledger.OPENING and undo.is_decided_since(self.connection, target):
            sentence = undo.DECIDED_SINCE  # or it would be finished, even approved, with that
        if sentence:
            here = target.document_id
            reason = undo.refusal(self.connection, sentence, here, self.person_id)
            return Refusal(operation.sequence, "finished", reason)
        undo_id = self._append(operation, order, undone_event_id=target.event_id)
        back = undo.take_back(self.connection, target, order, undo_id)
        self._touch(self.document_id, undo_id, [])
        self._touch(target.document_id, undo_id, [event.concept_id or "" for event in back])
        self._turn(target.document_id, [event.action for event in back])
        return None

    def _is_annotated_since(self, target: ledger.Event) -> bool:
        """Whether it was decided before others annotated the document: that is no outcome of theirs."""
        moment = self.connection.scalar(ANNOTATED_AT, {"here": target.document_id})
        return moment is not None and target.decided_at < moment

    def _append(
        self, operation: Operation, order: ledger.Order, *, undone_event_id: int | None = None
    ) -> int:
        seen = self.shown.of(operation) if self.shown else {}  # what the page said of the concept
        values = {
            "client_id": self.client_id,
            "sequence": operation.sequence,
            "position": order[0],
            "group_id": operation.group,
            "document_id": self.document_id,
            "person_id": self.person_id,
            "action": operation.action,
            "concept_id": operation.concept_id or None,
            "decided_at": self.now,
            "shown": operation.shown,
            "undone_event_id": undone_event_id,
            "value": operation.value,
        }
        event_id: int = self.connection.execute(APPEND, values | seen).scalar_one()
        self.next_id = event_id + 1
        return event_id

    def _order(self, sequence: int) -> ledger.Order:
        """The place of a new operation: behind all, or before this client's first later one."""
        later = (row.position for row in self.behind if row.sequence > sequence)
        return min(later, default=self.next_id), self.client_id, sequence

    def _touch(self, document_id: str, event_id: int, concept_ids: Iterable[str]) -> None:
        self.versions[document_id] = event_id
        self.undecided.setdefault(document_id, set()).update(filter(None, concept_ids))

    def _turn(self, document_id: str, actions: Sequence[str]) -> None:
        """Look again whether a document is finished, and how ordered, where these may say so."""
        if "order" in actions:
            self.reordered.add(document_id)
        if ledger.TURNS.isdisjoint(actions):
            return
        self.turned.add(document_id)
        if document_id == self.document_id:
            self.turns = turns_of(self.connection, document_id)

    def _derive(self) -> None:
        for document_id, concept_ids in self.undecided.items():
            derive_concepts(self.connection, document_id, concept_ids)
        self.undecided.clear()
        for document_id in self.reordered:
            derive_places(self.connection, document_id)
        self.reordered.clear()


def _is_before(event: ledger.Event | None, order: ledger.Order) -> bool:
    return event is not None and event.order < order


def refuse(operations: Iterable[Operation], code: str, reason: str) -> list[Refusal]:
    """Return the same refusal for each of these operations."""
    return [Refusal(operation.sequence, code, reason) for operation in operations]


def lock(connection: Connection, document_id: str) -> Row[Any, Any, Any] | None:
    """Return what says whether a document takes decisions, or None, and lock its row.

    On a database with row locks, it is ours until the commit.
    """
    return connection.execute(LOCK, {"here": document_id}).first()


def why_stays(locked: Row[Any, Any, Any]) -> str:
    """Return why nobody changes what was decided on a document that was locked; "" where they may."""
    if locked.erased_at is not None:
        return ERASED
    if locked.annotation_of is None:
        return BEING_ANNOTATED if locked.is_waiting else ""
    return "" if locked.is_waiting else ALL_FINISHED


def _identity(
    document_id: str, action: str, concept_id: str | None, group: str | None, value: object
) -> tuple[object, ...]:
    """Return what makes a repeated number the same operation rather than a clash.

    What was typed to find a concept is no part of it: a browser that starts again has forgotten it.
    """
    counted_value = None if action in FOUND_BY_WORDS else value
    return document_id, action, concept_id, group, counted_value
