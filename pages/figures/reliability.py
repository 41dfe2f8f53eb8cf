"""How sure a model may be: whether its probabilities come true."""

from __future__ import annotations

from core.insights import Curve, Insights
from pages.charts_looks import is_dark
from pages.figures.charts import reliability_figure
from pages.figures.figure import Shown, render, render_missing, rounded
from pages.figures.quality import measured_on

NAMES = {"assigned": "as shown", "uncalibrated": "before calibration", "branch": "branches"}
COLUMNS = ("curve", "from %", "to below %", "how many", "mean probability %", "right %")
LEFT_OUT = (
    "Counts every label of every document from 1 % on; what is less probable is nearly all of the "
    "vocabulary, and nobody sees it."
)


def render_reliability(insights: Insights) -> None:
    """Descriptors with and without calibration, and branches."""
    curves = {curve.name: curve for curve in insights.curves}
    if not curves:
        render_missing("This model does not tell which labels are assigned.", "")
        return
    of_labels = [curves[name] for name in ("assigned", "uncalibrated") if name in curves]
    if of_labels:
        _render(
            insights,
            of_labels,
            key="reliability",
            title="Can a suggestion's per cents be believed?",
        )
    if "branch" in curves:
        title = "Can the per cents of a branch be believed?"
        _render(insights, [curves["branch"]], key="reliability_of_branches", title=title)


def _render(insights: Insights, curves: list[Curve], *, key: str, title: str) -> None:
    calibrated = insights.facts.get("calibrated", True)
    kind = "" if calibrated else " These are the scores of a run, which are not calibrated yet."
    render(
        Shown(
            key=key,
            title=title,
            sentence="Of all suggestions that the model calls 80 % probable, 8 of 10 should be "
            "right. On the dashed line they are; below it the model is too sure of itself, above "
            f"it too modest. {_errors(curves)}{kind}",
            label=f"{measured_on(insights)} {LEFT_OUT}",
            command=str(insights.facts.get("command", "")),
            figure=reliability_figure([(NAMES[one.name], one) for one in curves], dark=is_dark()),
            columns=COLUMNS,
            rows=[
                (
                    NAMES[curve.name],
                    round(100 * one.low),
                    round(100 * one.high),
                    one.n_pairs,
                    rounded(one.probability),
                    rounded(one.share),
                )
                for curve in curves
                for one in curve.bins
            ],
            alt=" ".join(_spoken(curve) for curve in curves),
        )
    )


def _errors(curves: list[Curve]) -> str:
    """How far off the curves are, in one sentence."""
    several = len(curves) > 1
    told = [
        f"**{100 * curve.error:.1f} points**{f' {NAMES[curve.name]}' if several else ''}"
        for curve in curves
        if curve.error is not None
    ]
    return f"On average they are off by {' and by '.join(told)} (expected calibration error)."


def _spoken(curve: Curve) -> str:
    points = "; ".join(
        f"{100 * one.probability:.0f} % probable, {100 * one.share:.0f} % right"
        for one in curve.bins
        if one.probability is not None and one.share is not None
    )
    return f"{NAMES[curve.name]}: {points}."
