"""What became of suggestions, week by week, on finished documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.insights.decisions import SuggestionOutcome

FIRST = 5
"""Suggestions at the top of the list."""


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
