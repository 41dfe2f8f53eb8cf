"""Documents of which two annotations are asked for, or one again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import combinations
from random import Random
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

from core.errors import StoreError
from core.review.audit.log import AuditKind
from core.review.decisions import ledger
from core.review.decisions.derivation import (
    derive_concepts,
    derive_document,
    derive_places,
    events,
    standing,
)
from core.review.decisions.undo import COPY
from core.review.decisions.writer import APPEND, LAST_EVENT
from core.review.listed import ANNOTATED_IDS, ON_LIST
from core.review.people.accounts import note_account
from core.review.store.database import lock_decisions
from core.review.store.store import Store
from core.review.store.tables import (
    ID_LENGTH,
    assignment,
    decision_event,
    document,
    given_concept,
    in_groups,
    prediction_run,
    stay,
    suggestion,
)

LONGEST_NUMBER = 4
TWO = "Two annotations take two people; name another one."


def drawn_share(document_ids: Collection[str], percent: float, *, seed: int) -> list[str]:
    """Draw a share of documents at random, one at least; the same seed draws the same ones."""
    ids = sorted(document_ids)
    number = min(len(ids), max(1, round(len(ids) * percent / 100)))
    return Random(seed).sample(ids, number)


def ask_twice(
    store: Store,
    project_id: int,
    document_ids: Iterable[str],
    person_ids: Sequence[int],
    *,
    asked_by: int,
    due_on: date | None = None,
) -> list[str]:
    """Have each document annotated by two of these people, in pairs that take turns.

    What one person has finished alone is the first annotation, by whoever it was; it stays on the
    document until somebody adjudicates.

    Returns:
        The documents that were left out: those on which somebody has begun, or several people have
        decided, those that are annotated twice already, were erased, or are not on the list.
    Raises:
        StoreError: these are fewer than two people.
    """
    if len(set(person_ids)) < 2:
        raise StoreError(TWO)
    turns, left_out = _Turns(sorted(set(person_ids))), []
    people: list[tuple[str, int]] = []
    asked = {"assigned_by": asked_by, "due_on": due_on, "assigned_at": datetime.now(UTC)}
    with store.write(alone=True) as connection:
        lock_decisions(connection)
        for document_id in document_ids:
            row = _usable(connection, project_id, document_id)
            done = _decided(connection, document_id)
            if row is None or (done and not _is_of_one(done, row)):
                left_out.append(document_id)
                continue
            first = done[0].person_id if done else None
            here = assignment.c.document_id == document_id
            connection.execute(delete(assignment).where(here))
            for annotator_id in turns.next(first):
                copied = done if annotator_id == first else []
                _add(connection, row, annotator_id, copied, asked)
                people.append((document_id, annotator_id))
        _note(store, connection, AuditKind.ASKED, project_id, people)
    return left_out


def ask_once(
    store: Store, project_id: int, document_ids: Iterable[str], *, withdraws: bool = False
) -> list[str]:
    """Give up the annotations of documents that are not begun; return the documents with begun ones.

    Args:
        withdraws: give up begun ones as well, unless all are finished: what was decided there stays in
            the ledger under its people, and counts nowhere.
    """
    begun: list[str] = []
    people: list[tuple[str, int]] = []
    with store.write(alone=True) as connection:
        lock_decisions(connection)
        for document_id in document_ids:
            rows = _standing(connection, document_id)
            decided = select(decision_event.c.event_id).where(
                decision_event.c.document_id.in_([row["document_id"] for row in rows]),
                decision_event.c.client_id.not_like(f"{COPY}%"),
            )
            is_done = all(row["finished_at"] is not None for row in rows)
            stays = is_done or not withdraws
            if stays and connection.scalar(decided.limit(1)) is not None:
                begun.append(document_id)
                continue
            people += [_give_up(connection, row) for row in rows]
        _note(store, connection, AuditKind.TAKEN_BACK, project_id, people)
    return begun


def hand_over(
    store: Store,
    project_id: int,
    document_ids: Iterable[str],
    person_id: int,
    *,
    asked_by: int,
    former: int | None = None,
) -> list[str]:
    """Have another person make annotations that are not finished, who makes no other of them.

    They begin anew, each with an annotation of their own: what was decided on the former one stays in
    the ledger under its person, and counts nowhere.

    Args:
        former: whose annotations; None for such on which nobody has decided, of two the first.

    Returns:
        The documents of which none could be handed over.
    """
    left: list[str] = []
    given: list[tuple[str, int]] = []
    with store.write(alone=True) as connection:
        lock_decisions(connection)
        for document_id in document_ids:
            rows = _standing(connection, document_id)
            theirs = [row for row in rows if _may_go(row, former)]
            original = _original(connection, project_id, document_id)
            if not theirs or original is None or person_id in {row["annotator_id"] for row in rows}:
                left.append(document_id)
                continue
            asked = _asked(connection, theirs[0]["document_id"])
            given.append(_give_up(connection, theirs[0]))
            _add(connection, original, person_id, [], asked | {"assigned_by": asked_by})
        _note(store, connection, AuditKind.TAKEN_BACK, project_id, given)
        new = [(document_id, person_id) for document_id, _ in given]
        _note(store, connection, AuditKind.ASKED, project_id, new)
    return left


def _standing(connection: Connection, document_id: str) -> list[RowMapping]:
    """The annotations of a document that were not given up, in the order in which they were asked for."""
    here = document.c.annotation_of == document_id, document.c.removed_at.is_(None)
    query = select(document).where(*here).order_by(document.c.document_id)
    return list(connection.execute(query).mappings())


def _may_go(row: RowMapping, former: int | None) -> bool:
    if row["finished_at"] is not None:
        return False
    return not row["version"] if former is None else row["annotator_id"] == former


def _asked(connection: Connection, row_id: str) -> dict[str, Any]:
    """Until when an annotation was asked for, for another one in its place."""
    due = select(assignment.c.due_on).where(assignment.c.document_id == row_id)
    return {"due_on": connection.scalar(due), "assigned_at": datetime.now(UTC)}


def _give_up(connection: Connection, row: RowMapping) -> tuple[str, int]:
    """Take an annotation from its annotator; return of which document it was, and whose."""
    row_id = row["document_id"]
    connection.execute(delete(assignment).where(assignment.c.document_id == row_id))
    gone = update(document).where(document.c.document_id == row_id)
    connection.execute(gone.values(removed_at=datetime.now(UTC)))
    return row["annotation_of"], row["annotator_id"]


def _note(
    store: Store,
    connection: Connection,
    kind: AuditKind,
    project_id: int,
    people: Iterable[tuple[str, int]],
) -> None:
    """Note in the audit log whose annotation of which document was asked for, or taken back."""
    for document_id, person_id in people:
        about = {"project_id": project_id, "document_id": document_id}
        note_account(store, connection, kind, person_id, **about)


@dataclass(slots=True)
class _Turns:
    """Deals pairs out so that everybody has as many documents, and with everybody else."""

    person_ids: Sequence[int]
    load: Counter[int] = field(default_factory=Counter)
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter)

    def next(self, first: int | None) -> tuple[int, int]:
        """Return the next pair; of a document that one has annotated, with another person."""
        pairs = list(combinations(self.person_ids, 2))
        if first is not None:
            pairs = [(first, other) for other in self.person_ids if other != first]
        pair = min(pairs, key=lambda two: (sum(self.load[i] for i in two), self.pairs[two]))
        self.load.update(pair)
        self.pairs[pair] += 1
        return pair


def _usable(connection: Connection, project_id: int, document_id: str) -> RowMapping | None:
    not_yet = document.c.document_id.not_in(ANNOTATED_IDS), document.c.erased_at.is_(None)
    return _original(connection, project_id, document_id, *not_yet)


def _original(
    connection: Connection, project_id: int, document_id: str, *how: ColumnElement[bool]
) -> RowMapping | None:
    here = document.c.document_id == document_id, document.c.project_id == project_id
    return connection.execute(select(document).where(*here, ON_LIST, *how)).mappings().one_or_none()


def _decided(connection: Connection, document_id: str) -> list[ledger.Event]:
    """All that stands on a document, in its order, but for how others judged it."""
    event = decision_event.c
    others = ("undo", "approve", "send_back")
    stands = standing(event.document_id == document_id, event.action.not_in(others))
    return sorted(events(connection, stands), key=lambda event: event.order)


def _is_of_one(done: Sequence[ledger.Event], row: RowMapping) -> bool:
    return row["finished_at"] is not None and len({event.person_id for event in done}) == 1


def _add(
    connection: Connection,
    row: RowMapping,
    annotator_id: int,
    done: Sequence[ledger.Event],
    asked: dict[str, Any],
) -> None:
    """Write one annotation: the document without its text, its stay, concepts and suggestions."""
    document_id, new_id = row["document_id"], _free_id(connection, row["document_id"])
    own = {"document_id": new_id, "annotation_of": document_id, "annotator_id": annotator_id}
    # Without checksums, by which documents that arrive would be taken for it.
    own |= {"fingerprint": "", "text_fingerprint": "", "comment": ""}
    own |= {"finished_at": None, "approved_at": None, "sent_back_at": None, "version": 0}
    own |= {"updated_at": asked["assigned_at"]}
    connection.execute(insert(document).values(dict(row) | own))
    for table in (given_concept, stay):
        _copy(connection, table, document_id, document_id=new_id)
    run_ids = _copy_run(connection, document_id, new_id, done)
    if done:
        _copy_decisions(connection, new_id, done, run_ids)
    held = asked | {"document_id": new_id, "person_id": annotator_id}
    connection.execute(insert(assignment).values(held))


def _free_id(connection: Connection, document_id: str) -> str:
    stem, number = document_id[: ID_LENGTH - LONGEST_NUMBER], 1
    while True:
        new_id = f"{stem}~{number}"
        taken = select(document.c.document_id).where(document.c.document_id == new_id)
        if connection.scalar(taken) is None:
            return new_id
        number += 1


def _copy(connection: Connection, table: Any, where: Any, **changed: Any) -> None:
    """Copy the rows of a document, or of a run, with some columns changed."""
    (name,) = changed
    columns = [
        literal(changed[column.name], column.type) if column.name in changed else column
        for column in table.c
    ]
    query = select(*columns).where(table.c[name] == where)
    connection.execute(insert(table).from_select([column.name for column in table.c], query))


def _copy_run(
    connection: Connection, document_id: str, new_id: str, done: Sequence[ledger.Event]
) -> dict[int, int]:
    """Copy the suggestions of the finish, or else the newest: both people see the same ones.

    Returns:
        The new run by the one that was copied; nothing where no model has read the document.
    """
    finish = ledger.turns_in_force(done).finish
    at_finish = decision_event.c.event_id == (finish.event_id if finish else None)
    newest = select(func.max(prediction_run.c.run_id)).where(
        prediction_run.c.document_id == document_id
    )
    shown = connection.scalar(select(decision_event.c.run_id).where(at_finish))
    run_id = shown or connection.scalar(newest)
    if run_id is None:
        return {}
    query = select(prediction_run).where(prediction_run.c.run_id == run_id)
    row = dict(connection.execute(query).mappings().one()) | {"document_id": new_id}
    del row["run_id"]
    written = insert(prediction_run).values(row).returning(prediction_run.c.run_id)
    new_run: int = connection.execute(written).scalar_one()
    _copy(connection, suggestion, run_id, run_id=new_run)
    return {run_id: new_run}


def _copy_decisions(
    connection: Connection,
    new_id: str,
    done: Sequence[ledger.Event],
    run_ids: dict[int, int],
) -> None:
    """Write what stands on a document as the ledger of its first annotation, with its moments."""
    ids = [event.event_id for event in done]
    rows: dict[int, dict[str, Any]] = {}
    for some in in_groups(ids):
        query = select(decision_event).where(decision_event.c.event_id.in_(some))
        rows |= {row["event_id"]: dict(row) for row in connection.execute(query).mappings()}
    next_id = (connection.scalar(LAST_EVENT) or 0) + 1
    own = {"client_id": f"{COPY}{uuid4().hex}", "document_id": new_id, "group_id": None}
    for number, event_id in enumerate(ids, start=1):
        row = rows[event_id] | own | {"sequence": number, "position": next_id}
        row["run_id"] = run_ids.get(row["run_id"], row["run_id"])
        del row["event_id"]
        next_id = connection.execute(APPEND, row).scalar_one() + 1
    concept_ids = {event.concept_id for event in done if event.concept_id}
    derive_concepts(connection, new_id, concept_ids)
    derive_places(connection, new_id)
    now = datetime.now(UTC)
    derive_document(connection, new_id, version=next_id - 1, now=now, turned=True)
