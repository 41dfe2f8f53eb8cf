"""Logistic regression and the linear support vector machine, one classifier a label.

Scikit-learn's classes on liblinear, with its defaults otherwise. Those of the
paper's version, 0.19.2: liblinear for both (later versions solve logistic regression with L-BFGS
and leave the intercept unpenalised), C = 1, the squared hinge in its dual for the machine.
Source: Adhikari et al. (2019), section 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from core.errors import ConfigError

Array = npt.NDArray[np.float32]
Weights: TypeAlias = Array | sp.csr_matrix
Progress = Callable[[int, int], None]

LOSSES = ("lr", "svm")
ALL_KEPT = 50_000_000
"""Models of more weights than this lose those of no more than `NEGLIGIBLE`."""
NEGLIGIBLE = 1e-3
NEVER, ALWAYS = -30.0, 30.0
"""Margins of a label that no document has, or all: there is nothing to learn."""


@dataclass(slots=True)
class OneVsRest:
    """A weighted sum of a row's terms for every label.

    Attributes:
        weights: shape (n_terms, n_labels).
        bias: shape (n_labels,).
        n_unfinished: labels at which the solver stopped before it had converged.
    """

    weights: Weights
    bias: Array
    n_unfinished: int = 0

    def margins(self, x: sp.csr_matrix) -> Array:
        """Return how far each row is on the side of each label, shape (n_documents, n_labels)."""
        # Of another type, scipy would copy all weights at every call: 16 MB for each document.
        product = x.astype(self.weights.dtype, copy=False) @ self.weights
        dense = product.toarray() if sp.issparse(product) else product
        return np.asarray(dense + self.bias, dtype=np.float32)

    def scores(self, x: sp.csr_matrix) -> Array:
        """Return σ(margin), in [0, 1]: the probability of logistic regression.

        Of a support vector machine it is no probability, but decides alike at one half: its
        decision at margin 0. Of one label a document the best scored is that of the best margin.
        """
        odds = np.exp(-np.clip(self.margins(x), NEVER, ALWAYS))
        return np.asarray(1 / (1 + odds), dtype=np.float32)

    @property
    def n_parameters(self) -> int:
        """Weights and biases, zeros counted."""
        return int(np.prod(self.weights.shape)) + len(self.bias)


def fit_one_vs_rest(
    x: sp.csr_matrix,
    y: sp.csr_matrix,
    loss: str,
    *,
    c: float = 1.0,
    seed: int = 0,
    on_progress: Progress | None = None,
) -> OneVsRest:
    """Learn each label against all documents without it.

    Args:
        x: rows of features; y: ones where a document has a label, shape (n_documents, n_labels).
        on_progress: is called with (labels done, labels).
    Raises:
        ConfigError: there is no such loss, or no document has both a label and a term.
    """
    if loss not in LOSSES:
        raise ConfigError(f"There is no loss “{loss}”: take one of {', '.join(LOSSES)}.")
    if not (sp.diags((x.getnnz(axis=1) > 0) * 1.0) @ y).nnz:
        raise ConfigError("No training document has both a label and a word.")
    wide, by_label = x.astype(np.float64), sp.csc_matrix(y)
    n_labels = y.shape[1]
    least = 0.0 if x.shape[1] * n_labels <= ALL_KEPT else NEGLIGIBLE
    columns: list[sp.csc_matrix] = []
    bias = np.full(n_labels, NEVER, dtype=np.float32)
    unfinished = 0
    for label in range(n_labels):
        has_it = np.zeros(x.shape[0], dtype=bool)
        has_it[by_label[:, [label]].indices] = True
        weights, bias[label], finished = _separate(wide, has_it, _machine(loss, c, seed))
        columns.append(_column(weights, least))
        unfinished += not finished
        if on_progress:
            on_progress(label + 1, n_labels)
    stacked = sp.csr_matrix(sp.hstack(columns), dtype=np.float32)
    return OneVsRest(stacked if least else stacked.toarray(), bias, unfinished)


def _machine(loss: str, c: float, seed: int) -> LogisticRegression | LinearSVC:
    if loss == "lr":
        return LogisticRegression(C=c, solver="liblinear", random_state=seed)
    return LinearSVC(C=c, dual=True, random_state=seed)


def _separate(
    x: sp.csr_matrix, has_it: npt.NDArray[np.bool_], machine: LogisticRegression | LinearSVC
) -> tuple[npt.NDArray[np.float64], float, bool]:
    """Return weights and bias of one label, and whether the solver had converged."""
    if has_it.all() or not has_it.any():
        return np.zeros(x.shape[1]), ALWAYS if has_it.all() else NEVER, True
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        machine.fit(x, has_it)
    finished = not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    return machine.coef_[0], float(machine.intercept_[0]), finished


def _column(weights: npt.NDArray[np.float64], least: float) -> sp.csc_matrix:
    kept = np.where(np.abs(weights) > least, weights, 0.0)
    return sp.csc_matrix(kept[:, None])
