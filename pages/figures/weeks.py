"""What became of suggestions week by week, and what learning and hints brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.insights.decisions import WeekStatistics
from core.review.reports.weeks import HintCount, WeekEffects
from pages.charts.plots import columns_figure
from pages.charts.style import Series, is_dark
from pages.components.markdown import count
from pages.figures.figure import Cell, FigureContent, FigureSpec, rounded

COLUMNS = (
    "week",
    "finished documents",
    "accepted",
    "of these among the first five %",
    "mean rank",
    "suggestions taken %",
    "right of five",
    "right of five, model alone",
    "missed: shown",
    "missed: taken",
    "doubtful: shown",
    "doubtful: taken",
)


@dataclass(frozen=True, slots=True)
class Weeks:
    """The last weeks in which something was finished, the newest first.

    Attributes:
        effects: by week.
    """

    statistics: Sequence[WeekStatistics]
    effects: Mapping[str, WeekEffects]


def by_week(weeks: Weeks) -> FigureContent | None:
    """Return what was taken week by week; None before the first document is finished."""
    in_order = list(reversed(weeks.statistics))
    if not in_order:
        return None
    first = [week.first_share or 0.0 for week in in_order]
    taken = [week.taken_share or 0.0 for week in in_order]
    names = [f"{week.week}<br>{count(week.n_documents, 'document')}" for week in in_order]
    series = [
        Series("accepted, from the first five", first),
        Series("suggestions on the page, taken", taken),
    ]
    return FigureContent(
        sentence="Of what people accepted, how much stood among the first five suggestions, and of "
        f"the suggestions on the page, how many they took. {said_of_hints(weeks)}",
        label="Weeks begin on Monday, in UTC; the last twelve in which something was finished. "
        "Right of five: of the first five suggestions, where learning took part.",
        chart=columns_figure(names, series, dark=is_dark())
        if any(week.n_shown for week in in_order)
        else None,
        columns=COLUMNS,
        rows=[_row(week, weeks.effects.get(week.week)) for week in weeks.statistics],
        alt="; ".join(
            f"{week.week}: {one:.0%} from the first five, {other:.0%} taken"
            for week, one, other in zip(in_order, first, taken, strict=True)
        ),
    )


def said_of_hints(weeks: Weeks) -> str:
    """Return how often hints were shown before finishing, and taken."""
    kinds = {
        "probably missed": [effects.missed for effects in weeks.effects.values()],
        "doubtful": [effects.odd for effects in weeks.effects.values()],
    }
    if not any(week.shown for counts in kinds.values() for week in counts):
        return "Nothing was called probably missed or doubtful before a finish yet."
    parts = " and ".join(f"{_times(counts)} {kind}" for kind, counts in kinds.items())
    return f"Before a finish, Strata called {parts}."


def _times(counts: Sequence[HintCount]) -> str:
    shown, taken = sum(week.shown for week in counts), sum(week.taken for week in counts)
    return f"{count(shown, 'concept')} (taken: {taken:,})"


def _row(week: WeekStatistics, effects: WeekEffects | None) -> tuple[Cell, ...]:
    effects = effects or WeekEffects()
    learning = effects.learning
    return (
        week.week,
        week.n_documents,
        week.n_taken,
        rounded(week.first_share),
        None if week.mean_rank is None else round(week.mean_rank, 1),
        rounded(week.taken_share),
        None if learning is None else round(learning.right, 2),
        None if learning is None else round(learning.right_without, 2),
        effects.missed.shown,
        effects.missed.taken,
        effects.odd.shown,
        effects.odd.taken,
    )


WEEKLY: tuple[FigureSpec[Weeks], ...] = (
    FigureSpec("taken_by_week", "How does it go, week by week?", by_week),
)
