"""The TF-IDF trees on invented acts: they learn, and their run's folder is complete."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from core.errors import ConfigError
from tests.support.labelled import act
from tests.support.tiny_corpora import tiny_data
from training.baselines.trees import (
    BaselineConfig,
    StemmedWords,
    TextFeatures,
    TreeBaseline,
    TreeSearch,
    run_baseline,
    write_extreme_classification,
)
from training.judging.folders import RunFolder


def test_words_are_lower_cased_stemmed_and_worth_counting() -> None:
    words = StemmedWords()("The 27 Member States' wine-growing VINEYARDS (EC) No 12/2017 of")
    assert words == ["the", "member", "state", "wine-grow", "vineyard"]


def test_features_read_no_more_than_they_are_told() -> None:
    documents = [act(str(i), title="vines", text="cod " * 50).document for i in range(3)]
    whole, cut = TextFeatures(), TextFeatures(5)
    assert whole.fit(documents).shape == (3, 4)  # vine, cod, and two pairs of them
    assert cut.fit(documents).shape == (3, 1)


def test_rows_without_labels_or_words_are_not_learned(tmp_path: Path) -> None:
    x = sp.csr_matrix(np.array([[0.5, 0.0], [0.0, 0.0], [0.0, 1.0]]))
    labels = sp.csr_matrix(np.array([[1, 0, 1], [1, 0, 0], [0, 0, 0]]))
    assert write_extreme_classification(tmp_path / "train.txt", x, labels) == 1
    assert (tmp_path / "train.txt").read_text() == "1 2 3\n0,2 0:0.5\n"


def test_augmented_labels_stop_at_the_depth(tmp_path: Path) -> None:
    data = tiny_data()
    config = BaselineConfig(tree="parabel", labels=("augmented",), depth=2)
    scores = RunFolder(run_baseline(config, data, tmp_path)).scores("dev")
    assert scores.assigned is None
    assert scores.levels is not None
    below = data.label_space.level_columns(3)
    assert not scores.levels[:, below].any()


def test_a_document_without_a_known_word_scores_nothing() -> None:
    data = tiny_data()
    labels = data.label_space.encode([row.assigned for row in data.corpus.train], augmented=False)
    features = TextFeatures()
    x = features.fit([row.document for row in data.corpus.train])
    baseline = TreeBaseline.fitted("parabel", features, x, labels)
    strange = [act("s", "fish", title="zzz qqq").document]
    assert not baseline.predict(strange, TreeSearch()).any()


def test_what_cannot_be_done_is_said() -> None:
    nothing = sp.csr_matrix((2, 3))
    with pytest.raises(ConfigError, match="both a label and a word"):
        TreeBaseline.fitted("bonsai", TextFeatures(), nothing, nothing)
