"""The figure of what was taken week by week: its rows, its sentence and its empty places."""

from __future__ import annotations

from datetime import UTC, datetime

from core.insights.decisions import SuggestionOutcome, WeekCounter
from core.review.reports.learning import JudgedOrder, effect_of
from core.review.reports.weeks import HintCount, WeekEffects
from pages.figures.weeks import COLUMNS, Weeks, by_week, said_of_hints

FIRST = datetime(2026, 11, 16, tzinfo=UTC)
SECOND = datetime(2026, 11, 24, tzinfo=UTC)


def counted() -> Weeks:
    counter = WeekCounter()
    counter.noted(FIRST, [SuggestionOutcome(True, 0.9, 2), SuggestionOutcome(True)])
    counter.noted(SECOND, [SuggestionOutcome(False, 0.9, 1), SuggestionOutcome(True, 0.5, 6)])
    learning = effect_of([JudgedOrder(["a"], ["a"], ["x"])])
    effects = {
        "2026-W48": WeekEffects(learning, HintCount(3, 1), HintCount(2, 2)),
        "2026-W47": WeekEffects(None, HintCount(1, 0)),
    }
    return Weeks(counter.newest(12), effects)


def test_a_row_has_what_was_taken_and_what_learning_and_hints_brought() -> None:
    content = by_week(counted())
    assert content is not None
    newest, oldest = (dict(zip(COLUMNS, row, strict=True)) for row in content.rows)
    assert newest == {
        "week": "2026-W48",
        "finished documents": 1,
        "accepted": 1,
        "of these among the first five %": 0,
        "mean rank": 6,
        "suggestions taken %": 50,
        "right of five": 1,
        "right of five, model alone": 0,
        "missed: shown": 3,
        "missed: taken": 1,
        "doubtful: shown": 2,
        "doubtful: taken": 2,
    }
    assert (oldest["of these among the first five %"], oldest["mean rank"]) == (50, 2)
    assert (oldest["right of five"], oldest["doubtful: shown"]) == (None, 0)
    assert content.alt.startswith("2026-W47: 50% from the first five, 100% taken; 2026-W48")


def test_hints_are_summed_up_in_a_sentence() -> None:
    said = said_of_hints(counted())
    assert "4 concepts (taken: 1) probably missed and 2 concepts (taken: 2) doubtful" in said
    nothing = Weeks([], {"2026-W48": WeekEffects()})
    assert said_of_hints(nothing).startswith("Nothing was called probably missed or doubtful")
    assert by_week(nothing) is None


def test_without_suggestions_there_is_a_table_and_no_chart() -> None:
    counter = WeekCounter()
    counter.noted(FIRST, [SuggestionOutcome(True)])
    content = by_week(Weeks(counter.newest(12), {}))
    assert content is not None
    assert content.chart is None
    assert content.rows[0][:6] == ("2026-W47", 1, 1, 0, None, None)
