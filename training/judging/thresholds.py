"""From which score on a descriptor counts as predicted, and how good the predictions are then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core import metrics
from core.vocabulary.labels import LabelSpace
from training.judging.scores import Matrix

CONSIDERED_PER_DOCUMENT = 30
"""Best scores of each document among which a threshold is looked for; acts have 7 descriptors."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """Gold and predicted descriptors of every document, in all columns of the label space."""

    gold: sp.csr_matrix
    predicted: sp.csr_matrix
    closure: sp.csr_matrix

    @classmethod
    def of(
        cls,
        matrix: Matrix,
        assigned: Sequence[Sequence[str]],
        label_space: LabelSpace,
        threshold: float,
    ) -> Predictions:
        """Cut the scores of the assigned head, shape (n_documents, n_columns), at a threshold."""
        gold = label_space.encode(assigned, augmented=False)
        chosen = (matrix >= matrix.dtype.type(threshold)) & label_space.assignable
        closure = metrics.ancestor_closure(label_space.broader_pairs, len(label_space))
        return cls(gold, sp.csr_matrix(chosen), closure)

    def measures(self, mask: npt.NDArray[np.bool_]) -> dict[str, float]:
        """Micro, macro and hierarchical F1 of some documents, counted over them together."""
        if not mask.any():
            return dict.fromkeys(("micro_f1", "macro_f1", *HIERARCHICAL), float("nan"))
        gold, predicted = self.gold[mask], self.predicted[mask]
        measured = {
            "micro_f1": metrics.micro_f1(gold, predicted),
            "macro_f1": metrics.macro_f1(gold, predicted),
        }
        for name, measure in HIERARCHICAL.items():
            measured[name] = measure(gold, predicted, self.closure)
        return measured


HIERARCHICAL = {
    "hierarchical_precision": metrics.hierarchical_precision,
    "hierarchical_recall": metrics.hierarchical_recall,
    "hierarchical_f1": metrics.hierarchical_f1,
}


def tune_threshold(
    matrix: Matrix, assigned: Sequence[Sequence[str]], label_space: LabelSpace
) -> float:
    """The score that cuts best by micro F1; tune it on dev, and judge elsewhere.

    Args:
        matrix: scores of the assigned head, shape (n_documents, n_columns).
    Returns:
        One threshold for all descriptors: a descriptor counts from this score on.
    """
    offered = np.where(label_space.assignable, matrix.astype(np.float32), -np.inf)
    columns = metrics.top_columns(offered, min(CONSIDERED_PER_DOCUMENT, offered.shape[1]))
    gold = label_space.encode(assigned, augmented=False)
    rows = np.arange(len(offered))[:, None]
    hits = np.asarray(gold.toarray()[rows, columns]).ravel()
    best_first = offered[rows, columns].ravel()
    order = np.argsort(-best_first, kind="stable")
    return _best_cut(best_first[order], hits[order], n_gold=int(gold.nnz))


def _best_cut(scores: npt.NDArray[np.float32], hits: npt.NDArray[np.float32], n_gold: int) -> float:
    """The score after which cutting a descending list gives the best F1; equal scores stay together."""
    n_predicted = np.arange(1, len(scores) + 1)
    f1 = 2 * np.cumsum(hits) / (n_predicted + n_gold)
    may_cut = np.append(scores[1:] < scores[:-1], True)
    return float(scores[np.argmax(np.where(may_cut, f1, -1.0))])
