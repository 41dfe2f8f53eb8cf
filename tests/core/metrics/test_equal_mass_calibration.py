"""Calibration over bins of equally many pairs, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.metrics import equal_mass_calibration_error, error_if_calibrated


def test_each_bin_has_as_many_pairs() -> None:
    probs = np.array([0.9, 0.1, 0.8, 0.3])
    hits = np.array([1, 0, 0, 1])
    # The lower two: 0.4 said, one hit; the upper two: 1.7 said, one hit.
    found = equal_mass_calibration_error(hits, probs, bins=2)
    assert found == pytest.approx((abs(1 - 0.4) + abs(1 - 1.7)) / 4)


def test_no_pairs_have_no_error() -> None:
    assert math.isnan(equal_mass_calibration_error(np.empty(0), np.empty(0)))


def test_perfect_probabilities_have_an_error_by_chance() -> None:
    # One bin of n pairs at p: the share of hits is off by |binomial − np| / n.
    n, p = 400, 0.5
    wanted = math.sqrt(p * (1 - p) / n) * math.sqrt(2 / math.pi)
    found = error_if_calibrated(np.full(n, p), bins=1, n_draws=2000)
    assert found == pytest.approx(wanted, rel=0.1)


def test_certainties_have_none() -> None:
    assert error_if_calibrated(np.array([0.0, 1.0, 1.0])) == 0
