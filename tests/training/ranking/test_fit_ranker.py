"""A ranker fitted on made-up candidates."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from tests.training.ranking.conftest import N_CANDIDATES
from training.ranking.examples import Examples
from training.ranking.fit_ranker import TREES, crossed, fit_scorer, trees_of


def test_the_arrays_say_what_the_classifier_says(examples: Examples) -> None:
    grown = HistGradientBoostingClassifier(**TREES | {"min_samples_leaf": 5}, random_state=1)
    grown.fit(examples.rows, examples.is_assigned)
    np.testing.assert_allclose(
        trees_of(grown)(examples.rows), grown.decision_function(examples.rows), atol=1e-4
    )


def test_what_is_fitted_ranks_better_than_chance(examples: Examples) -> None:
    scorer = fit_scorer(examples)
    found = scorer(examples.rows)
    assert found[examples.is_assigned].mean() > 0.7
    assert found[~examples.is_assigned].mean() < 0.1


def test_documents_of_one_id_are_in_one_fold(examples: Examples) -> None:
    # Each document is there twice; with its twin in training, held-out scores would be too good.
    twice = Examples.joined([examples, examples])
    alone, together = crossed(examples), crossed(twice)
    assert len(together) == 2 * len(alone)
    np.testing.assert_array_equal(together[: len(alone)], together[len(alone) :])


def test_documents_are_chosen_with_their_candidates(examples: Examples) -> None:
    chosen = examples.chosen(np.array([1, 0]))
    np.testing.assert_array_equal(chosen.rows[:N_CANDIDATES], examples.rows[examples.of(1)])
    assert chosen.document_ids.tolist() == ["d0", "d0"]
