"""What became of suggestions that people decided on: the same figures from one's own documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.insights.reliability import Curve, curve

RANKS = ((1, 1), (2, 3), (4, 5), (6, 10), (11, 20), (21, None))
"""First and last rank of each group of suggestions."""


@dataclass(frozen=True, slots=True)
class SuggestionOutcome:
    """A concept of a finished document, and whether a person took it.

    Attributes:
        probability, rank: as the person saw it; None where it was not suggested, but added.
    """

    taken: bool
    probability: float | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class RankRow:
    """The suggestions from one rank to another; `last` is None for all that follow."""

    first: int
    last: int | None
    n_shown: int
    n_taken: int


@dataclass(frozen=True, slots=True)
class DecisionStatistics:
    """What people did with what the model suggested.

    Attributes:
        n_taken: concepts that were accepted, `n_added` of them without being suggested.
        ranks: rows with at least one suggestion.
        curve: how often suggestions of each probability were taken.
    """

    n_documents: int
    n_shown: int
    n_taken: int
    n_added: int
    ranks: tuple[RankRow, ...]
    curve: Curve


def decision_statistics(documents: Iterable[Sequence[SuggestionOutcome]]) -> DecisionStatistics:
    """Count what became of suggestions on finished documents; each is its concepts' outcomes.

    A person saw the suggestion before deciding, so the shares lean towards the model, unlike those
    of documents that were indexed without it.
    """
    documents = list(documents)
    outcomes = [outcome for document in documents for outcome in document]
    shown = [outcome for outcome in outcomes if outcome.probability is not None]
    probs = np.array([[outcome.probability for outcome in shown]], dtype=np.float64)
    taken = np.array([[outcome.taken for outcome in shown]], dtype=bool)
    return DecisionStatistics(
        n_documents=len(documents),
        n_shown=len(shown),
        n_taken=sum(outcome.taken for outcome in outcomes),
        n_added=sum(outcome.taken and outcome.probability is None for outcome in outcomes),
        ranks=_by_rank(shown),
        curve=curve("decided", taken, probs),
    )


def _by_rank(shown: Iterable[SuggestionOutcome]) -> tuple[RankRow, ...]:
    of_rank: Counter[tuple[int, bool]] = Counter(
        (outcome.rank, outcome.taken) for outcome in shown if outcome.rank is not None
    )
    rows = []
    for first, last in RANKS:
        inside = {k: n for k, n in of_rank.items() if first <= k[0] and (not last or k[0] <= last)}
        n_taken = sum(n for (_, taken), n in inside.items() if taken)
        rows.append(RankRow(first, last, sum(inside.values()), n_taken))
    return tuple(row for row in rows if row.n_shown)
