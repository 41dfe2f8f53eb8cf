"""One call of `record`: a person at a document, inside one transaction of the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, func, insert, select, update

from core.review import ledger
from core.review.operations import TAKEN, Operation, Refusal
from core.review.tables import decision, decision_event, document, prediction_run, suggestion

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


class Sitting:
    """What a client sends of a document, written behind what is there already."""

    def __init__(
        self, connection: Connection, document_id: str, person_id: int, client_id: str
    ) -> None:
        self.connection = connection
        self.document_id = document_id
        self.person_id = person_id
        self.client_id = client_id
        self.events = events_of(connection, document_id)
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
        return stored, refuse(taken, "number taken", TAKEN)

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
        derive(self.connection, self.document_id, self.events)
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


def refuse(operations: Iterable[Operation], code: str, reason: str) -> list[Refusal]:
    """The same refusal for each of these operations."""
    return [Refusal(operation.sequence, code, reason) for operation in operations]


def lock_document(connection: Connection, document_id: str) -> bool:
    """Whether the document is here; on a database with row locks, it is ours until the commit."""
    query = select(document.c.document_id).where(document.c.document_id == document_id)
    return connection.scalar(query.with_for_update()) is not None


def events_of(connection: Connection, document_id: str) -> list[ledger.Event]:
    """All events of a document."""
    query = select(*EVENT_COLUMNS).where(decision_event.c.document_id == document_id)
    return [ledger.Event(*row) for row in connection.execute(query)]


def derive(connection: Connection, document_id: str, events: Sequence[ledger.Event]) -> None:
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
