"""What became of suggestions that people decided on: the same figures from one's own documents, of
all of them and week by week.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from core.insights.reliability import Curve, curve

RANKS = ((1, 1), (2, 3), (4, 5), (6, 10), (11, 20), (21, None))
"""First and last rank of each group of suggestions."""
FIRST = 5
"""Suggestions at the top of the list."""


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

    Args:
        documents: gone through once, one at a time.
    """
    n_documents, n_taken, n_added = 0, 0, 0
    probs, taken = array("d"), array("b")  # a few bytes for each of what may be millions
    of_rank: Counter[tuple[int, bool]] = Counter()
    for outcomes in documents:
        n_documents += 1
        for outcome in outcomes:
            n_taken += outcome.taken
            if outcome.probability is None:
                n_added += outcome.taken
                continue
            probs.append(outcome.probability)
            taken.append(outcome.taken)
            if outcome.rank is not None:
                of_rank[outcome.rank, outcome.taken] += 1
    return DecisionStatistics(
        n_documents=n_documents,
        n_shown=len(probs),
        n_taken=n_taken,
        n_added=n_added,
        ranks=rank_rows(of_rank),
        curve=curve("decided", np.array(taken, dtype=bool)[None], np.array(probs)[None]),
    )


def rank_rows(of_rank: Counter[tuple[int, bool]]) -> tuple[RankRow, ...]:
    """Group counts of suggestions, by their rank and whether they were taken."""
    rows = []
    for first, last in RANKS:
        inside = {k: n for k, n in of_rank.items() if first <= k[0] and (not last or k[0] <= last)}
        n_taken = sum(n for (_, taken), n in inside.items() if taken)
        rows.append(RankRow(first, last, sum(inside.values()), n_taken))
    return tuple(row for row in rows if row.n_shown)


# ---------------------------------------------------------------------- week by week


def week_of(moment: datetime) -> str:
    """Return the ISO week of a moment in its own zone, such as "2026-W07"."""
    year, week, _ = moment.isocalendar()
    return f"{year}-W{week:02}"


@dataclass(slots=True)
class WeekStatistics:
    """What people did with suggestions on the documents that they finished in one week.

    Attributes:
        n_shown: suggestions that were on the page, `n_shown_taken` of which were accepted.
        n_taken: concepts that were accepted, suggested or not.
        n_first: of these, those that were among the first suggestions.
        rank_sum: of the ranks of those that were suggested.
    """

    week: str
    n_documents: int = 0
    n_shown: int = 0
    n_shown_taken: int = 0
    n_taken: int = 0
    n_first: int = 0
    rank_sum: int = 0

    def add(self, outcomes: Iterable[SuggestionOutcome]) -> None:
        """Count a document."""
        self.n_documents += 1
        for outcome in outcomes:
            self.n_taken += outcome.taken
            if outcome.rank is None:
                continue
            self.n_shown += 1
            if outcome.taken:
                self.n_shown_taken += 1
                self.n_first += outcome.rank <= FIRST
                self.rank_sum += outcome.rank

    @property
    def first_share(self) -> float | None:
        """Of what was accepted, the share that had been among the first suggestions."""
        return self.n_first / self.n_taken if self.n_taken else None

    @property
    def taken_share(self) -> float | None:
        """Of the suggestions on the page, the share that was accepted."""
        return self.n_shown_taken / self.n_shown if self.n_shown else None

    @property
    def mean_rank(self) -> float | None:
        """Of the suggestions that were accepted."""
        return self.rank_sum / self.n_shown_taken if self.n_shown_taken else None


class WeekCounter:
    """Counts documents under the weeks in which they were finished."""

    def __init__(self) -> None:
        self._weeks: dict[str, WeekStatistics] = {}

    def noted(
        self, finished_at: datetime | None, outcomes: Sequence[SuggestionOutcome]
    ) -> Sequence[SuggestionOutcome]:
        """Count a document, and return its outcomes for others to count."""
        if finished_at is not None:
            week = week_of(finished_at)
            self._weeks.setdefault(week, WeekStatistics(week)).add(outcomes)
        return outcomes

    def newest(self, number: int) -> list[WeekStatistics]:
        """Return the last weeks in which something was finished, the newest first."""
        return [self._weeks[week] for week in sorted(self._weeks, reverse=True)[:number]]
