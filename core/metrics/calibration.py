"""Whether probabilities mean what they say."""

from __future__ import annotations

import numpy as np

from core.metrics.matrices import Array, Labels, check_same_shape, gold_matrix, row_blocks


def expected_calibration_error(
    y_true: Labels, probs: Array, bins: int = 15, *, minimum: float = 0.0
) -> float:
    """Return the mean distance of probability and share of gold pairs, over bins of equal width.

    Args:
        probs: in [0, 1], shape (n_documents, n_labels); every (document, label) pair counts.
        minimum: pairs below this probability are left out. With thousands of labels nearly all
            pairs are close to 0 and hide the rest; 0.01 shows what a reader sees.
    Returns:
        In [0, 1], 0 is best; NaN where no pair is left.
    Raises:
        ValueError: a probability is outside [0, 1] or NaN.
    Source: Naeini, Cooper and Hauskrecht (2015); Guo et al. (2017), equation 3.
    """
    pairs, confidence, hits = reliability_bins(y_true, probs, bins, minimum=minimum)
    return float(np.abs(confidence - hits).sum() / pairs.sum()) if pairs.sum() else float("nan")


def reliability_bins(
    y_true: Labels, probs: Array, bins: int = 15, *, minimum: float = 0.0
) -> Array:
    """Count what a reliability curve is drawn from; arguments as of the calibration error.

    Returns:
        Shape (3, bins), the bin of the lowest probabilities first: (document, label) pairs, the
        sum of their probabilities, and how many of them are gold.
    """
    check_same_shape(y_true, probs)
    gold = gold_matrix(y_true)
    totals = np.zeros((3, bins))
    for rows in row_blocks(gold.shape[0]):
        totals += _bin_totals(gold[rows].toarray(), np.asarray(probs[rows]), bins, minimum)
    return totals


def _bin_totals(gold: Array, probs: Array, bins: int, minimum: float) -> Array:
    """Pairs, summed probability and gold pairs of each bin, shape (3, bins)."""
    if not ((probs >= 0) & (probs <= 1)).all():
        raise ValueError("probabilities must be between 0 and 1")
    is_counted = probs >= minimum
    chosen = probs[is_counted].astype(np.float64)
    # A probability of exactly 1 belongs to the last bin.
    bin_of = np.minimum((chosen * bins).astype(np.intp), bins - 1)
    weights = (np.ones_like(chosen), chosen, gold[is_counted].astype(np.float64))
    return np.stack([np.bincount(bin_of, weights=w, minlength=bins) for w in weights])


def equal_mass_calibration_error(hits: Array, probs: Array, bins: int = 15) -> float:
    """Return the mean distance of probability and share of hits, over bins of equally many pairs.

    Where most probabilities are small, bins of equal width leave nearly all pairs in the first.

    Args:
        hits: 1 where the pair is gold, else 0, shape (n_pairs,).
        probs: shape (n_pairs,).
    Returns:
        In [0, 1], 0 is best; NaN without pairs.
    Source: Nixon et al. (2019), “Measuring calibration in deep learning”, adaptive error.
    """
    if not len(probs):
        return float("nan")
    order = np.argsort(probs, kind="stable")
    parts = np.array_split(np.asarray(hits, np.float64)[order] - np.asarray(probs)[order], bins)
    return float(sum(abs(part.sum()) for part in parts) / len(probs))


def error_if_calibrated(probs: Array, bins: int = 15, *, n_draws: int = 50) -> float:
    """Return the error that probabilities have on average where they mean exactly what they say.

    It is not 0: of few documents the shares differ from the probabilities by chance.

    Args:
        probs: shape (n_pairs,).
    """
    rng = np.random.default_rng(0)
    draws = (rng.random(len(probs)) < probs for _ in range(n_draws))
    return float(np.mean([equal_mass_calibration_error(hits, probs, bins) for hits in draws]))
