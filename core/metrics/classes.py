"""Measures of classification: of one class a document, or of every label at a threshold.

For one class a document, `y_true` and `y_pred` are class numbers, shape (n_documents,), and a
document without a gold class is -1 in `y_true`: it counts nowhere. For several labels a document
they are matrices of shape (n_documents, n_labels), as everywhere in this package.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.metrics.matrices import (
    Array,
    Labels,
    Values,
    check_same_shape,
    divide,
    gold_counts,
    gold_matrix,
    predicted,
)
from core.metrics.thresholded import Counts, count_by_label

NO_CLASS = -1


class ClassScores(NamedTuple):
    """Precision, recall and F1 of each class, arrays of shape (n_classes,)."""

    precision: Values
    recall: Values
    f1: Values


def correct(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> Values:
    """Return 1 where a document got its class, 0 where another; NaN where it has none."""
    gold, chosen = np.asarray(y_true), np.asarray(y_pred)
    return np.where(gold == NO_CLASS, np.nan, (gold == chosen).astype(np.float64))


def confusion(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, n_classes: int) -> Array:
    """Count documents of a class (row) that got a class (column), shape (n_classes, n_classes)."""
    gold, chosen = np.asarray(y_true), np.asarray(y_pred)
    has_class = gold != NO_CLASS
    pairs = gold[has_class] * n_classes + chosen[has_class]
    return np.bincount(pairs, minlength=n_classes**2).reshape(n_classes, n_classes)


def matthews(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, n_classes: int) -> float:
    """Return Matthews' correlation of gold and predicted classes, in [-1, 1]; chance is 0.

    0 where only one class is gold or only one predicted, as CoLA's scorer has it; NaN without a
    gold class.

    Source: Matthews (1975); Gorodkin (2004), R_K, equation 9, for more than two classes.
    """
    matrix = confusion(y_true, y_pred, n_classes).astype(np.float64)
    total = matrix.sum()
    if not total:
        return float("nan")
    gold, chosen = matrix.sum(axis=1), matrix.sum(axis=0)
    covariance = matrix.trace() * total - gold @ chosen
    spread = (total**2 - chosen @ chosen) * (total**2 - gold @ gold)
    return float(covariance / np.sqrt(spread)) if spread else 0.0


def scores_by_label(y_true: Labels, y_score: Labels, threshold: float | Array = 0.5) -> ClassScores:
    """Return precision, recall and F1 of each label, NaN where it is neither gold nor predicted."""
    return _scores(count_by_label(y_true, y_score, threshold))


def scores_by_class(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, n_classes: int) -> ClassScores:
    """Return the same for one class a document."""
    matrix = confusion(y_true, y_pred, n_classes)
    return _scores(Counts(matrix.diagonal(), matrix.sum(axis=0), matrix.sum(axis=1)))


def cell_accuracy(y_true: Labels, y_score: Labels, threshold: float | Array = 0.5) -> Values:
    """Return, for each document, the share of labels rightly predicted or rightly left out.

    Its mean is the accuracy over all cells of documents and labels. Where few labels are gold it is
    high for whoever predicts nothing: of six labels of which one in twenty is gold, 0.95.
    """
    check_same_shape(y_true, y_score)
    gold, chosen = gold_matrix(y_true), predicted(y_score, threshold)
    wrong = gold_counts(gold_matrix(gold != chosen))
    return np.asarray(1 - divide(wrong, gold.shape[1]))


def f1_by_document(y_true: Labels, y_score: Labels, threshold: float | Array = 0.5) -> Values:
    """Return 2·hits / (gold + predicted) of each document; NaN where it has no gold label.

    Source: Tsoumakas, Katakis and Vlahavas (2010), example-based F1.
    """
    check_same_shape(y_true, y_score)
    gold, chosen = gold_matrix(y_true), predicted(y_score, threshold)
    counts = gold_counts(gold)
    hits = gold_counts(gold_matrix(gold.multiply(chosen)))
    f1 = divide(2 * hits, counts + gold_counts(chosen))
    return np.where(counts > 0, f1, np.nan)


def _scores(counts: Counts) -> ClassScores:
    return ClassScores(counts.precision(), counts.recall(), counts.f1())
