"""Calibration error and paired bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

from core.metrics import (
    expected_calibration_error,
    paired_bootstrap,
    reliability_bins,
)


def test_calibration_error_is_the_weighted_distance_of_each_bin() -> None:
    # Two bins. Below 0.5: 0.1, 0.3, mean 0.2, half are gold. Above: 0.8, 1.0, mean 0.9, all are.
    probs, y_true = np.array([[0.1, 0.8], [0.3, 1.0]]), np.array([[0, 1], [1, 1]])
    assert expected_calibration_error(y_true, probs, bins=2) == pytest.approx(0.5 * 0.3 + 0.5 * 0.1)


def test_pairs_below_the_minimum_are_left_out() -> None:
    probs, y_true = np.array([[0.1, 0.8], [0.3, 1.0]]), np.array([[0, 1], [1, 1]])
    error = expected_calibration_error(y_true, probs, bins=2, minimum=0.5)
    assert error == pytest.approx(0.1)
    assert np.isnan(expected_calibration_error(y_true[:1], probs[:1], minimum=0.9))


def test_perfect_calibration_has_no_error_a_row_without_labels_among_it() -> None:
    probs = np.full((4, 5), 0.25)
    y_true = np.zeros((4, 5))
    y_true[1] = 1
    assert expected_calibration_error(y_true, probs) == pytest.approx(0.0)


def test_what_is_no_probability_is_refused() -> None:
    for bad in (1.5, -0.1, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            expected_calibration_error(np.array([[1]]), np.array([[bad]]))


def test_bootstrap_leaves_out_documents_without_a_value() -> None:
    result = paired_bootstrap([0.5, np.nan, 0.7, 0.9], [0.4, 0.2, np.nan, 0.8], n_resamples=100)
    assert result.n_documents == 2
    assert result.mean_difference == pytest.approx(0.1)
    assert (result.low, result.high) == pytest.approx((0.1, 0.1))


def test_bootstrap_interval_is_that_of_the_normal_theory() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.70, 0.2, 2_000), rng.normal(0.68, 0.2, 2_000)
    result = paired_bootstrap(a, b)
    half_width = 1.96 * np.std(a - b) / np.sqrt(2_000)
    assert result.high - result.low == pytest.approx(2 * half_width, rel=0.05)
    assert result.low < result.mean_difference < result.high


def test_bootstrap_p_value_is_small_for_a_real_difference_and_large_for_none() -> None:
    noise = np.random.default_rng(2).normal(0, 0.1, 500)
    assert paired_bootstrap(noise + 0.05, np.zeros(500)).p_value == pytest.approx(1 / 10_001)
    assert paired_bootstrap(noise - noise.mean(), np.zeros(500)).p_value > 0.9
    assert paired_bootstrap([0.5, 0.6], [0.5, 0.6], n_resamples=50).p_value == 1.0


def test_bootstrap_is_the_same_for_the_same_seed_and_mirrored_for_swapped_runs() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random(50), rng.random(50)
    assert paired_bootstrap(a, b, seed=7) == paired_bootstrap(a, b, seed=7)
    forward, backward = paired_bootstrap(a, b), paired_bootstrap(b, a)
    assert forward.p_value == backward.p_value
    assert forward.low == pytest.approx(-backward.high)


def test_runs_on_other_documents_are_refused() -> None:
    with pytest.raises(ValueError, match="same documents"):
        paired_bootstrap([0.1, 0.2], [0.1])
    with pytest.raises(ValueError, match="no document"):
        paired_bootstrap([np.nan, 0.2], [0.1, np.nan])


def test_reliability_bins_count_what_the_error_is_made_of() -> None:
    y_true, probs = np.array([[0, 1, 1]]), np.array([[0.2, 0.6, 1.0]])
    pairs, confidence, hits = reliability_bins(y_true, probs, 2)
    assert pairs.tolist() == [1, 2]
    assert confidence == pytest.approx([0.2, 1.6])
    assert hits.tolist() == [0, 2]
