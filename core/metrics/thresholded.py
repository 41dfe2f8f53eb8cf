"""Precision, recall and F1 of predicted label sets: micro over all pairs, macro over labels.

Every function takes gold labels and scores of shape (n_documents, n_labels), and a threshold, one
for all labels or one a label; a label is predicted where its score is at least its threshold.

Micro counts (document, label) pairs of the whole matrix. Macro is the mean over the labels that
are gold or predicted for at least one document; the others say nothing. A label that is gold but
never predicted has precision 0, one that is predicted but never gold has recall 0. Where nothing
at all is gold or predicted, the value is NaN.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.metrics.matrices import (
    Array,
    Labels,
    Values,
    check_same_shape,
    divide,
    gold_matrix,
    mean_defined,
    predicted,
)


class Counts(NamedTuple):
    """Pairs that are gold and predicted, predicted, gold; of one label each, or of all."""

    hits: Array
    predicted: Array
    gold: Array

    def total(self) -> Counts:
        """Add up the counts of all labels."""
        return Counts(*(np.asarray(counts.sum()) for counts in self))

    def precision(self) -> Values:
        """Return hits among what was predicted."""
        return self._of(self.hits, self.predicted)

    def recall(self) -> Values:
        """Return hits among what is gold."""
        return self._of(self.hits, self.gold)

    def f1(self) -> Values:
        """Return the harmonic mean of precision and recall."""
        return self._of(2 * self.hits, self.predicted + self.gold)

    def _of(self, numerator: Array, denominator: Array) -> Values:
        values = divide(numerator, denominator)
        return np.where((denominator == 0) & (self.predicted + self.gold > 0), 0.0, values)


def count_by_label(y_true: Labels, y_score: Labels, threshold: float | Array = 0.5) -> Counts:
    """Count the pairs of each label, arrays of shape (n_labels,)."""
    check_same_shape(y_true, y_score)
    gold, chosen = gold_matrix(y_true), predicted(y_score, threshold)
    both = gold.multiply(chosen).tocsr()
    return Counts(*(np.bincount(m.indices, minlength=m.shape[1]) for m in (both, chosen, gold)))


def best_f1_threshold(y_true: Array, y_score: Array, n_gold: int) -> float:
    """Return the threshold with the best micro F1; pairs of equal scores stay together.

    Args:
        y_true, y_score: of the pairs that are considered, both of shape (n_pairs,), in any order.
        n_gold: all gold pairs, those that are not considered among them.
    """
    order = np.argsort(-y_score, kind="stable")
    scores, hits = y_score[order], y_true[order]
    f1 = 2 * np.cumsum(hits) / (np.arange(1, len(scores) + 1) + n_gold)
    may_cut = np.append(scores[1:] < scores[:-1], True)
    return float(scores[np.argmax(np.where(may_cut, f1, -1.0))])


def micro_precision(y_true: Labels, y_score: Labels, threshold: float | Array = 0.5) -> float:
    """Return the share of the predicted pairs that are gold."""
    return float(count_by_label(y_true, y_score, threshold).total().precision())


def micro_recall(y_true: Labels, y_score: Labels, threshold: float | Array = 0.5) -> float:
    """Return the share of the gold pairs that are predicted."""
    return float(count_by_label(y_true, y_score, threshold).total().recall())


def micro_f1(y_true: Labels, y_score: Labels, threshold: float | Array = 0.5) -> float:
    """Return the harmonic mean of micro precision and recall."""
    return float(count_by_label(y_true, y_score, threshold).total().f1())


def macro_f1(y_true: Labels, y_score: Labels, threshold: float | Array = 0.5) -> float:
    """Return the mean F1 of the labels that are gold or predicted somewhere.

    The mean of the labels' F1, not the F1 of macro precision and recall (which is higher).
    """
    return mean_defined(count_by_label(y_true, y_score, threshold).f1())
