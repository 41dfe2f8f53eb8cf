"""How sure a model may be: whether its probabilities come true."""

from __future__ import annotations

from core.insights.reliability import Bin, Curve
from core.insights.report import Insights
from pages.charts.plots import reliability_figure
from pages.charts.style import is_dark
from pages.figures.figure import Cell, FigureContent, FigureSpec, MissingFigure, rounded
from pages.figures.quality import NOT_ASSIGNED, command_of, measured_on

NAMES = {"assigned": "as shown", "uncalibrated": "before calibration", "branch": "branches"}
COLUMNS = ("curve", "from %", "to below %", "how many", "mean probability %", "right %")
LEFT_OUT = (
    "Counts every label of every document from 1 % on; what is less probable is nearly all of the "
    "vocabulary, and nobody sees it."
)


def of_labels(insights: Insights) -> FigureContent | MissingFigure | None:
    """Return the curves of assigned labels, with and without calibration."""
    if not insights.curves:
        return MissingFigure(NOT_ASSIGNED)
    return _content(insights, ("assigned", "uncalibrated"))


def of_branches(insights: Insights) -> FigureContent | None:
    """Return the curve of branch probabilities."""
    return _content(insights, ("branch",))


FIGURES: tuple[FigureSpec[Insights], ...] = (
    FigureSpec("reliability", "Can a suggestion's percentages be believed?", of_labels),
    FigureSpec(
        "reliability_of_branches", "Can the percentages of a branch be believed?", of_branches
    ),
)


def _content(insights: Insights, names: tuple[str, ...]) -> FigureContent | None:
    by_name = {curve.name: curve for curve in insights.curves}
    curves = [by_name[name] for name in names if name in by_name]
    if not curves:
        return None
    calibrated = insights.facts.get("calibrated", True)
    kind = "" if calibrated else " These are the scores of a run, which are not calibrated yet."
    return FigureContent(
        sentence="Of all suggestions that the model calls 80 % probable, 8 of 10 should be "
        "right. On the dashed line they are; below it the model is too sure of itself, above "
        f"it too modest. {_errors(curves)}{kind}",
        label=f"{measured_on(insights)} {LEFT_OUT}",
        command=command_of(insights),
        chart=reliability_figure([(NAMES[curve.name], curve) for curve in curves], dark=is_dark()),
        columns=COLUMNS,
        rows=[(NAMES[curve.name], *bin_cells(each)) for curve in curves for each in curve.bins],
        alt=" ".join(_spoken(curve) for curve in curves),
    )


def bin_cells(each: Bin) -> tuple[Cell, ...]:
    """Return the ends of a bin of probabilities, how many are in it, and its two shares."""
    ends = round(100 * each.low), round(100 * each.high)
    return (*ends, each.n_pairs, rounded(each.probability), rounded(each.share))


def _errors(curves: list[Curve]) -> str:
    several = len(curves) > 1
    errors = [
        f"**{100 * curve.error:.1f} points**{f' {NAMES[curve.name]}' if several else ''}"
        for curve in curves
        if curve.error is not None
    ]
    return f"On average they are off by {' and by '.join(errors)} (expected calibration error)."


def _spoken(curve: Curve) -> str:
    points = "; ".join(
        f"{100 * each.probability:.0f} % probable, {100 * each.share:.0f} % right"
        for each in curve.bins
        if each.probability is not None and each.share is not None
    )
    return f"{NAMES[curve.name]}: {points}."
