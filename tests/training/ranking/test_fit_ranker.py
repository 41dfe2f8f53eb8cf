"""A ranker fitted on made-up candidates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from core.suggest.ranking.features import FEATURES
from training.ranking.examples import Examples
from training.ranking.fit_ranker import TREES, crossed, fit_scorer, ndcg, trees_of

N_DOCUMENTS, N_CANDIDATES = 60, 12


@pytest.fixture(scope="module")
def examples() -> Examples:
    """Candidates that are assigned where their first feature is high and their second is not."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(N_DOCUMENTS * N_CANDIDATES, len(FEATURES))).astype(np.float32)
    is_assigned = (rows[:, 0] > 0.8) & (rows[:, 1] < 1)
    return Examples(
        document_ids=np.array([f"d{n // 2}" for n in range(N_DOCUMENTS)]),
        has_text=np.zeros(N_DOCUMENTS, dtype=bool),
        ends=np.arange(0, len(rows) + 1, N_CANDIDATES),
        positions=np.tile(np.arange(N_CANDIDATES), N_DOCUMENTS),
        rows=rows,
        is_assigned=is_assigned,
        n_assigned=is_assigned.reshape(N_DOCUMENTS, -1).sum(axis=1),
    )


def test_the_arrays_say_what_the_classifier_says(examples: Examples) -> None:
    grown = HistGradientBoostingClassifier(**TREES | {"min_samples_leaf": 5}, random_state=1)
    grown.fit(examples.rows, examples.is_assigned)
    np.testing.assert_allclose(
        trees_of(grown)(examples.rows), grown.decision_function(examples.rows), atol=1e-4
    )


def test_what_is_fitted_ranks_better_than_chance(examples: Examples) -> None:
    scorer = fit_scorer(examples)
    assert ndcg(examples, scorer(examples.rows)) > 95
    assert ndcg(examples, examples.rows[:, 5]) < 60


def test_documents_of_one_id_are_in_one_fold(examples: Examples) -> None:
    # Each document is there twice; with its twin in training, held-out scores would be too good.
    twice = Examples.joined([examples, examples])
    alone, together = crossed(examples, share=1.0), crossed(twice, share=1.0)
    assert len(together) == 2 * len(alone)
    np.testing.assert_array_equal(together[: len(alone)], together[len(alone) :])


def test_ndcg_is_as_by_hand() -> None:
    examples = Examples(
        document_ids=np.array(["a", "b"]),
        has_text=np.zeros(2, dtype=bool),
        ends=np.array([0, 3, 4]),
        positions=np.arange(4),
        rows=np.zeros((4, len(FEATURES)), dtype=np.float32),
        is_assigned=np.array([True, False, True, False]),
        n_assigned=np.array([3, 0]),
    )
    # Found at places 1 and 3 of three that were assigned; the second document has none.
    wanted = (1 + 1 / 2) / (1 + 1 / np.log2(3) + 1 / 2)
    assert ndcg(examples, np.array([3.0, 2.0, 1.0, 9.0], np.float32)) == pytest.approx(100 * wanted)


def test_examples_come_back_from_a_file(tmp_path: Path, examples: Examples) -> None:
    examples.save(tmp_path / "examples.npz")
    found = Examples.load(tmp_path / "examples.npz")
    np.testing.assert_array_equal(found.rows, examples.rows)
    chosen = found.chosen(np.array([1, 0]))
    np.testing.assert_array_equal(chosen.rows[:N_CANDIDATES], examples.rows[examples.of(1)])
    assert chosen.document_ids.tolist() == ["d0", "d0"]
