"""Recording what a person decides, so that nothing is lost and nothing is written twice.

The protocol, from the browser's side:

1. A page has a random client id for each document, which begins with the name of its browser and a
   colon, and counts 1, 2, 3 … under it. An undo stays within what its browser decided.
2. Every operation is put into the tab's queue under its sequence, and stays there until settled.
3. Each message carries the whole queue of a document: `record(…, operations=queue)`.
4. `Receipt.settled` lists the sequences to drop. What is in neither list, or anything after an
   error, stays in the queue and is sent again: `record` stores a number once, however often
   and in whatever order it comes.
5. `Receipt.refused` holds what can never be stored, each with a sentence to show. Code "number
   taken" means that another decision came first under this client id and number.

When `record` returns, its operations are on the disk (`database.py` says how firmly).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from sqlalchemy import Connection, select

from core.review.decisions.decided import Decision, NotTaken, below, decided, untouched
from core.review.decisions.derivation import turns_of
from core.review.decisions.limits import MayFinish, limits_of
from core.review.decisions.operations import (
    Operation,
    Receipt,
    Refusal,
    Undone,
    is_name,
    read_operations,
)
from core.review.decisions.undo import lock_person
from core.review.decisions.writer import DecisionWriter, lock, refuse, why_stays
from core.review.store.database import lock_decisions
from core.review.store.rules import Rules
from core.review.store.store import Store
from core.review.store.tables import decision, document, in_groups
from core.vocabulary.concepts import Hierarchy

__all__ = [
    "Decision",
    "NotTaken",
    "Operation",
    "Receipt",
    "Refusal",
    "Undone",
    "current",
    "not_taken",
    "record",
    "version",
    "versions",
]

BAD_CLIENT = "The browser gave no usable name for itself; reload the page."
MAX_OPERATIONS = 1000  # read from one message; the rest stays in the queue and comes again


def record(
    store: Store,
    *,
    document_id: str,
    person_id: int,
    client_id: str,
    operations: Iterable[object],
    concept_ids: Container[str] | None = None,
    vocabulary: Hierarchy | None = None,
    rules: Rules | None = None,
    may_finish: MayFinish | None = None,
    may_review: bool = False,
    approves_own: bool = True,
    only_first: bool = False,
) -> Receipt:
    """Store what is new of these operations, all or none, and return what became of each.

    Args:
        operations: `Operation`s or the browser's mappings, all of this document.
        concept_ids: concept ids of the vocabulary (a `Hierarchy` will do); None checks only the form.
        vocabulary: of the document; its rules hold for what it has, also where `concept_ids` is None.
        rules: which branches are never assigned; needs a `Hierarchy` as `concept_ids` to know what is
            below them.
        may_finish: is called before a finish is stored.
        may_review: whether the person approves and sends back, and reopens what is approved.
        approves_own: whether the person approves an outcome that they adjudicated, too.
        only_first: whether nothing is stored, nor refused, where anything was decided here before.
    Raises:
        StoreError: nothing of this call was stored; the browser sends it again.
    """
    sent = list(islice(operations, MAX_OPERATIONS))
    wanted, refused = read_operations(sent, concept_ids=concept_ids)
    if not is_name(client_id):
        return Receipt((), (*refused, *refuse(wanted, "malformed", BAD_CLIENT)))
    limits = limits_of(
        wanted, concept_ids=concept_ids, vocabulary=vocabulary, rules=rules, may_finish=may_finish
    )
    limits = replace(limits, may_review=may_review, approves_own=approves_own)

    def store_new(connection: Connection) -> Receipt:
        lock_decisions(connection)
        if any(operation.action == "undo" for operation in wanted):
            lock_person(connection, person_id)
        locked = lock(connection, document_id)
        if locked is None:
            reason = f"There is no document {document_id[:60]!r}; the decision was not stored."
            return Receipt((), tuple(refuse(wanted, "unknown document", reason)))
        if only_first and locked.version:
            return Receipt((), ())
        writer = DecisionWriter(
            connection,
            document_id,
            person_id,
            client_id,
            is_finished=locked.finished_at is not None,
            stays=why_stays(locked),
            limits=limits,
        )
        return writer.store(wanted)

    receipt = store.shared.write(store_new)
    return Receipt(receipt.stored, (*refused, *receipt.refused), receipt.undone)


def current(store: Store, document_id: str) -> dict[str, Decision]:
    """Return the decisions that hold now on a document, by concept id, as they were made."""
    with store.read() as connection:
        return decided(connection, document_id)


def version(store: Store, document_id: str) -> int:
    """Return a number that grows with every event that touches the document; 0 without any."""
    query = select(document.c.version).where(document.c.document_id == document_id)
    with store.read() as connection:
        return connection.scalar(query) or 0


def versions(store: Store, document_ids: Sequence[str]) -> dict[str, int]:
    """Return the versions of the existing documents among these."""
    versions_of: dict[str, int] = {}
    with store.read() as connection:
        for some in in_groups(document_ids):
            query = select(document.c.document_id, document.c.version)
            rows = connection.execute(query.where(document.c.document_id.in_(some)))
            versions_of |= {row.document_id: row.version for row in rows}
    return versions_of


def not_taken(store: Store, document_id: str, hierarchy: Hierarchy | None = None) -> list[NotTaken]:
    """Return suggestions that were shown and left undecided when the document was finished.

    Args:
        hierarchy: with it, what is below an excluded concept counts as decided, and what is below
            one that is never assigned was not shown.
    Returns:
        By rank; nothing for a document that is not finished.
    """
    with store.read() as connection:
        finish = turns_of(connection, document_id).finish
        if finish is None:
            return []
        untaken = untouched(connection, [finish.event_id], hierarchy).get(document_id, [])
        query = select(decision.c.concept_id).where(
            decision.c.document_id == document_id, decision.c.state == "excluded"
        )
        roots = frozenset(connection.scalars(query))
    return [
        suggestion for suggestion in untaken if not below(suggestion.concept_id, roots, hierarchy)
    ]
