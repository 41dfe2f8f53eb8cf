"""Probabilities of one label a document: by hand, fitted, and back from JSON."""

import json
import math

import numpy as np
import pytest

from core.suggest.calibration import Calibration, Temperature
from training.shipping.fit_fusion import fit_temperature

LOGITS = np.array([[0.0, math.log(2), math.log(5)], [300.0, 0.0, 0.0]], dtype=np.float32)


def test_a_softmax_by_hand():
    np.testing.assert_allclose(Temperature()(LOGITS), [[1 / 8, 2 / 8, 5 / 8], [1, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(Temperature(2.0)(LOGITS)[0], [1 / 30, 4 / 30, 25 / 30], rtol=1e-5)


def test_a_part_of_a_softmax_moves_with_its_own_logit_alone():
    columns = np.array([2, 0])
    beside = Temperature(2.0).beside(LOGITS[0], columns)
    np.testing.assert_allclose(beside(LOGITS[0][columns]), [25 / 30, 1 / 30], rtol=1e-5)
    # With ln 1 in place of ln 5: e⁰ against e⁰ + e^(2 ln 2).
    np.testing.assert_allclose(beside(np.zeros(2, dtype=np.float32))[0], 1 / 6, rtol=1e-5)


def test_the_temperature_that_made_the_labels_is_found():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 4, size=(4000, 5)).astype(np.float32)
    chances = Temperature(0.4)(logits)
    drawn = (chances.cumsum(axis=1) < rng.random((4000, 1))).sum(axis=1).clip(max=4)
    fitted = fit_temperature(logits, np.eye(5, dtype=np.float32)[drawn])
    assert fitted.slope == pytest.approx(0.4, abs=0.02)


def test_labels_that_are_all_right_leave_a_doubt_and_none_leave_it_alone():
    right = np.eye(3, dtype=np.float32)
    assert fit_temperature(right, right).slope == pytest.approx(20, rel=0.01)
    assert fit_temperature(right, np.zeros_like(right)) == Temperature()


def test_a_calibration_keeps_its_objective():
    single = Calibration((), Temperature(0.5), Temperature(0.7))
    assert Calibration.from_dict(json.loads(json.dumps(single.to_dict()))) == single
    assert Calibration.identity(0, "single_label").objective == "single_label"
