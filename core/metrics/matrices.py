"""The matrices that metrics read: gold labels, scores, predicted labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array: TypeAlias = npt.NDArray[Any]
Values: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = Any
"""A NumPy array or a SciPy sparse matrix of zeros and ones, shape (n_documents, n_labels)."""

BLOCK_ROWS = 256


def gold_matrix(labels: Labels) -> sparse.csr_matrix:
    """Return zeros and ones as a boolean CSR matrix without stored zeros; the input stays."""
    matrix = sparse.csr_matrix(labels, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix.astype(bool)


def gold_counts(gold: sparse.csr_matrix) -> Array:
    """Count the labels of each row, shape (n_documents,)."""
    return np.diff(gold.indptr)


def predicted(y_score: Labels, threshold: float | Array = 0.5) -> sparse.csr_matrix:
    """Return the labels that score at least the threshold, as a boolean CSR matrix.

    Args:
        y_score: scores, or predictions as zeros and ones; sparse only with thresholds above 0.
        threshold: one for all labels, or one a label, shape (n_labels,).
    """
    if not sparse.issparse(y_score):
        return gold_matrix(np.asarray(y_score) >= threshold)
    if np.min(threshold) <= 0:
        raise ValueError("a sparse matrix of scores needs thresholds above 0")
    entries = sparse.coo_matrix(y_score)
    passed = entries.data >= np.broadcast_to(threshold, entries.shape[1:])[entries.col]
    is_within = (np.ones(int(passed.sum()), bool), (entries.row[passed], entries.col[passed]))
    return gold_matrix(sparse.csr_matrix(is_within, shape=entries.shape))


def check_same_shape(y_true: Labels, y_score: Labels) -> None:
    """Raise ValueError unless both describe the same documents and labels."""
    if y_true.shape != y_score.shape:
        raise ValueError(
            f"gold labels have shape {y_true.shape} and scores {y_score.shape}: "
            "they must name the same documents and columns"
        )


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Yield consecutive slices that cover all rows, so that no step holds all of them."""
    for start in range(0, n_rows, BLOCK_ROWS):
        yield slice(start, min(start + BLOCK_ROWS, n_rows))


def mean_defined(values: npt.ArrayLike) -> float:
    """Return the mean of the values that are not NaN; NaN where there is none."""
    array = np.asarray(values, dtype=np.float64)
    defined = array[~np.isnan(array)]
    return float(defined.mean()) if defined.size else float("nan")


def divide(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Values:
    """Divide element by element; NaN where the denominator is 0."""
    top, bottom = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    quotient = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=quotient, where=bottom != 0)
    return quotient
