"""What became of the vocabulary's concepts in a project: by concept, by branch, by document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Select, case, func, select

from core.review.decisions.decided import OPEN
from core.review.listed import COUNTED
from core.review.store.store import Store
from core.review.store.tables import decision, decision_event, document, in_groups
from core.vocabulary.concepts import Hierarchy

ROWS_AT_ONCE = 5_000
ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class DecidedDocument:
    """A document with a decision on a concept."""

    document_id: str
    title: str
    state: str
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """What became of a concept in a project, on documents that are on the list.

    Attributes:
        documents: the newest decisions first, as many as were asked for.
    """

    n_accepted: int
    n_rejected: int
    documents: tuple[DecidedDocument, ...]


def usage(store: Store, project_id: int, concept_id: str, limit: int = 20) -> Usage:
    """Count how often a concept was accepted and rejected, and return where it was last."""
    newest = _documents(project_id).where(decision.c.concept_id == concept_id)
    ordered = newest.order_by(decision.c.event_id.desc()).limit(limit)
    counted = _counted(project_id).where(decision.c.concept_id == concept_id)
    with store.read() as connection:
        row: Any = connection.execute(counted).one()
        documents = tuple(DecidedDocument(*columns[1:]) for columns in connection.execute(ordered))
    return Usage(row.n_accepted or 0, row.n_rejected or 0, documents)


def touched(
    store: Store, project_id: int, concept_ids: Iterable[str]
) -> dict[str, list[DecidedDocument]]:
    """Return the documents with a decision on each of these concepts; nothing for those without."""
    by_concept: dict[str, list[DecidedDocument]] = {}
    wanted = sorted(set(concept_ids))
    ordered = _documents(project_id).order_by(decision.c.concept_id, decision.c.event_id)
    with store.read() as connection:
        for some in in_groups(wanted):
            for row in connection.execute(ordered.where(decision.c.concept_id.in_(some))):
                by_concept.setdefault(row.concept_id, []).append(DecidedDocument(*row[1:]))
    return by_concept


def _documents(project_id: int) -> Select[Any]:
    """Concept id and the columns of `DecidedDocument`, for every decision of a project."""
    columns = select(
        decision.c.concept_id,
        decision.c.document_id,
        document.c.title,
        decision.c.state,
        decision_event.c.decided_at,
    )
    return listed(columns, project_id).join(
        decision_event, decision_event.c.event_id == decision.c.event_id
    )


def _counted(project_id: int) -> Select[Any]:
    counts = select(
        func.sum(case((decision.c.state == ACCEPTED, 1), else_=0)).label("n_accepted"),
        func.sum(case((decision.c.state == "rejected", 1), else_=0)).label("n_rejected"),
    )
    return listed(counts, project_id)


@dataclass(frozen=True, slots=True)
class Branch:
    """What was decided at and below a concept.

    Attributes:
        n_accepted, n_rejected: decisions, a concept of two documents counting twice; a branch that
            was excluded on a document counts as one that was rejected, what is open as neither.
    """

    concept_id: str
    n_accepted: int
    n_rejected: int

    @property
    def n_decided(self) -> int:
        """Both together."""
        return self.n_accepted + self.n_rejected


def busiest_branches(
    store: Store,
    project_id: int,
    *,
    hierarchy: Hierarchy,
    level: int = 1,
    batch: str | None = None,
) -> list[Branch]:
    """Return branches with decisions on listed documents, those with most first.

    Args:
        level: 1 for the top concepts, 2 for those below them; a concept that stands in several
            branches counts in each.
        batch: only documents of this upload; None for all.
    """
    accepted: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    for concept_id, state, number in _decided(store, project_id, batch):
        counter = accepted if state == ACCEPTED else rejected
        for branch in _branches(concept_id, hierarchy, level):
            counter[branch] += number
    branches = [Branch(top, accepted[top], rejected[top]) for top in {**accepted, **rejected}]
    return sorted(branches, key=lambda branch: (-branch.n_decided, branch.concept_id))


def _decided(store: Store, project_id: int, batch: str | None) -> list[tuple[str, str, int]]:
    numbers = select(decision.c.concept_id, decision.c.state, func.count())
    query = listed(numbers.where(decision.c.state != OPEN), project_id).group_by(
        decision.c.concept_id, decision.c.state
    )
    if batch is not None:
        query = query.where(document.c.batch == batch)
    with store.read() as connection:
        return [(row[0], row[1], row[2]) for row in connection.execute(query)]


def _branches(concept_id: str, hierarchy: Hierarchy, level: int) -> Iterable[str]:
    """The concepts of a level, counted along each path, that a concept is or stands below."""
    if concept_id not in hierarchy:
        return ()
    return {path[level - 1] for path in hierarchy.paths(concept_id) if len(path) >= level}


@dataclass(frozen=True, slots=True)
class Carrying:
    """Numbers of documents of a project, by concept id; those that are not there are 0.

    Attributes:
        itself: documents on which the concept was accepted.
        branch: documents on which it or anything below it was; each counts once.
    """

    itself: Counter[str]
    branch: Counter[str]


def carrying(store: Store, project_id: int, hierarchy: Hierarchy) -> Carrying:
    """Count over all documents of a project that are on the list."""
    decided = select(decision.c.document_id, decision.c.concept_id)
    query = listed(decided, project_id).where(decision.c.state == ACCEPTED)
    ordered = query.order_by(decision.c.document_id).execution_options(yield_per=ROWS_AT_ONCE)
    itself: Counter[str] = Counter()
    branch: Counter[str] = Counter()
    with store.read() as connection:
        rows: Iterable[Any] = connection.execute(ordered)
        for _, theirs in groupby(rows, key=itemgetter(0)):  # a document at a time in memory
            concept_ids = [concept_id for _, concept_id in theirs]
            itself.update(concept_ids)
            branch.update(hierarchy.augment(i for i in concept_ids if i in hierarchy))
    return Carrying(itself, branch)


def listed(query: Select[Any], project_id: int) -> Select[Any]:
    """Return the query over decisions, on documents that are on the list of a project."""
    return query.join(document, document.c.document_id == decision.c.document_id).where(
        document.c.project_id == project_id, COUNTED
    )
