"""Recording what a person decides, so that nothing is lost and nothing is written twice.

The protocol, from the browser's side:

1. A tab has one client id (a random UUID) and one sequence 1, 2, 3 … over all its documents.
2. Every operation is put into the tab's queue under its sequence, and stays there until settled.
3. Each message carries the whole queue of a document: `record(…, operations=queue)`.
4. `Receipt.settled` lists the sequences to drop. What is in neither list, or anything after an
   error, stays in the queue and is sent again: `record` stores a number once, however often
   and in whatever order it comes.
5. `Receipt.refused` holds what can never be stored, each with a sentence to show. Code "number
   taken" means that two tabs share a client id: queue it again under a new client id.

When `record` returns, its operations are on the disk (`database.py` says how firmly).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, func, insert, select, update

from core.review import ledger
from core.review.operations import (
    TAKEN,
    Operation,
    Receipt,
    Refusal,
    is_name,
    read_operations,
)
from core.review.tables import (
    decision,
    decision_event,
    document,
    person,
    prediction_run,
    suggestion,
)

if TYPE_CHECKING:
    from core.review.store import Store

__all__ = [
    "Decision",
    "Operation",
    "Receipt",
    "Refusal",
    "acknowledged",
    "current",
    "last_sequence",
    "rebuild",
    "record",
]

BAD_CLIENT = "The browser gave no usable name for itself; reload the page."
# In the order of `ledger.Event`.
EVENT_COLUMNS = (
    decision_event.c.event_id,
    decision_event.c.client_id,
    decision_event.c.sequence,
    decision_event.c.person_id,
    decision_event.c.action,
    decision_event.c.concept_id,
    decision_event.c.group_id,
    decision_event.c.undone_event_id,
)
MAX_OPERATIONS = 1000  # read from one message; the rest stays in the queue and comes again


@dataclass(frozen=True, slots=True)
class Decision:
    """What holds now for one concept of one document.

    Attributes:
        state: "accepted" or "rejected".
        added: found by search rather than suggested.
        probability: as the person saw it; None, with `rank`, where it was not suggested.
        source: the suggester, or None.
    """

    concept_id: str
    state: str
    added: bool
    probability: float | None
    rank: int | None
    source: str | None
    person: str
    decided_at: datetime


def record(
    store: Store,
    *,
    document_id: str,
    person_id: int,
    client_id: str,
    operations: Iterable[object],
    known: Container[str] | None = None,
    run_id: int | None = None,
) -> Receipt:
    """Store what is new of these operations, in one transaction, and say what became of each.

    Args:
        operations: `Operation`s or the browser's mappings, all of this document.
        known: concept ids of the vocabulary (a `Hierarchy` will do); None checks only the form.
        run_id: the prediction run that the page shows; the document's latest where None.
    Raises:
        StoreError: nothing of this call was stored; the browser sends it again.
    """
    sent = list(islice(operations, MAX_OPERATIONS))
    wanted, refused = read_operations(sent, known=known)
    if not is_name(client_id):
        return Receipt((), (*refused, *_refuse(wanted, "malformed", BAD_CLIENT)))
    with store.write() as connection:
        if not _lock_document(connection, document_id):
            reason = f"There is no document {document_id[:60]!r}; the decision was not stored."
            return Receipt((), (*refused, *_refuse(wanted, "unknown document", reason)))
        sitting = _Sitting(connection, document_id, person_id, client_id)
        stored, taken = sitting.store(wanted, run_id=run_id)
    return Receipt(tuple(stored), (*refused, *taken))


def acknowledged(store: Store, client_id: str) -> int:
    """The highest sequence up to which everything of this client is stored; 0 for none.

    A refused operation leaves a gap here, so use `Receipt.settled` to empty a queue.
    """
    event, following = decision_event.alias(), decision_event.alias()
    followed = (
        select(following.c.event_id)
        .where(following.c.client_id == client_id, following.c.sequence == event.c.sequence + 1)
        .exists()
    )
    own = event.c.client_id == client_id
    with store.read() as connection:
        if connection.scalar(select(func.min(event.c.sequence)).where(own)) != 1:
            return 0
        return int(connection.scalar(select(func.min(event.c.sequence)).where(own, ~followed)) or 0)


def last_sequence(store: Store, client_id: str) -> int:
    """The highest sequence stored of this client, from which a reloaded tab counts on; 0 for none."""
    query = select(func.max(decision_event.c.sequence)).where(
        decision_event.c.client_id == client_id
    )
    with store.read() as connection:
        return int(connection.scalar(query) or 0)


def current(store: Store, document_id: str) -> dict[str, Decision]:
    """The decisions that hold now on a document, by concept id, in the order they were made."""
    query = (
        select(
            decision.c.concept_id,
            decision.c.state,
            decision.c.added,
            decision_event.c.probability,
            decision_event.c.rank,
            decision_event.c.source,
            person.c.name,
            decision_event.c.decided_at,
        )
        .join(decision_event, decision_event.c.event_id == decision.c.event_id)
        .join(person, person.c.person_id == decision_event.c.person_id)
        .where(decision.c.document_id == document_id)
        .order_by(decision.c.event_id)
    )
    with store.read() as connection:
        return {row.concept_id: Decision(*row) for row in connection.execute(query)}


def rebuild(store: Store) -> None:
    """Derive the current decisions of every document again from the events alone."""
    with store.write() as connection:
        connection.execute(delete(decision))
        for document_id in connection.scalars(
            select(decision_event.c.document_id).distinct()
        ).all():
            _derive(connection, document_id, _events(connection, document_id))


class _Sitting:
    """One call of `record`: a person at a document, inside one transaction."""

    def __init__(
        self, connection: Connection, document_id: str, person_id: int, client_id: str
    ) -> None:
        self.connection = connection
        self.document_id = document_id
        self.person_id = person_id
        self.client_id = client_id
        self.events = _events(connection, document_id)
        self.now = datetime.now(UTC)

    def store(
        self, operations: Sequence[Operation], *, run_id: int | None
    ) -> tuple[list[int], list[Refusal]]:
        """Append what is new; returns the sequences that are stored, and what was taken."""
        earlier = self._earlier(operations)
        fresh = [operation for operation in operations if operation.sequence not in earlier]
        taken = [
            operation
            for operation in operations
            if earlier.get(operation.sequence, self._identity(operation))
            != self._identity(operation)
        ]
        if fresh:
            self._append(fresh, run_id)
        lost = {operation.sequence for operation in taken}
        stored = [item.sequence for item in operations if item.sequence not in lost]
        return stored, _refuse(taken, "number taken", TAKEN)

    def _earlier(self, operations: Sequence[Operation]) -> dict[int, tuple[object, ...]]:
        """What this client stored before under these numbers."""
        event = decision_event.c
        query = select(
            event.sequence, event.document_id, event.action, event.concept_id, event.group_id
        ).where(
            event.client_id == self.client_id,
            event.sequence.in_([operation.sequence for operation in operations]),
        )
        return {row.sequence: tuple(row[1:]) for row in self.connection.execute(query)}

    def _identity(self, operation: Operation) -> tuple[object, ...]:
        """What makes a repeated number the same operation rather than a clash."""
        concept_id = operation.concept_id or None
        return self.document_id, operation.action, concept_id, operation.group

    def _append(self, fresh: Sequence[Operation], run_id: int | None) -> None:
        """Write the new events, and bring the current decisions up to date."""
        run_id, seen = self._seen(fresh, run_id)
        for operation in fresh:
            self._append_one(operation, run_id, seen.get(operation.concept_id, {}))
        _derive(self.connection, self.document_id, self.events)
        self.connection.execute(
            update(document)
            .where(document.c.document_id == self.document_id)
            .values(updated_at=self.now)
        )

    def _append_one(
        self, operation: Operation, run_id: int | None, seen: dict[str, object]
    ) -> None:
        """Write one event, and remember it for the ones behind it."""
        target = self._target(operation)
        values = {
            "client_id": self.client_id,
            "sequence": operation.sequence,
            "group_id": operation.group,
            "document_id": self.document_id,
            "person_id": self.person_id,
            "action": operation.action,
            "concept_id": operation.concept_id or None,
            "decided_at": self.now,
            "run_id": run_id,
            "undone_event_id": target.event_id if target else None,
        }
        written = insert(decision_event).values(values | seen).returning(*EVENT_COLUMNS)
        self.events.append(ledger.Event(*self.connection.execute(written).one()))

    def _target(self, operation: Operation) -> ledger.Event | None:
        """What an undo takes back; None, and the undo is stored all the same, where nothing is."""
        if operation.action != "undo":
            return None
        return ledger.last_own(
            self.events,
            person_id=self.person_id,
            client_id=self.client_id,
            before=operation.sequence,
        )

    def _seen(
        self, operations: Sequence[Operation], run_id: int | None
    ) -> tuple[int | None, dict[str, dict[str, object]]]:
        """The run that was shown, and what it said of these concepts."""
        runs = select(func.max(prediction_run.c.run_id)).where(
            prediction_run.c.document_id == self.document_id
        )
        chosen = None
        if run_id is not None:
            chosen = self.connection.scalar(runs.where(prediction_run.c.run_id == run_id))
        chosen = self.connection.scalar(runs) if chosen is None else chosen
        columns = suggestion.c
        query = select(columns.concept_id, columns.probability, columns.rank, columns.source).where(
            columns.run_id == chosen,
            columns.concept_id.in_({operation.concept_id for operation in operations}),
        )
        rows = self.connection.execute(query).mappings()
        return chosen, {
            row["concept_id"]: {key: row[key] for key in ("probability", "rank", "source")}
            for row in rows
        }


def _refuse(operations: Iterable[Operation], code: str, reason: str) -> list[Refusal]:
    return [Refusal(operation.sequence, code, reason) for operation in operations]


def _lock_document(connection: Connection, document_id: str) -> bool:
    """Whether the document is here; on a database with row locks, it is ours until the commit."""
    query = select(document.c.document_id).where(document.c.document_id == document_id)
    return connection.scalar(query.with_for_update()) is not None


def _events(connection: Connection, document_id: str) -> list[ledger.Event]:
    """All events of a document."""
    query = select(*EVENT_COLUMNS).where(decision_event.c.document_id == document_id)
    return [ledger.Event(*row) for row in connection.execute(query)]


def _derive(connection: Connection, document_id: str, events: Sequence[ledger.Event]) -> None:
    """Make the rows of `decision` say what the events say; only what differs is written."""
    here = decision.c.document_id == document_id
    query = select(decision.c.concept_id, decision.c.event_id).where(here)
    written = {row.concept_id: row.event_id for row in connection.execute(query)}
    wanted = ledger.in_force(events)
    stale = [c for c, e in written.items() if c not in wanted or wanted[c].event_id != e]
    if stale:
        connection.execute(delete(decision).where(here, decision.c.concept_id.in_(stale)))
    rows = [
        {
            "document_id": document_id,
            "concept_id": concept_id,
            "event_id": event.event_id,
            "state": ledger.STATES[event.action],
            "added": event.action == "add",
        }
        for concept_id, event in wanted.items()
        if written.get(concept_id) != event.event_id
    ]
    if rows:
        connection.execute(insert(decision), rows)
