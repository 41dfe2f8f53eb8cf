"""Fits what ranks candidates, on candidates of documents that no suggester has learned from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from core.suggest.calibration import Platt
from core.suggest.ranking.boosted_trees import BoostedTrees
from core.suggest.ranking.ranker import Logistic, Ranker, Scorer
from training.ranking.examples import Examples
from training.shipping.fit_fusion import fit_platt

Array = npt.NDArray[np.float32]

TREES: dict[str, Any] = {
    "max_iter": 300,
    "max_leaf_nodes": 15,
    "learning_rate": 0.05,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "max_features": 0.7,
    "early_stopping": False,
}
N_FOLDS = 5
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
DISCOUNT = 1 / np.log2(np.arange(2, 7))


def fit_trees(rows: Array, is_assigned: npt.NDArray[np.bool_], *, seed: int = 0) -> BoostedTrees:
    """Grow boosted trees on the features of candidates."""
    grown = HistGradientBoostingClassifier(**TREES, random_state=seed).fit(rows, is_assigned)
    return trees_of(grown)


def trees_of(grown: HistGradientBoostingClassifier) -> BoostedTrees:
    """Return the arrays of a fitted classifier of two classes."""
    # scikit-learn offers no other way to its nodes; a test compares both predictions.
    nodes = [predictor.nodes for (predictor,) in grown._predictors]
    roots = np.cumsum([0, *map(len, nodes)])[:-1]
    leaf = np.concatenate([tree["is_leaf"] for tree in nodes]).astype(bool)
    own = np.arange(len(leaf))
    below = {
        side: np.concatenate([tree[side] + root for tree, root in zip(nodes, roots, strict=True)])
        for side in ("left", "right")
    }
    left, right = (np.where(leaf, own, below[side]) for side in ("left", "right"))
    counts = np.concatenate([tree["count"] for tree in nodes]).astype(np.float64)
    value = np.where(leaf, np.concatenate([tree["value"] for tree in nodes]), 0.0)
    for node in np.flatnonzero(~leaf)[::-1]:
        sides = [left[node], right[node]]
        value[node] = counts[sides] @ value[sides] / counts[sides].sum()
    return BoostedTrees(
        roots=roots.astype(np.int32),
        feature=np.concatenate([tree["feature_idx"] for tree in nodes]).astype(np.int32),
        threshold=_rounded_down(np.concatenate([tree["num_threshold"] for tree in nodes])),
        left=left.astype(np.int32),
        right=right.astype(np.int32),
        value=value.astype(np.float32),
        bias=np.asarray(grown._baseline_prediction, dtype=np.float32).reshape(1),
    )


def _rounded_down(thresholds: npt.NDArray[np.float64]) -> Array:
    """Return the largest single-precision numbers that are no larger: rows go where they went."""
    rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded)


def fit_logistic(rows: Array, is_assigned: npt.NDArray[np.bool_]) -> Logistic:
    """Fit a logistic regression on standardised features."""
    centre = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread = np.maximum(rows.std(axis=0, dtype=np.float64), 1e-6).astype(np.float32)
    fitted = LogisticRegression(C=1.0, max_iter=500).fit((rows - centre) / spread, is_assigned)
    return Logistic(
        centre,
        spread,
        fitted.coef_[0].astype(np.float32),
        fitted.intercept_.astype(np.float32).reshape(1),
    )


def fit_scorer(examples: Examples, *, share: float = 0.5) -> Scorer:
    """Fit trees and regression on all examples; the mean is calibrated on held-out folds."""
    held_out = crossed(examples, share=share)
    platt = fit_platt(held_out, examples.is_assigned.astype(np.float32))
    trees = fit_trees(examples.rows, examples.is_assigned)
    logistic = fit_logistic(examples.rows, examples.is_assigned)
    return Scorer(trees, logistic, share, platt)


def crossed(examples: Examples, *, share: float) -> Array:
    """Return the log-odds of every row, by a model of the folds that its document is not in."""
    found = np.zeros(len(examples.rows), dtype=np.float32)
    ids = sorted(set(examples.document_ids.tolist()))
    order = np.random.default_rng(0).permutation(len(ids)).tolist()
    fold_of = {document_id: order[n] % N_FOLDS for n, document_id in enumerate(ids)}
    folds = np.array([fold_of[i] for i in examples.document_ids.tolist()])
    by_row = np.repeat(folds, np.diff(examples.ends))
    for fold in range(N_FOLDS):
        learned, held = by_row != fold, by_row == fold
        rows, is_assigned = examples.rows[learned], examples.is_assigned[learned]
        scorer = Scorer(
            fit_trees(rows, is_assigned), fit_logistic(rows, is_assigned), share, Platt()
        )
        found[held] = scorer.log_odds(examples.rows[held])
    return found


def ndcg(examples: Examples, scores: Array, k: int = 5) -> float:
    """Return the mean nDCG@k in percent of documents that have anything assigned."""
    return float(np.mean([*_each_ndcg(examples, scores, k)])) * 100


def _each_ndcg(examples: Examples, scores: Array, k: int) -> Sequence[float]:
    found = []
    for number in np.flatnonzero(examples.n_assigned).tolist():
        rows = examples.of(number)
        first = np.argsort(-scores[rows], kind="stable")[:k]
        gains = examples.is_assigned[rows][first]
        ideal = DISCOUNT[: min(k, int(examples.n_assigned[number]))].sum()
        found.append(float((gains * DISCOUNT[: len(gains)]).sum() / ideal))
    return found


def fit_ranker(titles: Examples, texts: Examples, *, share: float = 0.5) -> Ranker:
    """Fit a scorer for titles and one for documents with a text."""
    return Ranker(fit_scorer(titles, share=share), fit_scorer(texts, share=share))
