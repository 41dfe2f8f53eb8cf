"""What learning from decisions brings in a project: the suggestions that people saw, beside those
that the model alone would have made for the same documents.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from core import metrics
from core.review.decisions.decided import ACCEPTED
from core.review.reports.finished import last_finished
from core.review.store.store import Store
from core.review.store.tables import decision, prediction_run, suggestion

Values = npt.NDArray[np.float64]

LAST = 200
"""Documents that are looked at, the last that were finished."""
K = 5
SURE = 0.01
"""So improbable must it be that learning is as good as none before it is called worse."""
FEWEST = 50
LEAST_AGREEMENT = 0.5
LEAST = 0.01


@dataclass(frozen=True, slots=True)
class LearningEffect:
    """What learning has brought for the last finished documents.

    Attributes:
        n_documents: with something assigned, for which it took part.
        right, right_without: of the first five suggestions, on average.
        expected: of those of the model alone, as its probabilities have it.
        gain: of nDCG@5, mean and interval.
    """

    n_documents: int
    right: float
    right_without: float
    expected: float
    gain: metrics.BootstrapResult

    @property
    def is_worse(self) -> bool:
        """Whether suggestions are significantly worse with learning."""
        enough = self.n_documents >= FEWEST and self.right < self.right_without
        return enough and self.gain.high < 0 and self.gain.p_value < SURE

    @property
    def is_contradicted(self) -> bool:
        """Whether decisions have little to do with what the model finds, and learning is no help.

        Where they are made at random, both orders are wrong alike, and neither is worse.
        """
        enough = self.n_documents >= FEWEST and not self.is_better
        return enough and self.right_without < self.expected * LEAST_AGREEMENT

    @property
    def is_better(self) -> bool:
        """Whether they are better, by more than chance."""
        return self.gain.low > 0


class JudgedOrder(NamedTuple):
    """What was assigned to a document, and the first suggestions for it, best first.

    Attributes:
        expected: how many of those of the model alone are right, as its probabilities have it.
    """

    assigned: Sequence[str]
    learned: Sequence[str]
    alone: Sequence[str]
    expected: float = 0.0


def learning_effect(store: Store, project_id: int, *, since: str = "") -> LearningEffect | None:
    """Return what learning has brought; None where it took part in no finished document.

    Args:
        since: documents that were read before this moment, in ISO 8601, do not count.
    """
    with store.read() as connection:
        judged = [
            effect
            for document_id in last_finished(connection, project_id, LAST)
            if (effect := judged_order(connection, document_id, since)) is not None
        ]
    return effect_of(judged) if judged else None


def effect_of(judged: Sequence[JudgedOrder]) -> LearningEffect:
    """Compare both orders by what was assigned."""
    gold = [row.assigned for row in judged]
    ndcg, right = judge_orders(gold, [row.learned for row in judged])
    ndcg_alone, right_alone = judge_orders(gold, [row.alone for row in judged])
    return LearningEffect(
        n_documents=len(judged),
        right=K * metrics.mean_defined(right),
        right_without=K * metrics.mean_defined(right_alone),
        expected=float(np.mean([row.expected for row in judged])),
        gain=metrics.paired_bootstrap(ndcg, ndcg_alone, n_resamples=2_000),
    )


def judge_orders(
    gold: Sequence[Sequence[Hashable]], orders: Sequence[Sequence[Hashable]]
) -> tuple[Values, Values]:
    """Return nDCG@5 and precision@5 of the first suggestions for documents, (n_documents,) each.

    Args:
        orders: at most five of each document, best first.
    """
    column: dict[Hashable, int] = {}
    for concept in chain.from_iterable((*gold, *orders)):
        column.setdefault(concept, len(column))
    truth = np.zeros((len(gold), len(column) + K), dtype=np.float32)
    scores = np.zeros_like(truth)
    scores[:, -K:] = LEAST  # where fewer are suggested, nothing else comes up in their place
    for row, (assigned, order) in enumerate(zip(gold, orders, strict=True)):
        truth[row, [column[concept] for concept in assigned]] = 1
        scores[row, [column[concept] for concept in order]] = 1 / np.arange(1, len(order) + 1)
    return metrics.ndcg_at_k(truth, scores, K), metrics.precision_at_k(truth, scores, K)


def judged_order(connection: Connection, document_id: str, since: str = "") -> JudgedOrder | None:
    """Return a document to which something was assigned, where what was learned took part in its
    suggestions; None of others.
    """
    newest = (
        select(
            prediction_run.c.run_id,
            prediction_run.c.created_at,
            prediction_run.c.settings,
            prediction_run.c.model_probability,
        )
        .where(prediction_run.c.document_id == document_id)
        .order_by(prediction_run.c.run_id.desc())
        .limit(1)
    )
    run = connection.execute(newest).first()
    if run is None or not run.model_probability or run.created_at.isoformat() < since:
        return None
    if str(run.settings.get("learned", "0-")).startswith("0-"):
        return None
    accepted = select(decision.c.concept_id).where(
        decision.c.document_id == document_id, decision.c.state == ACCEPTED
    )
    first = (
        select(suggestion.c.concept_id)
        .where(suggestion.c.run_id == run.run_id, suggestion.c.rank <= K)
        .order_by(suggestion.c.rank)
    )
    assigned = list(connection.scalars(accepted))
    if not assigned:
        return None
    alone = sorted(run.model_probability.items(), key=lambda item: -item[1])[:K]
    expected = sum(probability for _, probability in alone)
    return JudgedOrder(assigned, list(connection.scalars(first)), [i for i, _ in alone], expected)
