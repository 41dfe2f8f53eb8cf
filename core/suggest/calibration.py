"""Calibration: from logits to probabilities by one scaling a head, fitted on dev."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

# Beyond this a logit says nothing that a float32 probability could hold.
_SURE = 1e-7


@dataclass(frozen=True, slots=True)
class Platt:
    """p = σ(slope · logit + bias), each label for itself. Source: Platt (1999)."""

    slope: float = 1.0
    bias: float = 0.0

    def __call__(self, logits: Array) -> Array:
        """Probabilities of the same shape."""
        scaled: Array = np.clip(self.slope * logits + self.bias, -30.0, 30.0)
        return np.asarray(1.0 / (1.0 + np.exp(-scaled)), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Temperature:
    """p = softmax(slope · logits) over the last axis, for one label a document.

    Source: Guo et al. (2017), section 4.2; the slope is one divided by their temperature.
    """

    slope: float = 1.0

    def __call__(self, logits: Array) -> Array:
        """Probabilities of the same shape, which sum to 1 over all labels."""
        scaled = self.slope * (logits - logits.max(axis=-1, keepdims=True))
        odds = np.exp(scaled)
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True), dtype=np.float32)

    def beside(self, logits: Array, columns: npt.NDArray[np.int64]) -> Callable[[Array], Array]:
        """The probability of some labels as a function of their own logits, all others as given.

        Args:
            logits: of all labels of one document, shape (n_labels,).
        """
        scaled = self.slope * logits.astype(np.float64)
        others = [np.logaddexp.reduce(np.delete(scaled, column)) for column in columns]

        def probability(own_logits: Array) -> Array:
            margin = np.clip(self.slope * own_logits - np.array(others), -30.0, 30.0)
            return np.asarray(1.0 / (1.0 + np.exp(-margin)), dtype=np.float32)

        return probability


Scaling: TypeAlias = Platt | Temperature

SCALINGS: Mapping[str, type[Scaling]] = {"multi_label": Platt, "single_label": Temperature}
"""Objective of a model -> what its assigned head is scaled by."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """One `Platt` a level and a scaling for what is assigned, each fitted on dev documents.

    Attributes:
        levels: by level, the most general first; none without level heads.
        assigned: for documents of which only the title was read.
        assigned_text: for documents whose text was read; joined windows are scaled otherwise.
    """

    levels: tuple[Platt, ...]
    assigned: Scaling
    assigned_text: Scaling

    @property
    def objective(self) -> str:
        """What the assigned head was trained for, "multi_label" or "single_label"."""
        return "single_label" if isinstance(self.assigned, Temperature) else "multi_label"

    def scaling(self, *, has_text: bool) -> Scaling:
        """Return the scaling of what is assigned, for a kind of document."""
        return self.assigned_text if has_text else self.assigned

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for `calibration.json`."""
        return {**asdict(self), "objective": self.objective}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Calibration:
        """Read what `to_dict` gave."""
        scaling = SCALINGS[data["objective"]]
        return cls(
            tuple(Platt(**level) for level in data["levels"]),
            scaling(**data["assigned"]),
            scaling(**data["assigned_text"]),
        )

    @classmethod
    def identity(cls, n_levels: int, objective: str = "multi_label") -> Calibration:
        """Logits taken at their word."""
        scaling = SCALINGS[objective]()
        return cls((Platt(),) * n_levels, scaling, scaling)


def fit_platt(logits: Array, y_true: Array, *, prior: float = 0.0, n_steps: int = 30) -> Platt:
    """Return slope and bias of least cross-entropy, by Newton's method; shapes are equal.

    Args:
        prior: how strongly slope and bias are drawn to 1 and 0, as the inverse of their variance.
    """
    x, y = logits.ravel().astype(np.float64), y_true.ravel().astype(np.float64)
    # Columns that nobody would suggest are nearly all of a row and say nothing of the slope where
    # it matters, but they must not drop out: each is a correct “no” that the bias has to keep.
    slope, bias, drawn = 1.0, 0.0, prior / max(len(x), 1)

    def cross_entropy(slope: float, bias: float) -> float:
        z = slope * x + bias
        away = (slope - 1) ** 2 + bias**2
        return float((np.logaddexp(0, z) - y * z).mean() + drawn * away / 2)

    before = cross_entropy(slope, bias)
    for _ in range(n_steps):
        p = 1 / (1 + np.exp(-np.clip(slope * x + bias, -30, 30)))
        error, weight = p - y, np.maximum(p * (1 - p), 1e-12)
        gradient = np.array([error @ x + prior * (slope - 1), error.sum() + prior * bias])
        cross = weight @ x
        hessian = np.array([[weight @ (x * x), cross], [cross, weight.sum()]])
        step = np.linalg.solve(hessian + (prior + 1e-9) * np.eye(2), gradient)
        if np.abs(step).max() < 1e-6:
            slope, bias = slope - step[0], bias - step[1]
            break
        # Where the logits are far too steep, a whole step would go beyond what it looks for.
        while (after := cross_entropy(slope - step[0], bias - step[1])) > before:
            step /= 2
            if np.abs(step).max() < 1e-9:
                return Platt(float(slope), float(bias))
        slope, bias, before = slope - step[0], bias - step[1], after
    return Platt(float(slope), float(bias))


def logits(probs: Array) -> Array:
    """Return the log-odds ln p / (1 − p), bounded, in the same shape."""
    p = np.clip(probs, _SURE, 1 - _SURE)
    return np.asarray(np.log(p) - np.log1p(-p), dtype=np.float32)
