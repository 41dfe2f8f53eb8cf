"""Area under the ROC curve: how often a gold label scores above one that is not.

With many labels nearly every pair of a document and a label is an easy “no”, and an area of 0.99
says little of the first ranks, which are all that a person reads: report it beside nDCG or F1.
"""

from __future__ import annotations

import numpy as np

from core.metrics.matrices import (
    Array,
    Labels,
    Values,
    check_same_shape,
    gold_matrix,
    mean_defined,
)


def roc_auc_by_label(y_true: Labels, y_score: Array) -> Values:
    """Return the area of each label over the documents; NaN where all or none of them have it.

    Equal scores count as half. Shape (n_labels,).

    Source: Hanley and McNeil (1982): the area is the chance that a document with the label scores
        above one without it.
    """
    check_same_shape(y_true, y_score)
    gold, scores = gold_matrix(y_true).tocsc(), np.asarray(y_score)
    areas = np.full(gold.shape[1], np.nan)
    for column in np.flatnonzero(np.diff(gold.indptr)):
        rows = gold.indices[gold.indptr[column] : gold.indptr[column + 1]]
        areas[column] = _area(scores[:, column], scores[rows, column])
    return areas


def micro_roc_auc(y_true: Labels, y_score: Array) -> float:
    """Return the area over all pairs of document and label; NaN where all or none are gold."""
    check_same_shape(y_true, y_score)
    rows, columns = gold_matrix(y_true).nonzero()
    scores = np.asarray(y_score)
    return _area(scores.ravel(), scores[rows, columns])


def macro_roc_auc(y_true: Labels, y_score: Array) -> float:
    """Return the mean area of the labels that some documents have and others lack."""
    return mean_defined(roc_auc_by_label(y_true, y_score))


def _area(everything: Array, positives: Array) -> float:
    """Share of the pairs of a positive and a negative in which the positive scores higher.

    Args:
        everything: scores of positives and negatives, in any order.
    Raises:
        ValueError: a score is NaN.
    """
    n_positives = len(positives)
    n_negatives = len(everything) - n_positives
    if not n_positives or not n_negatives:
        return float("nan")
    if np.isnan(everything).any():
        raise ValueError("a score is NaN: nothing can be ranked by it")
    everything, positives = np.sort(everything), np.sort(positives)
    # Below a positive lie whole scores, and half of those that equal it, of both kinds; what lies
    # there of its own kind is taken off again.
    beaten = [
        np.searchsorted(scores, positives, side).sum() / 2 * sign
        for scores, sign in ((everything, 1), (positives, -1))
        for side in ("left", "right")
    ]
    return float(sum(beaten) / (n_positives * n_negatives))
