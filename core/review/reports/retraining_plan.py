"""What a retraining would be made of, or why there can be none; the page and the program ask here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import select

from core.documents.document import Document
from core.review.decisions.decided import ACCEPTED
from core.review.reports.finished import finished_versions
from core.review.store.documents import select_document
from core.review.store.store import Store
from core.review.store.tables import decision, document

MOST = 10_000
"""Finished documents, the newest, which are learned from and judged by."""
FEWEST_FINISHED = 10
"""Of them, those with something assigned, without which nothing is retrained."""
FEWEST_JUDGED = 2
NO_ENCODER = "{name} has no model whose encoder could go on learning; leave out --encoder."
BEGINNINGS_ALONE = (
    "The encoder of this model reads the beginnings of documents alone, and is not trained on "
    "decisions; leave out --encoder."
)


@dataclass(frozen=True, slots=True)
class RetrainingPlan:
    """What a retraining would be made of.

    Attributes:
        n_usable: finished documents with something assigned.
        problem: why none can be made, as a sentence; "" where one can.
    """

    n_usable: int
    problem: str = ""


def retraining_plan(
    store: Store, project_id: int, *, is_known: Callable[[Document], bool] | None = None
) -> RetrainingPlan:
    """Return what a retraining of a project would be made of now.

    Args:
        is_known: whether what serves has learned from a document; None where it has from none.
    Raises:
        StoreError: the store cannot be read.
    """
    finished = finished_versions(store, project_id, at_most=MOST)
    with store.read() as connection:
        of_project = document.c.project_id == project_id, decision.c.state == ACCEPTED
        assigned = select(decision.c.document_id).join(document).where(*of_project).distinct()
        has_some = set(connection.scalars(assigned))
        usable = [document_id for document_id in finished if document_id in has_some]
        if is_known is None:
            return RetrainingPlan(len(usable), why_not(len(usable), len(usable)))
        # The newest come first, and are seldom known: texts are long.
        read = (select_document(connection, document_id) for document_id in usable)
        new = (document for document in read if not is_known(document))
        n_new = len(list(islice(new, FEWEST_JUDGED)))
    return RetrainingPlan(len(usable), why_not(len(usable), n_new))


def why_not(n_usable: int, n_new: int) -> str:
    """Return why there is nothing to retrain from; "" where there is.

    Args:
        n_usable: finished documents with something assigned.
        n_new: those of them that what serves has not learned from.
    """
    if n_usable < FEWEST_FINISHED:
        return (
            f"{n_usable} finished document{'' if n_usable == 1 else 's'} of this project "
            f"{'has' if n_usable == 1 else 'have'} a concept; retraining needs {FEWEST_FINISHED}."
        )
    if n_new < FEWEST_JUDGED:
        return (
            "What serves was retrained from these documents already; finish "
            f"{FEWEST_JUDGED} more, on which another model can be compared with it."
        )
    return ""


def why_no_encoder(manifest: Mapping[str, Any] | None, name: str) -> str:
    """Return why a model's encoder cannot go on learning; "" where it can.

    Args:
        manifest: of the model's bundle; None where the project has none.
        name: of the project.
    """
    if manifest is None or "guided" not in manifest["suggesters"]:
        return NO_ENCODER.format(name=name)
    reading = manifest["reading"]
    return BEGINNINGS_ALONE if reading.get("pair") or reading.get("first_only") else ""
