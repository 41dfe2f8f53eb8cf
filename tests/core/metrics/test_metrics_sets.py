"""Metrics of predicted label sets, flat and along the hierarchy, by values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from core.metrics import (
    ancestor_closure,
    augment,
    hierarchical_counts,
    macro_f1,
    micro_f1,
    micro_precision,
    micro_recall,
    predicted,
)

# At 0.5 the predictions are {0, 1}, {1}, {2}, {}. Gold labels are {0}, {1, 2}, {}, {0}.
Y_SCORE = np.array(
    [[0.9, 0.6, 0.1, 0.0], [0.4, 0.5, 0.2, 0.0], [0.1, 0.1, 0.8, 0.0], [0.3, 0, 0, 0]]
)
Y_TRUE = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]])

# Labels 0: hits 1, predicted 1, gold 2. 1: 1, 2, 1. 2: 0, 1, 1. 3: never gold nor predicted.


def test_micro_metrics_count_pairs() -> None:
    assert micro_precision(Y_TRUE, Y_SCORE) == pytest.approx(2 / 4)
    assert micro_recall(Y_TRUE, Y_SCORE) == pytest.approx(2 / 4)
    assert micro_f1(Y_TRUE, Y_SCORE) == pytest.approx(4 / 8)


def test_macro_f1_is_the_mean_over_labels_that_are_gold_or_predicted() -> None:
    assert macro_f1(Y_TRUE, Y_SCORE) == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)


def test_a_label_that_is_gold_but_never_predicted_counts_for_nothing() -> None:
    y_true, y_score = np.array([[1, 1]]), np.array([[0.9, 0.1]])
    assert macro_f1(y_true, y_score) == pytest.approx(0.5)


def test_a_threshold_for_each_label() -> None:
    thresholds = np.array([0.3, 0.6, 0.9, 0.5])  # predictions are {0, 1}, {0}, {}, {0}
    assert micro_precision(Y_TRUE, Y_SCORE, thresholds) == pytest.approx(2 / 4)
    assert micro_recall(Y_TRUE, Y_SCORE, thresholds) == pytest.approx(2 / 4)


def test_a_document_without_gold_labels_costs_precision_alone() -> None:
    with_it, without = (
        micro_recall(Y_TRUE, Y_SCORE),
        micro_recall(Y_TRUE[[0, 1, 3]], Y_SCORE[[0, 1, 3]]),
    )
    assert with_it == without
    assert micro_precision(Y_TRUE[[0, 1, 3]], Y_SCORE[[0, 1, 3]]) == pytest.approx(2 / 3)


def test_nothing_predicted_is_zero_and_nothing_at_all_is_undefined() -> None:
    nothing = np.zeros((2, 4))
    assert micro_precision(Y_TRUE[:2], nothing) == 0.0
    assert micro_f1(Y_TRUE[:2], nothing) == 0.0
    for metric in (micro_precision, micro_recall, micro_f1, macro_f1):
        assert np.isnan(metric(nothing, nothing))


def test_predictions_may_be_sparse() -> None:
    chosen = predicted(Y_SCORE)
    assert micro_f1(sparse.csr_array(Y_TRUE), chosen) == micro_f1(Y_TRUE, Y_SCORE)
    scores = sparse.csr_matrix(Y_SCORE)
    per_label = np.array([0.3, 0.6, 0.9, 0.5])
    assert_array_equal(predicted(scores, 0.3).toarray(), Y_SCORE >= 0.3)
    assert_array_equal(predicted(scores, per_label).toarray(), Y_SCORE >= per_label)
    with pytest.raises(ValueError, match="above 0"):
        predicted(scores, 0.0)


# A hierarchy: 0 over 1 and 2, 1 over 3, 2 and 5 over 4 (two broader concepts).
PAIRS = np.array([[1, 0], [2, 0], [3, 1], [4, 2], [4, 5]])


def test_closure_holds_every_ancestor_and_not_the_label_itself() -> None:
    rows = [np.flatnonzero(row).tolist() for row in ancestor_closure(PAIRS, 6).toarray()]
    assert rows == [[], [0], [0], [0, 1], [0, 2, 5], []]


def test_a_vocabulary_without_edges_has_an_empty_closure() -> None:
    assert ancestor_closure(np.empty((0, 2)), 3).nnz == 0


def one_hot(*columns: int) -> np.ndarray:
    return np.isin(np.arange(6), columns)[None].astype(float)


def test_augmentation_adds_all_ancestors_once() -> None:
    augmented = augment(one_hot(3, 4), ancestor_closure(PAIRS, 6))
    assert_array_equal(augmented.toarray(), [[True] * 6])
    assert_array_equal(augment(one_hot(), ancestor_closure(PAIRS, 6)).toarray(), one_hot() > 0)


def test_a_wrong_concept_gets_credit_for_the_ancestors_it_shares() -> None:
    closure = ancestor_closure(PAIRS, 6)
    gold, guess = one_hot(3), one_hot(4)  # {0, 1, 3} and {0, 2, 4, 5} share 0
    counts = hierarchical_counts(gold, guess, closure)
    assert counts.precision() == pytest.approx(1 / 4)
    assert counts.recall() == pytest.approx(1 / 3)
    assert counts.f1() == pytest.approx(2 / 7)
    assert micro_f1(gold, guess) == 0.0


def test_a_broader_concept_is_precise_and_a_narrower_one_complete() -> None:
    closure = ancestor_closure(PAIRS, 6)
    broader = hierarchical_counts(one_hot(3), one_hot(1), closure)
    assert broader.precision() == 1.0
    assert broader.recall() == pytest.approx(2 / 3)
    assert hierarchical_counts(one_hot(1), one_hot(3), closure).recall() == 1.0


def test_documents_are_summed_a_row_without_labels_among_them() -> None:
    closure = ancestor_closure(PAIRS, 6)
    y_true = np.vstack([one_hot(3), one_hot(), one_hot(5)])
    y_pred = np.vstack([one_hot(1), one_hot(2), one_hot(5)])  # hits 2, 0, 1 of 2, 2, 1
    counts = hierarchical_counts(y_true, y_pred, closure)
    assert counts.precision() == pytest.approx(3 / 5)
    assert counts.recall() == pytest.approx(3 / 4)
