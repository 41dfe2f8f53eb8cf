"""Whether one run is better than another, or the documents were kind to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from core.metrics.matrices import Values

RESAMPLES_AT_ONCE = 500
SUMMED_AT_ONCE = 32
"""As many as stay in a processor's cache as floats, which halves the time."""


@dataclass(frozen=True, slots=True)
class BootstrapResult:
    """What resampling the documents says of the difference between two runs.

    Attributes:
        mean_difference: mean of first minus second; positive where the first is better.
        low: lower end of the 95 % interval of the mean difference.
        high: upper end of it.
        p_value: two-sided, of a difference this large arising where there is none.
        n_documents: documents for which both runs have a value.
    """

    mean_difference: float
    low: float
    high: float
    p_value: float
    n_documents: int


def paired_bootstrap(
    values_a: npt.ArrayLike,
    values_b: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> BootstrapResult:
    """Compare two runs by their values on the same documents, in the same order.

    Documents for which either value is NaN are left out. The interval holds the 2.5 % and 97.5 %
    quantiles of the resampled means; the p-value is the share of resampled means that lie at least
    as far from the observed mean as this lies from 0, one being added so that it is never 0.

    Raises:
        ValueError: the runs have different numbers of documents, or none in common.
    Source: Efron and Tibshirani (1993), chapters 13 and 16; Berg-Kirkpatrick, Burkett and Klein
        (2012) for its use on paired systems.
    """
    differences = _paired_differences(values_a, values_b)
    means = _resampled_means(differences, n_resamples, seed)
    # Sums in another order differ in the last digits; no equal mean must be a smaller one.
    slack = 1e-12 * max(1.0, float(np.abs(differences).max()))
    return _result(float(differences.mean()), means, len(differences), slack)


def _result(observed: float, resampled: Values, n_documents: int, slack: float) -> BootstrapResult:
    """The interval of resampled differences, and how often they are as far off as the observed.

    A resample in which nothing can be measured is NaN, and left out.
    """
    resampled = resampled[~np.isnan(resampled)]
    low, high = np.quantile(resampled, [0.025, 0.975])
    as_far = int((np.abs(resampled - observed) >= abs(observed) - slack).sum())
    p_value = (as_far + 1) / (len(resampled) + 1)
    return BootstrapResult(observed, float(low), float(high), p_value, n_documents)


def _paired_differences(values_a: npt.ArrayLike, values_b: npt.ArrayLike) -> Values:
    a, b = np.asarray(values_a, dtype=np.float64), np.asarray(values_b, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"values of shapes {a.shape} and {b.shape} are not of the same documents")
    differences = (a - b)[~(np.isnan(a) | np.isnan(b))]
    if not differences.size:
        raise ValueError("no document has a value in both runs")
    return differences


def _resampled_means(differences: Values, n_resamples: int, seed: int) -> Values:
    counts = times_drawn(len(differences), n_resamples, seed)
    means = np.empty(n_resamples)
    for start in range(0, n_resamples, SUMMED_AT_ONCE):
        part = counts[start : start + SUMMED_AT_ONCE].astype(np.float64)
        means[start : start + SUMMED_AT_ONCE] = part @ differences / len(differences)
    # Sums in another order, as on another processor, must not print another last digit.
    return np.round(means, 12)


# The tables of one folder compare dozens of runs over the same documents; drawing took nearly all
# of their time. Eight are the numbers of documents that six depths and all together have.
@lru_cache(maxsize=8)
def times_drawn(n_documents: int, n_resamples: int, seed: int) -> npt.NDArray[np.uint8]:
    """Return how often each resample has each document, shape (n_resamples, n_documents).

    A document is drawn about once; 255 times would need more luck than there is.
    """
    rng = np.random.default_rng(seed)
    counts = np.empty((n_resamples, n_documents), dtype=np.uint8)
    for start in range(0, n_resamples, RESAMPLES_AT_ONCE):
        n_rows = min(RESAMPLES_AT_ONCE, n_resamples - start)
        drawn = rng.integers(n_documents, size=(n_rows, n_documents))
        places = (drawn + n_documents * np.arange(n_rows)[:, None]).ravel()
        counted = np.bincount(places, minlength=n_rows * n_documents)
        counts[start : start + n_rows] = counted.reshape(n_rows, n_documents)
    return counts
