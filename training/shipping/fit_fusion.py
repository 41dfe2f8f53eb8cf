"""Fits on dev that make a bundle's scores probabilities, and that fuse its two suggesters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_matrix

from core.metrics import mean_defined, ndcg_at_k, r_precision
from core.suggest.branches import BranchUnion
from core.suggest.calibration import Platt, Temperature, fit_platt, logits
from core.suggest.fusion import Fusion
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument

_STEEPEST = 20.0


def fit_temperature(logits: Array, y_true: Array) -> Temperature:
    """Return the slope of a softmax with the least cross-entropy, between a twentieth and twenty.

    Args:
        logits, y_true: of the same shape, with one label a row; rows without one do not count.
    """
    labelled = y_true.sum(axis=1) > 0
    x, gold = logits[labelled].astype(np.float64), y_true[labelled].argmax(axis=1)
    if not len(gold):
        return Temperature()

    def cross_entropy(log_slope: float) -> float:
        scaled = np.exp(log_slope) * x
        gold_logits = scaled[np.arange(len(gold)), gold]
        return float((np.logaddexp.reduce(scaled, axis=1) - gold_logits).mean())

    # Where all documents are right, ever steeper is ever better: the bound keeps it from certainty.
    bounds = (np.log(1 / _STEEPEST), np.log(_STEEPEST))
    minimum = minimize_scalar(cross_entropy, bounds=bounds, method="bounded")
    return Temperature(float(np.exp(minimum.x)))


Array = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Fit = TypeVar("Fit")

WEIGHTS = tuple(round(step / 20, 2) for step in range(21))
"""Weights of the guided encoder that are tried on dev."""


def fit_fusion(
    guided_assigned: Array,
    guided_levels: Array,
    margins: Array,
    documents: Sequence[LabelledDocument],
    label_space: LabelSpace,
    *,
    has_text: Mask,
) -> Fusion:
    """Return the calibration of the linear classifier and the weights that rank dev best.

    Args:
        guided_assigned: calibrated, in label-space columns, shape (n_documents, n_concepts).
        guided_levels: calibrated, the same shape, -inf where no level head learns a column.
        margins: of the linear classifier, shape (n_documents, n_assignable).
        documents: of dev, with and without a text.
        has_text: which of them are served by the weights for texts. A bundle that reads title and
            text as one input serves all by the weights for titles.
    """
    linear, linear_text = fit_linear_platt(margins, documents, label_space, has_text=has_text)
    assignable = label_space.assignable_columns
    probs = np.where(has_text[:, None], linear_text(margins), linear(margins))
    gold = label_space.encode_assigned([row.assigned for row in documents])
    guided = guided_assigned[:, assignable]

    def weight(chosen: Mask) -> float:
        ours, theirs, y_true = guided[chosen], probs[chosen], gold[np.flatnonzero(chosen)]
        return best_weight(
            lambda w: mean_defined(ndcg_at_k(y_true, w * ours + (1 - w) * theirs, 5))
        )

    title_weight = weight(~has_text) if not has_text.all() else 0.5
    text_weight = weight(has_text) if has_text.any() else title_weight
    linear_assigned = np.zeros(guided_assigned.shape, dtype=np.float32)
    linear_assigned[:, assignable] = probs
    branches = BranchUnion(label_space)(linear_assigned)
    level_weights, linear_levels = _levels(guided_levels, branches, documents, label_space)
    return Fusion(title_weight, text_weight, level_weights, linear, linear_text, linear_levels)


def _levels(
    guided: Array,
    branches: Array,
    documents: Sequence[LabelledDocument],
    label_space: LabelSpace,
) -> tuple[tuple[float, ...], tuple[Platt, ...]]:
    gold = label_space.encode([row.assigned for row in documents], augmented=True)
    weights: list[float] = []
    platts: list[Platt] = []
    for level in range(1, label_space.n_levels + 1):
        columns = label_space.level_columns(level)
        if np.isneginf(guided[:, columns]).all():
            break
        y_true, linear_logits = gold[:, columns].tocsr(), logits(branches[:, columns])
        platt = fit_platt(linear_logits, y_true.toarray())
        ours, theirs = guided[:, columns], platt(linear_logits)
        weights.append(
            best_weight(
                lambda w, y=y_true, a=ours, b=theirs: mean_defined(  # type: ignore[misc]
                    r_precision(y, w * a + (1 - w) * b)
                )
            )
        )
        platts.append(platt)
    return tuple(weights), tuple(platts)


def fit_linear_platt(
    margins: Array,
    documents: Sequence[LabelledDocument],
    label_space: LabelSpace,
    *,
    has_text: Mask,
) -> tuple[Platt, Platt]:
    """Return the calibration of margins, for titles and for documents with a text."""
    gold = label_space.encode_assigned([row.assigned for row in documents])
    return fit_by_kind(fit_platt, margins, gold, has_text) if len(margins) else (Platt(), Platt())


def fit_by_kind(
    fit: Callable[[Array, Array], Fit], scores: Array, y_true: csr_matrix, has_text: Mask
) -> tuple[Fit, Fit]:
    """Return fits for titles and for documents with a text; one stands in where there is no other."""
    kinds = [
        fit(scores[rows], y_true[np.flatnonzero(rows)].toarray())
        for rows in (~has_text, has_text)
        if rows.any()
    ]
    return kinds[0], kinds[-1]


def best_weight(quality: Callable[[float], float]) -> float:
    """Return the best of `WEIGHTS`, of equals the one nearest to an even mean, by halving steps."""
    tried: dict[int, float] = {}

    def value(step: int) -> tuple[float, float]:
        if step not in tried:
            tried[step] = quality(WEIGHTS[step])
        return tried[step], -abs(WEIGHTS[step] - 0.5)

    low, high = 0, len(WEIGHTS) - 1
    for stride in (4, 2, 1):
        best = max(range(low, high + 1, stride), key=value)
        low, high = max(0, best - stride), min(len(WEIGHTS) - 1, best + stride)
    return WEIGHTS[max(tried, key=value)]
