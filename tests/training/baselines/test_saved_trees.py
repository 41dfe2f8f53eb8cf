"""Trees that are loaded are searched as they were when they were judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from tests.support.labelled import act
from training.baselines.trees import TextFeatures, TreeBaseline, TreeSearch
from training.judging.timed_models import load_baseline

# Omikuji draws its clusters anew each time: with 240 labels a search sometimes found fewer than 100.
N_LABELS = 400


def test_loaded_trees_give_no_more_labels_than_judged_ones(tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [f"{letters[n // 26]}{letters[n % 26]}{letters[n // 26]}x" for n in range(N_LABELS)]
    documents = [act(str(n), title=f"{word} shared") for n, word in enumerate(words)] * 2
    labels = sp.csr_matrix(np.tile(np.eye(N_LABELS, dtype=np.float32), (2, 1)))
    texts, features = [row.document for row in documents], TextFeatures()
    trees = TreeBaseline.fitted("parabel", features, features.fit(texts), labels)
    trees.save(tmp_path)

    wide = trees.predict(texts[:3], TreeSearch(top_k=1000))
    assert (np.count_nonzero(wide, axis=1) > 100).all()
    found = load_baseline(tmp_path)(texts[:3])
    assert (np.count_nonzero(found, axis=1) <= 100).all()
