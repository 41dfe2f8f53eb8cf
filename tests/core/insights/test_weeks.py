"""What was taken week by week, by hand."""

from __future__ import annotations

from datetime import UTC, datetime

from core.insights.decisions import SuggestionOutcome, WeekCounter

FIRST = datetime(2026, 11, 16, tzinfo=UTC)
SECOND = datetime(2026, 11, 24, tzinfo=UTC)


def test_taken_suggestions_are_counted_by_week_and_rank() -> None:
    weeks = WeekCounter()
    outcomes = [
        SuggestionOutcome(True, 0.9, 1),
        SuggestionOutcome(True, 0.4, 6),
        SuggestionOutcome(False, 0.3, 7),
        SuggestionOutcome(True),  # added
    ]
    assert weeks.noted(FIRST, outcomes) == outcomes
    weeks.noted(FIRST, [SuggestionOutcome(True, 0.8, 5)])
    weeks.noted(None, outcomes)  # not finished
    (week,) = weeks.newest(12)
    assert (week.week, week.n_documents, week.n_taken) == ("2026-W47", 2, 4)
    assert week.first_share == 2 / 4
    assert week.taken_share == 3 / 4
    assert week.mean_rank == (1 + 6 + 5) / 3


def test_a_week_in_which_nothing_was_accepted_has_no_shares() -> None:
    weeks = WeekCounter()
    weeks.noted(FIRST, [])
    weeks.noted(SECOND, [SuggestionOutcome(False, 0.5, 1)])
    newest, oldest = weeks.newest(12)
    assert (newest.week, oldest.week) == ("2026-W48", "2026-W47")
    assert (oldest.first_share, oldest.taken_share, oldest.mean_rank) == (None, None, None)
    assert (newest.first_share, newest.taken_share, newest.mean_rank) == (None, 0.0, None)
    assert [week.week for week in weeks.newest(1)] == ["2026-W48"]
