"""Fits what ranks candidates, on candidates of documents that no suggester has learned from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from core.errors import ConfigError
from core.suggest.calibration import Platt, fit_platt
from core.suggest.ensemble import MeanEnsemble
from core.suggest.ranking.boosted_trees import BoostedTrees
from core.suggest.ranking.features import RANKER_FEATURES
from core.suggest.ranking.ranker import Logistic, Ranker, Scorer
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument, full_texts
from training.judging.judge import titled_full_texts
from training.ranking.examples import Examples, examples_of
from training.ranking.indexing import finder_of, mean_of, write_ranker
from training.shipping.shipped import load_bundle_data

Array = npt.NDArray[np.float32]

Say = Callable[[str], None]

TREES: dict[str, Any] = {
    "max_iter": 300,
    "learning_rate": 0.05,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "max_features": 0.7,
    "early_stopping": False,
}
TREE_SHARE = 0.75
"""Of the trees in the mean log-odds."""
N_FOLDS = 5


def trees_of(grown: HistGradientBoostingClassifier) -> BoostedTrees:
    """Return the arrays of a fitted classifier of two classes."""
    # scikit-learn offers no other way to its nodes; a test compares both predictions.
    nodes = [predictor.nodes for (predictor,) in grown._predictors]
    roots = np.cumsum([0, *map(len, nodes)])[:-1]
    leaf = np.concatenate([tree["is_leaf"] for tree in nodes]).astype(bool)
    numbers = np.arange(len(leaf))
    below = {
        side: np.concatenate([tree[side] + root for tree, root in zip(nodes, roots, strict=True)])
        for side in ("left", "right")
    }
    left, right = (np.where(leaf, numbers, below[side]) for side in ("left", "right"))
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


def fit_logistic(
    rows: Array, is_assigned: npt.NDArray[np.bool_], *, weights: Array | None = None
) -> Logistic:
    """Fit a logistic regression on standardised features; weights as in `fit_order`."""
    centre = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread = np.maximum(rows.std(axis=0, dtype=np.float64), 1e-6).astype(np.float32)
    regression = LogisticRegression(C=1.0, max_iter=500)
    fitted = regression.fit((rows - centre) / spread, is_assigned, sample_weight=weights)
    return Logistic(
        centre,
        spread,
        fitted.coef_[0].astype(np.float32),
        fitted.intercept_.astype(np.float32).reshape(1),
    )


def fit_scorer(examples: Examples, **shape: Any) -> Scorer:
    """Fit trees and regression on all examples; the mean is calibrated on held-out folds."""
    held_out = crossed(examples, **shape)
    platt = fit_platt(held_out, examples.is_assigned.astype(np.float32))
    return replace(fit_order(examples, **shape), platt=platt)


def fit_order(examples: Examples, *, weights: Array | None = None, **shape: Any) -> Scorer:
    """Fit trees and regression on all examples; their mean is not calibrated.

    Args:
        weights: how much each row counts, (n_rows,); None for all alike.
        shape: what differs from `TREES`.
    """
    rows, is_assigned = examples.rows, examples.is_assigned
    trees = HistGradientBoostingClassifier(**TREES | shape, random_state=0)
    grown = trees_of(trees.fit(rows, is_assigned, sample_weight=weights))
    return Scorer(grown, fit_logistic(rows, is_assigned, weights=weights), TREE_SHARE, Platt())


def folds_of(document_ids: Sequence[str], *, seed: int = 0) -> npt.NDArray[np.int64]:
    """Return the fold of each document, always the same for the same documents."""
    ids = sorted(set(document_ids))
    order = np.random.default_rng(seed).permutation(len(ids)).tolist()
    fold_of = {document_id: order[n] % N_FOLDS for n, document_id in enumerate(ids)}
    return np.array([fold_of[i] for i in document_ids], dtype=np.int64)


def crossed(examples: Examples, **shape: Any) -> Array:
    """Return the log-odds of every row, by a model of the folds that its document is not in."""
    scores = np.zeros(len(examples.rows), dtype=np.float32)
    folds = folds_of(examples.document_ids.tolist())
    by_row = np.repeat(folds, np.diff(examples.ends))
    for fold in range(N_FOLDS):
        held = by_row == fold
        scorer = fit_order(examples.chosen(folds != fold), **shape)
        scores[held] = scorer.log_odds(examples.rows[held])
    return scores


def fit_ranker(titles: Examples, texts: Examples) -> Ranker:
    """Fit a scorer for titles and one for documents with a text, each calibrated."""
    return Ranker(fit_scorer(titles), fit_scorer(texts), RANKER_FEATURES)


# ---------------------------------------------------------------------- for a bundle


def add_ranker(folder: Path, origins: Mapping[str, Path], options: DataConfig, *, say: Say) -> None:
    """Fit a ranker for a bundle and add it; what the bundle has learned from is indexed.

    Titles are fitted on dev, of which there are thousands. Texts are rare: those that came after
    earlier bundles are fitted on, too, where they have a title, as documents in use do.

    Args:
        origins: date -> a bundle of the same kind that has learned from the documents before it;
            the texts from then on, up to the next such date, are fitted on.
        options: data that the command line names.
    Raises:
        ConfigError: a bundle has not the suggesters that a ranker ranks, or another label space.
    """
    mean = mean_of(folder)
    data = load_bundle_data(folder, options, mean.label_space)
    finder = finder_of(mean, data.corpus.train)
    dev = data.corpus.dev
    say(f"{folder}: {len(dev):,} documents of dev")
    titled = [row.title_alone() for row in dev if row.document.title]
    titles = examples_of(mean, finder, titled, "titles")
    texts = [examples_of(mean, finder, full_texts(dev), "full texts")]
    for date, end in pairwise([*sorted(origins), "9"]):
        train = [row for row in data.corpus.train if row.date < end]
        texts.append(_later_texts(origins[date], mean, train, date, say))
    ranker = fit_ranker(titles, Examples.joined(texts))
    write_ranker(folder, ranker, finder.indexed)


def _later_texts(
    folder: Path, mean: MeanEnsemble, documents: Sequence[LabelledDocument], date: str, say: Say
) -> Examples:
    """Return candidates of the texts from a date on, by a bundle that has learned what was before.

    Args:
        mean: of the bundle that is ranked, whose labels the other one must have.
    """
    origin = mean_of(folder)
    if origin.label_space.concept_ids != mean.label_space.concept_ids:
        raise ConfigError(f"{folder} has other labels than the bundle that is ranked.")
    later = titled_full_texts([row for row in documents if row.date >= date])
    say(f"{folder}: {len(later):,} texts from {date} on")
    finder = finder_of(origin, [row for row in documents if row.date < date])
    return examples_of(origin, finder, later, "later texts")
