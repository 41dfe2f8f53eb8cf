"""Which branches of the vocabulary were accepted and rejected most, over many documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import func, select

from core.review.store.store import Store
from core.review.store.tables import decision, document
from core.vocabulary.concepts import Hierarchy

ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class Branch:
    """What was decided at and below a concept.

    Attributes:
        n_accepted, n_rejected: decisions, a concept of two documents counting twice; a branch that
            was excluded on a document counts as one that was rejected.
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
    """Branches with decisions on documents that are on the list, those with most first.

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
    found = [Branch(one, accepted[one], rejected[one]) for one in {**accepted, **rejected}]
    return sorted(found, key=lambda one: (-one.n_decided, one.concept_id))


def _decided(store: Store, project_id: int, batch: str | None) -> list[tuple[str, str, int]]:
    """Concept, state, and on how many documents."""
    query = (
        select(decision.c.concept_id, decision.c.state, func.count())
        .join(document, document.c.document_id == decision.c.document_id)
        .where(document.c.project_id == project_id, document.c.removed_at.is_(None))
        .group_by(decision.c.concept_id, decision.c.state)
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
