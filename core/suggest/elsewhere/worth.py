"""What suggestions from elsewhere are worth: a cautious guess at first, then what decisions say.

Suggestions are counted by score, in five bins, and apart where the others of the project suggest
the same concept. Before anything is decided, `N_GUESSED` suggestions in each bin stand for the
guess: of those that nobody else suggests, few are right (`GUESSED_ALONE`), and of those that others
suggest at 50 %, 55 %. Decisions are added to these. So a bin with 20 judged suggestions is worth
the mean of guess and decisions.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.suggest.protocol import FinishedDocument
from core.suggest.suggestions import FromElsewhere

Array = npt.NDArray[np.float64]

N_BINS = 5
N_GUESSED = 20.0
GUESSED_ALONE = (0.02, 0.04, 0.06, 0.10, 0.15)
"""Of suggestions with scores up to 0.2, 0.4, 0.6, 0.8 and 1, the share that is right."""
GUESSED_AGREEING, EXPECTED_AGREEING = 0.55, 0.5
AGREEING = 0.05
"""The probability that others give a concept, from which on they suggest it as well."""
UNTOUCHED = 0.5
"""What was neither accepted nor rejected in a finished document counts half as much."""
ALONE, TOGETHER = 0, 1
JUDGED, ACCEPTED, EXPECTED = 0, 1, 2


def bin_of(score: float) -> int:
    """Return the number of the bin of a score in [0, 1]."""
    return min(int(score * N_BINS), N_BINS - 1)


class LearnedWorth(NamedTuple):
    """What suggestions from elsewhere are worth, by bin.

    Attributes:
        alone: the share that is right of those that nobody else suggests.
        odds: by how much the odds of the others rise where they suggest the same.
    """

    alone: tuple[float, ...]
    odds: tuple[float, ...]

    def chance(self, score: float, beside: float) -> float:
        """Return the probability of a concept that was suggested elsewhere.

        Args:
            beside: what the others give it; 0 where they do not suggest it.
        """
        number = bin_of(score)
        if AGREEING <= beside < 1:
            odds = self.odds[number] * beside / (1 - beside)
            beside = odds / (1 + odds)
        return max(beside, self.alone[number])


class Worth:
    """Learns from finished documents what one suggester elsewhere is worth in a project.

    Args:
        identity: of the suggester; what another one said teaches nothing.
    """

    def __init__(self, identity: str) -> None:
        self.identity = identity
        self.n_updates = 0
        self._counts: dict[str, Array] = {}
        self._versions: dict[str, int] = {}
        self._known: LearnedWorth | None = None
        self._lock = threading.Lock()

    def learned(self) -> Mapping[str, int]:
        """Return the documents that it has learned from, with the version of their decisions."""
        return dict(self._versions)

    def learn(self, documents: Iterable[FinishedDocument]) -> None:
        """Learn from documents, also in the place of what was learned from them before."""
        found = {row.document.document_id: (row.version, self._counted(row)) for row in documents}
        with self._lock:
            self._versions |= {i: version for i, (version, _) in found.items()}
            self._counts |= {i: counts for i, (_, counts) in found.items()}
            self._known = None
            self.n_updates += 1

    def forget(self, document_ids: Iterable[str]) -> None:
        """Know what it would know if these documents had never been finished."""
        with self._lock:
            for document_id in document_ids:
                self._versions.pop(document_id, None)
                self._counts.pop(document_id, None)
            self._known = None
            self.n_updates += 1

    def now(self) -> LearnedWorth:
        """Return what is known now."""
        with self._lock:
            if self._known is None:
                counts = [self._counts[document_id] for document_id in sorted(self._counts)]
                self._known = worth_of(np.sum([_nothing(), *counts], axis=0))
            return self._known

    def _counted(self, finished: FinishedDocument) -> Array:
        said = finished.elsewhere
        if said is None or said.identity != self.identity:
            return _nothing()
        return counts_of(said, frozenset(finished.assigned), frozenset(finished.rejected))


def counts_of(said: FromElsewhere, assigned: frozenset[str], rejected: frozenset[str]) -> Array:
    """Count the suggestions for one document.

    Returns:
        How many were judged, how many of these accepted, and how many the others expected, by
        whether they suggest the same, and by bin: (2, n_bins, 3).
    """
    counts = _nothing()
    for concept_id, (score, beside) in said.found.items():
        is_right = concept_id in assigned
        weight = 1.0 if is_right or concept_id in rejected else UNTOUCHED
        together = TOGETHER if beside >= AGREEING else ALONE
        counts[together, bin_of(score)] += (weight, float(is_right), weight * beside)
    return counts


def worth_of(counts: Array) -> LearnedWorth:
    """Return what suggestions are worth after so many, as `counts_of` counts them."""
    judged = counts[:, :, JUDGED] + N_GUESSED
    alone = (counts[ALONE, :, ACCEPTED] + N_GUESSED * np.array(GUESSED_ALONE)) / judged[ALONE]
    right = (counts[TOGETHER, :, ACCEPTED] + N_GUESSED * GUESSED_AGREEING) / judged[TOGETHER]
    expected = (counts[TOGETHER, :, EXPECTED] + N_GUESSED * EXPECTED_AGREEING) / judged[TOGETHER]
    odds = right / (1 - right) / (expected / (1 - expected))
    return LearnedWorth(tuple(alone.tolist()), tuple(odds.tolist()))


def _nothing() -> Array:
    return np.zeros((2, N_BINS, 3))
