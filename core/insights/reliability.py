"""Whether what is called 80 % probable is right 8 times of 10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core import metrics
from core.insights.judged import Judged, Matrix, number

BINS = 10
LEAST = 0.01
"""Less probable pairs are left out: with thousands of labels they are nearly all, and no reader
sees them."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The (document, label) pairs with a probability from `low` to below `high`.

    Attributes:
        probability: their mean probability.
        share: how many of them people assigned, in [0, 1].
    """

    low: float
    high: float
    n_pairs: int
    probability: float | None
    share: float | None


@dataclass(frozen=True, slots=True)
class Curve:
    """A reliability curve.

    Attributes:
        name: "assigned", "uncalibrated" (the same before calibration) or "branch".
        error: the expected calibration error over these bins, 0 is best.
    """

    name: str
    error: float | None
    bins: tuple[Bin, ...]


def reliability(judged: Judged) -> tuple[Curve, ...]:
    """Return a curve for every kind of probability that is there.

    Source: Guo, Pleiss, Sun and Weinberger (2017), equations 2 and 3; ten bins of equal width,
    of the pairs that are at least 1 % probable.
    """
    columns = np.flatnonzero(judged.label_space.assignable)
    kinds: tuple[tuple[str, Any, Matrix | None], ...] = (
        ("assigned", judged.gold[:, columns], judged.assigned),
        ("uncalibrated", judged.gold[:, columns], judged.uncalibrated),
        ("branch", judged.augmented, judged.branch),
    )
    return tuple(
        curve(name, gold, probs if name == "branch" else probs[:, columns])
        for name, gold, probs in kinds
        if probs is not None
    )


def curve(name: str, gold: Any, probs: Matrix) -> Curve:
    """Return the curve of gold labels and probabilities, both (n_documents, n_labels)."""
    totals = metrics.reliability_bins(gold, probs, BINS, minimum=LEAST)
    error = metrics.expected_calibration_error(gold, probs, BINS, minimum=LEAST)
    bins = (_bin(i, *totals[:, i].tolist()) for i in range(BINS))
    return Curve(name, number(error), tuple(bins))


def _bin(index: int, n_pairs: float, confidence: float, hits: float) -> Bin:
    low, high = max(index / BINS, LEAST), (index + 1) / BINS
    if not n_pairs:
        return Bin(low, high, 0, None, None)
    return Bin(low, high, int(n_pairs), number(confidence / n_pairs), number(hits / n_pairs))
