"""Fitting what makes logits mean what they say: Platt's scaling, or a softmax's temperature."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from core.suggest.calibration import Platt, Temperature

Array = npt.NDArray[np.float32]

_STEEPEST = 20.0


def fit_platt(logits: Array, y_true: Array, *, n_steps: int = 30) -> Platt:
    """Slope and bias of least cross-entropy, by Newton's method; shapes are equal."""
    x, y = logits.ravel().astype(np.float64), y_true.ravel().astype(np.float64)
    # Columns that nobody would suggest are nearly all of a row and say nothing of the slope where
    # it matters, but they must not drop out: each is a correct “no” that the bias has to keep.
    slope, bias = 1.0, 0.0
    for _ in range(n_steps):
        p = 1 / (1 + np.exp(-np.clip(slope * x + bias, -30, 30)))
        error, weight = p - y, np.maximum(p * (1 - p), 1e-12)
        gradient = np.array([error @ x, error.sum()])
        cross = weight @ x
        hessian = np.array([[weight @ (x * x), cross], [cross, weight.sum()]])
        step = np.linalg.solve(hessian + 1e-9 * np.eye(2), gradient)
        slope, bias = slope - step[0], bias - step[1]
        if np.abs(step).max() < 1e-6:
            break
    return Platt(float(slope), float(bias))


def fit_temperature(logits: Array, y_true: Array) -> Temperature:
    """The slope of a softmax with the least cross-entropy, between a twentieth and twenty.

    Args:
        logits, y_true: of the same shape, with one label a row; rows without one do not count.
    """
    labelled = y_true.sum(axis=1) > 0
    x, gold = logits[labelled].astype(np.float64), y_true[labelled].argmax(axis=1)
    if not len(gold):
        return Temperature()

    def cross_entropy(log_slope: float) -> float:
        scaled = np.exp(log_slope) * x
        own = scaled[np.arange(len(gold)), gold]
        return float((np.logaddexp.reduce(scaled, axis=1) - own).mean())

    # Where all documents are right, ever steeper is ever better: the bound keeps it from certainty.
    bounds = (np.log(1 / _STEEPEST), np.log(_STEEPEST))
    found = minimize_scalar(cross_entropy, bounds=bounds, method="bounded")
    return Temperature(float(np.exp(found.x)))
