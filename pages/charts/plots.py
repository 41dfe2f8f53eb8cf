"""The charts of the Insights page: bars and curves, readable without their colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.insights.reliability import Curve
from pages.charts.style import (
    TONES,
    Series,
    Tone,
    bar_look,
    grid,
    hundredths,
    letters_on,
    line_look,
    named_axis,
    plain,
    plain_axes,
    with_legend,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS = 19


def columns_figure(names: Sequence[str], series: Sequence[Series], *, dark: bool) -> go.Figure:
    """Upright bars in groups, percentages above them."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for kind, tone in zip(series, TONES, strict=False):
        figure.add_bar(x=list(names), y=hundredths(kind.values), **bar_look(kind, tone, dark))
    plain_axes(figure, dark)
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(range=[0, 112], showticklabels=False, showgrid=False)
    return with_legend(figure, dark, height=340)


def bars_figure(names: Sequence[str], series: Sequence[Series], *, dark: bool) -> go.Figure:
    """Return bars from left to right in groups, the first name on top."""
    import plotly.graph_objects as go

    figure = go.Figure()
    places = list(range(len(names)))
    for kind, tone in zip(series, TONES, strict=False):
        look = bar_look(kind, tone, dark)
        figure.add_bar(x=hundredths(kind.values), y=places, orientation="h", **look)
    plain_axes(figure, dark)
    figure.update_xaxes(range=[0, 112], showticklabels=False, showgrid=False)
    figure.update_yaxes(**named_axis(names, places))
    return with_legend(figure, dark, height=80 + (ROW_PIXELS * len(series) + 9) * len(names))


def stacked_figure(names: Sequence[str], series: Sequence[Series], *, dark: bool) -> go.Figure:
    """Return a bar of 100 % for each row, cut into the series from left to right."""
    import plotly.graph_objects as go

    figure = go.Figure()
    places = list(range(len(names)))
    for kind, tone in zip(series, TONES, strict=True):
        look = bar_look(kind, tone, dark)
        texts = [f"{value:.0%}" if value and value >= 0.06 else "" for value in kind.values]
        look |= {"text": texts, "textposition": "inside", "insidetextanchor": "middle"}
        look["insidetextfont"] = {"color": letters_on(tone, dark), "size": 13}
        figure.add_bar(x=hundredths(kind.values), y=places, orientation="h", **look)
    plain_axes(figure, dark)
    figure.update_xaxes(range=[0, 100], showticklabels=False, showgrid=False)
    figure.update_yaxes(**named_axis(names, places))
    figure = with_legend(figure, dark, height=110 + 38 * len(names))
    return figure.update_layout(barmode="stack", legend={"traceorder": "normal"})


def reliability_figure(curves: Sequence[tuple[str, Curve]], *, dark: bool) -> go.Figure:
    """Return a chart of the share that is right over probability, with the diagonal and counts."""
    from plotly.subplots import make_subplots

    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.78, 0.22], vertical_spacing=0.05
    )
    figure.add_scatter(
        x=[0, 100], y=[0, 100], mode="lines", name="as probable as it says", hoverinfo="skip",
        line={"dash": "dash", "width": 1.2, "color": "#8b9896"}, row=1, col=1,
    )  # fmt: skip
    for (name, curve), tone in zip(curves, TONES, strict=False):
        _add_curve(figure, name, curve, tone, dark=dark)
    plain_axes(figure, dark)
    figure.update_xaxes(range=[0, 101], dtick=10, gridcolor=grid(dark))
    figure.update_xaxes(title="probability that the model gives, %", row=2, col=1)
    figure.update_yaxes(title="of them right, %", range=[0, 101], dtick=20, row=1, col=1)
    figure.update_yaxes(title="how many", type="log", dtick=1, row=2, col=1)
    return with_legend(figure, dark, height=460)


def _add_curve(figure: go.Figure, name: str, curve: Curve, tone: Tone, *, dark: bool) -> None:
    """Add a curve of reliability above, and below it how many suggestions each point stands for."""
    bins = [each for each in curve.bins if each.n_pairs]
    figure.add_scatter(
        x=hundredths([each.probability for each in bins]),
        y=hundredths([each.share for each in bins]),
        name=plain(name),
        mode="lines+markers",
        cliponaxis=False,
        customdata=[each.n_pairs for each in bins],
        **line_look(tone, dark),
        hovertemplate="%{x:.1f} % probable, %{y:.1f} % right, %{customdata:,} suggestions"
        f"<extra>{plain(name)}</extra>",
        row=1,
        col=1,
    )
    figure.add_bar(
        x=[100 * (each.low + each.high) / 2 for each in bins],
        y=[each.n_pairs for each in bins],
        **bar_look(Series(name, []), tone, dark) | {"showlegend": False, "text": None},
        row=2,
        col=1,
    )
