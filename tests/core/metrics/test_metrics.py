"""Ranking metrics, by values computed by hand; a document without labels is among them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from core.metrics import (
    average_precision,
    f1_at_k,
    mean_defined,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    r_precision_by_level,
    recall_at_k,
    top_columns,
)

NAN = float("nan")

# Ranking of the first document: columns 1, 0, 3, 2, 4; of the second: 4, 3, 2, 1, 0.
Y_SCORE = np.array(
    [
        [0.8, 0.9, 0.2, 0.6, 0.1],
        [0.1, 0.2, 0.3, 0.4, 0.5],
        [0.9, 0.8, 0.7, 0.6, 0.5],
    ]
)
Y_TRUE = np.array(
    [
        [1, 0, 1, 1, 0],  # hits at ranks 2, 3 and 4
        [0, 0, 0, 0, 1],  # a hit at rank 1
        [0, 0, 0, 0, 0],  # nothing was assigned
    ]
)


def test_r_precision_counts_hits_among_the_first_r_ranks() -> None:
    assert_allclose(r_precision(Y_TRUE, Y_SCORE), [2 / 3, 1.0, NAN])


def test_r_precision_is_not_hits_at_k_over_min_k_gold() -> None:
    """The "R-Precision@5" of the EURLEX57K code would be 3 / min(5, 3) = 1 for the first row."""
    hits = 5 * precision_at_k(Y_TRUE, Y_SCORE, 5)
    assert hits[0] / min(5, Y_TRUE[0].sum()) == 1.0
    assert r_precision(Y_TRUE, Y_SCORE)[0] == pytest.approx(2 / 3)


def test_one_gold_label_at_the_second_rank_has_no_r_precision() -> None:
    """R is 1 here, so the second rank is beyond it; the best score is another label's."""
    assert_array_equal(r_precision(np.array([[0, 1, 0]]), np.array([[0.9, 0.8, 0.1]])), [0.0])


def test_average_precision_counts_labels_without_a_column_as_never_found() -> None:
    # Hits at ranks 2, 3 and 4; a hit at rank 1; nothing to find.
    found = (1 / 2 + 2 / 3 + 3 / 4) / 3
    assert_allclose(average_precision(Y_TRUE, Y_SCORE), [found, 1.0, NAN])
    beside = average_precision(Y_TRUE, Y_SCORE, n_gold=np.array([4, 1, 0]))
    assert_allclose(beside, [found * 3 / 4, 1.0, NAN])


def test_mean_leaves_documents_without_gold_labels_out() -> None:
    assert mean_defined(r_precision(Y_TRUE, Y_SCORE)) == pytest.approx(5 / 6)
    assert np.isnan(mean_defined(r_precision(Y_TRUE[2:], Y_SCORE[2:])))
    assert np.isnan(mean_defined([]))


def test_sparse_and_dense_gold_labels_agree() -> None:
    for layout in (sparse.csr_matrix, sparse.csr_array, sparse.coo_matrix):
        assert_allclose(r_precision(layout(Y_TRUE), Y_SCORE), r_precision(Y_TRUE, Y_SCORE))
    assert_allclose(r_precision(Y_TRUE.astype(bool), Y_SCORE), r_precision(Y_TRUE, Y_SCORE))


def test_stored_zeros_are_no_gold_labels_and_the_input_stays_as_it_was() -> None:
    stored = sparse.csr_matrix((np.array([1.0, 0.0]), ([0, 0], [1, 2])), shape=(1, 3))
    assert_allclose(r_precision(stored, np.array([[0.1, 0.9, 0.5]])), [1.0])
    assert stored.nnz == 2


def test_equal_scores_are_ranked_by_column() -> None:
    tied = np.array([[0.5, 0.7, 0.5, 0.5, 0.7, 0.5]])
    for k in range(1, 8):
        assert_array_equal(top_columns(tied, k), [[1, 4, 0, 2, 3, 5][:k]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.bool_])
