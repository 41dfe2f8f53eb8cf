"""How well scores rank gold labels: R-Precision, average precision, measures at k, ROC-AUC."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.metrics.matrices import (
    Array,
    Labels,
    Values,
    check_same_shape,
    divide,
    gold_counts,
    gold_matrix,
    mean_defined,
    row_blocks,
)


def top_columns(y_score: Array, k: int) -> Array:
    """Return the columns of the k best scores of each row, best first; of ties the first wins.

    Args:
        y_score: shape (n_documents, n_labels).
    Returns:
        Column indices, shape (n_documents, min(k, n_labels)).
    Raises:
        ValueError: a score is NaN.
    """
    if np.isnan(y_score).any():
        raise ValueError("a score is NaN: nothing can be ranked by it")
    negated = -y_score.astype(np.result_type(y_score, np.float16), copy=False)
    if k >= y_score.shape[1]:
        return np.argsort(negated, axis=1, kind="stable")
    if k == 0:
        return np.empty((len(y_score), 0), dtype=np.intp)
    columns = np.nonzero(_among_best(negated, k))[1].reshape(len(y_score), k)
    order = np.argsort(np.take_along_axis(negated, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)


def _among_best(negated: Array, k: int) -> Array:
    """Mark exactly k columns a row; argpartition alone would settle ties by chance."""
    last = np.partition(negated, k - 1, axis=1)[:, k - 1 : k]
    better = negated < last
    tied = negated == last
    room = k - better.sum(axis=1, keepdims=True)
    return np.asarray(better | (tied & (np.cumsum(tied, axis=1) <= room)))


def _ranked_hits(gold: sparse.csr_matrix, y_score: Array, k: int) -> Array:
    hits = np.zeros((gold.shape[0], min(k, gold.shape[1])), dtype=bool)
    for rows in row_blocks(gold.shape[0]):
        columns = top_columns(y_score[rows], k)
        hits[rows] = np.take_along_axis(gold[rows].toarray(), columns, axis=1)
    return hits


def r_precision(y_true: Labels, y_score: Array) -> Values:
    """Return the share of gold labels among the first R ranks, R being the number of gold labels.

    Not to be confused with hits@K / min(K, R), which some code for EURLEX57K calls "R-Precision@K".

    Returns:
        A value a document, NaN where it has no gold label.
    Source: Manning, Raghavan and Schütze (2008), section 8.4.
    """
    check_same_shape(y_true, y_score)
    gold = gold_matrix(y_true)
    counts = gold_counts(gold)
    hits = _ranked_hits(gold, np.asarray(y_score), int(counts.max(initial=0)))
    within = np.arange(hits.shape[1]) < counts[:, None]
    return divide((hits & within).sum(axis=1), counts)


def r_precision_by_level(
    y_true: Labels, y_score: Array, levels: Array, *, depth: int = 6
) -> dict[str, Values]:
    """Return R-Precision of each document at each level, and "micro" over all these levels.

    Args:
        levels: level of each column, 1 = most general; columns below `depth` take no part.
    Returns:
        "level_1" … "level_<depth>" and "micro", each NaN where a document has no gold label there.
    Source: Manginas, Chalkidis and Malakasiotis (2020), Table 1.
    """
    check_same_shape(y_true, y_score)
    if len(levels) != y_score.shape[1]:
        raise ValueError(f"{len(levels)} levels were given for {y_score.shape[1]} columns")
    gold = gold_matrix(y_true)
    columns = {f"level_{n}": np.flatnonzero(levels == n) for n in range(1, depth + 1)}
    columns["micro"] = np.flatnonzero(np.asarray(levels) <= depth)
    return {
        name: r_precision(gold[:, chosen], y_score[:, chosen]) for name, chosen in columns.items()
    }


def precision_at_k(y_true: Labels, y_score: Array, k: int) -> Values:
    """Return gold labels among the first k ranks, divided by k; NaN without a gold label.

    The divisor stays k where a document has fewer gold labels, so its best value is below 1.
    """
    hits, counts = _hits_and_counts(y_true, y_score, k)
    return np.where(counts > 0, hits.sum(axis=1) / k, np.nan)


def recall_at_k(y_true: Labels, y_score: Array, k: int) -> Values:
    """Return the share of the gold labels that are among the first k ranks; NaN without one."""
    hits, counts = _hits_and_counts(y_true, y_score, k)
    return divide(hits.sum(axis=1), counts)


def f1_at_k(y_true: Labels, y_score: Array, k: int) -> Values:
    """Return the F1 of precision and recall at k, 2·hits / (k + gold); NaN without a gold label."""
    hits, counts = _hits_and_counts(y_true, y_score, k)
    return np.where(counts > 0, 2 * hits.sum(axis=1) / (k + counts), np.nan)


def ndcg_at_k(y_true: Labels, y_score: Array, k: int) -> Values:
    """Return the discounted gain of the first k ranks, relative to min(k, gold) hits at the top.

    Gains are 0 or 1, the discount of rank r is log2(r + 1); NaN without a gold label.

    Source: Järvelin and Kekäläinen (2002), with the discount of Burges et al. (2005).
    """
    hits, counts = _hits_and_counts(y_true, y_score, k)
    discounts = 1 / np.log2(np.arange(2, k + 2))
    ideal = np.concatenate(([0.0], np.cumsum(discounts)))[np.minimum(counts, k)]
    return divide(hits @ discounts[: hits.shape[1]], ideal)


def average_precision(y_true: Labels, y_score: Array, *, n_gold: Array | None = None) -> Values:
    """Return the mean precision at the ranks of the gold labels; NaN for a document without any.

    Args:
        n_gold: gold labels of each document, shape (n_documents,), where some have no column: these
            are never found, and count.
    Source: Manning, Raghavan and Schütze (2008), section 8.4.
    """
    check_same_shape(y_true, y_score)
    gold = gold_matrix(y_true)
    hits = _ranked_hits(gold, np.asarray(y_score), gold.shape[1])
    precisions = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    counts = gold_counts(gold) if n_gold is None else n_gold
    return divide((precisions * hits).sum(axis=1), counts)


def _hits_and_counts(y_true: Labels, y_score: Array, k: int) -> tuple[Array, Array]:
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    check_same_shape(y_true, y_score)
    gold = gold_matrix(y_true)
    return _ranked_hits(gold, np.asarray(y_score), k), gold_counts(gold)


# ---------------------------------------------------------------------- area under the ROC curve
# With many labels nearly every pair of a document and a label is an easy “no”, and an area of 0.99
# says little of the first ranks, which are all that a person reads: report it beside nDCG or F1.


def roc_auc_by_label(y_true: Labels, y_score: Array) -> Values:
    """Return each label's area over the documents; NaN where all or none of them have it.

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
