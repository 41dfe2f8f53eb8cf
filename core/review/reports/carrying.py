"""How many documents carry each concept: accepted itself, or something below it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from sqlalchemy import select

from core.review.store.store import Store
from core.review.store.tables import decision, document
from core.vocabulary.concepts import Hierarchy


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
    query = (
        select(decision.c.document_id, decision.c.concept_id)
        .join(document, document.c.document_id == decision.c.document_id)
        .where(document.c.project_id == project_id, document.c.removed_at.is_(None))
        .where(decision.c.state == "accepted")
    )
    accepted: dict[str, list[str]] = defaultdict(list)
    with store.read() as connection:
        for document_id, concept_id in connection.execute(query):
            accepted[document_id].append(concept_id)
    itself: Counter[str] = Counter()
    branch: Counter[str] = Counter()
    for concept_ids in accepted.values():
        itself.update(concept_ids)
        branch.update(hierarchy.augment(i for i in concept_ids if i in hierarchy))
    return Carrying(itself, branch)