def test_top_columns_are_those_of_a_full_stable_sort(dtype: type) -> None:
    scores = np.random.default_rng(0).integers(0, 5, (300, 40)).astype(dtype)
    expected = np.argsort(-scores.astype(float), axis=1, kind="stable")
    for k in (0, 1, 7, 39, 40, 50):
        assert_array_equal(top_columns(scores, k), expected[:, :k])


def test_precision_divides_by_k_even_where_fewer_labels_are_gold() -> None:
    assert_allclose(precision_at_k(Y_TRUE, Y_SCORE, 2), [1 / 2, 1 / 2, NAN])
    assert_allclose(precision_at_k(Y_TRUE, Y_SCORE, 10), [3 / 10, 1 / 10, NAN])


def test_recall_divides_by_gold() -> None:
    assert_allclose(recall_at_k(Y_TRUE, Y_SCORE, 3), [2 / 3, 1.0, NAN])


def test_f1_is_twice_the_hits_over_k_and_gold() -> None:
    assert_allclose(f1_at_k(Y_TRUE, Y_SCORE, 3), [4 / 6, 2 / 4, NAN])
    precision, recall = precision_at_k(Y_TRUE, Y_SCORE, 3), recall_at_k(Y_TRUE, Y_SCORE, 3)
    assert_allclose(f1_at_k(Y_TRUE, Y_SCORE, 3), 2 * precision * recall / (precision + recall))


def test_ndcg_compares_with_as_many_hits_as_could_be_had() -> None:
    # Discounts 1, 1/log2(3) = 0.6309298, 1/2. First row at k = 2: a hit at rank 2 of two possible.
    assert_allclose(ndcg_at_k(Y_TRUE, Y_SCORE, 2), [0.6309298 / 1.6309298, 1.0, NAN], rtol=1e-6)
    assert_allclose(ndcg_at_k(Y_TRUE, Y_SCORE, 3)[0], 1.1309298 / 2.1309298, rtol=1e-6)


def test_k_beyond_the_labels_ranks_them_all() -> None:
    at_five, at_nine = (ndcg_at_k(Y_TRUE, Y_SCORE, k) for k in (5, 9))
    assert_allclose(at_five, at_nine)


# Columns 0, 1 are level 1; 2, 3 level 2; 4 level 3.
LEVELS = np.array([1, 1, 2, 2, 3])


def test_r_precision_by_level_counts_only_documents_with_gold_labels_there() -> None:
    # Level 1: only document 1, gold 0, ranked 1, 0: 0. Level 2: only document 1, both gold: 1.
    # Level 3: only document 2: 1. All together: 2/3 and 1.
    values = r_precision_by_level(Y_TRUE, Y_SCORE, LEVELS, depth=3)
    means = {name: mean_defined(of_documents) for name, of_documents in values.items()}
    assert means == pytest.approx({"level_1": 0.0, "level_2": 1.0, "level_3": 1.0, "micro": 5 / 6})


def test_levels_below_the_depth_take_no_part_in_micro() -> None:
    values = r_precision_by_level(Y_TRUE, Y_SCORE, LEVELS, depth=2)
    assert list(values) == ["level_1", "level_2", "micro"]
    assert_allclose(values["micro"], [2 / 3, NAN, NAN])


def test_a_level_without_gold_labels_is_undefined() -> None:
    values = r_precision_by_level(Y_TRUE[:1], Y_SCORE[:1], LEVELS, depth=4)
    assert np.isnan(values["level_3"]).all()
    assert np.isnan(values["level_4"]).all()


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="same documents"):
        r_precision(Y_TRUE[:2], Y_SCORE)
    with pytest.raises(ValueError, match="4 levels"):
        r_precision_by_level(Y_TRUE, Y_SCORE, LEVELS[:4])
    with pytest.raises(ValueError, match="at least 1"):
        precision_at_k(Y_TRUE, Y_SCORE, 0)
    with pytest.raises(ValueError, match="NaN"):
        r_precision(Y_TRUE, np.full(Y_SCORE.shape, np.nan))


def test_no_documents_give_no_values() -> None:
    assert r_precision(Y_TRUE[:0], Y_SCORE[:0]).shape == (0,)
    assert ndcg_at_k(Y_TRUE[:0], Y_SCORE[:0], 5).shape == (0,)
