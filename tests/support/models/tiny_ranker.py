"""A ranker and an index over the hand-written vocabulary, for the tiny bundle."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.suggest.calibration import Platt
from core.suggest.ranking.boosted_trees import BoostedTrees
from core.suggest.ranking.features import RANKER_FEATURES
from core.suggest.ranking.ranker import Logistic, Ranker, Scorer
from tests.support.labelled import act
from tests.support.models.tiny_bundle import tiny_linear, write_tiny_bundle
from training.ranking.indexing import index_documents, write_ranker

INDEXED = (
    act("1", "106", "101", title="The fish quota and spades", text="A spade for honey"),
    act("2", "106", title="Railway ticket", text="fish in the bay"),
    act("3", "203", title="Spades of the railway"),
)
"""Documents of the tiny vocabulary."""


def constant_trees(value: float = 0.0) -> BoostedTrees:
    """Return one tree that is a leaf."""
    none = np.zeros(1, dtype=np.int32)
    said = np.array([value], dtype=np.float32)
    return BoostedTrees(none, none, np.zeros(1, dtype=np.float32), none, none, said, said * 0)


def logistic(**weights: float) -> Logistic:
    """Return a regression that weighs the named features, as they are."""
    n_features = len(RANKER_FEATURES)
    weighed = np.array([weights.get(name, 0.0) for name in RANKER_FEATURES], dtype=np.float32)
    centre, spread = np.zeros(n_features, np.float32), np.ones(n_features, np.float32)
    return Logistic(centre, spread, weighed, np.array([-1.0], dtype=np.float32))


def tiny_ranker() -> Ranker:
    """Return a ranker that goes by the mean, and by labels in the title or the text."""
    titles = Scorer(constant_trees(0.5), logistic(mean=1.0, title_alone=4.0), 0.25, Platt())
    texts = Scorer(constant_trees(), logistic(mean=1.0, text_alone=3.0), 0.25, Platt(0.9, -0.1))
    return Ranker(titles, texts, RANKER_FEATURES)


def write_ranked_bundle(directory: Path) -> None:
    """Write the tiny bundle with both suggesters and a ranker."""
    space = write_tiny_bundle(directory, linear=True)
    write_ranker(
        directory, tiny_ranker(), index_documents(INDEXED, space, tiny_linear(space).vector)
    )
