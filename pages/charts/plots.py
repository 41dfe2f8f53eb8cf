"""The charts of the Insights page: bars, heatmaps and curves, readable without their colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.insights import Curve
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
    styled,
    with_legend,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS = 19
DARK_HALF = 0.46  # of the scale: above it black letters stand out more than white ones
HEATMAP_TEXT = 13  # rows and columns up to which each cell carries its number


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


def heatmap_figure(
    values: Sequence[Sequence[float]], *, rows: str, columns: str, unit: str, dark: bool
) -> go.Figure:
    """Return cells from dark (low) to light (high), each with its number where there is room.

    Args:
        rows, columns: what the axes count, such as “layer”; they count from 1.
        unit: beside the scale and in the text over a cell.
    """
    import plotly.graph_objects as go

    n_rows, n_columns = len(values), len(values[0])
    trace = go.Heatmap(
        z=[list(row) for row in values],
        x=list(range(1, n_columns + 1)),
        y=list(range(1, n_rows + 1)),
        colorscale="Cividis",  # the same order of light and dark for every kind of eye
        hovertemplate=f"{rows} %{{y}}, {columns} %{{x}}: %{{z:.3f}} {unit}<extra></extra>",
        colorbar={"title": {"text": unit, "side": "right"}, "thickness": 12, "outlinewidth": 0},
        xgap=1,
        ygap=1,
    )
    figure = go.Figure(trace)
    if max(n_rows, n_columns) <= HEATMAP_TEXT:
        figure.update_layout(annotations=_numbers(values))
    plain_axes(figure, dark)
    figure.update_xaxes(title=columns, dtick=1, showgrid=False)
    figure.update_yaxes(title=rows, dtick=1, autorange="reversed", showgrid=False)
    return styled(figure, dark, height=max(300, 110 + 30 * n_rows))


def _numbers(values: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    """Return a number for each cell, white on dark ones: Plotly's own choice is hard to read."""
    low, high = min(map(min, values)), max(map(max, values))
    middle = low + DARK_HALF * (high - low)
    return [
        {
            "x": column,
            "y": row,
            "text": f"{value:.2f}",
            "showarrow": False,
            "font": {"size": 11, "color": "#ffffff" if value <= middle else "#101616"},
        }
        for row, cells in enumerate(values, start=1)
        for column, value in enumerate(cells, start=1)
    ]


def layers_figure(series: Sequence[tuple[str, Sequence[float]]], *, dark: bool) -> go.Figure:
    """One or two lines over the layers, numbers at their points."""
    import plotly.graph_objects as go

    figure = go.Figure()
    highest = [max(at_layer) for at_layer in zip(*(values for _, values in series), strict=True)]
    for (name, values), tone in zip(series, TONES, strict=False):
        figure.add_scatter(
            x=list(range(1, len(values) + 1)),
            y=list(values),
            name=plain(name),
            mode="lines+markers+text",
            text=[f"{value:.1f}" for value in values],
            textposition=[
                "top center" if value == most else "bottom center"
                for value, most in zip(values, highest, strict=True)
            ],
            cliponaxis=False,
            **line_look(tone, dark),
            hovertemplate=f"layer %{{x}}: %{{y:.3f}} nats<extra>{plain(name)}</extra>",
        )
    plain_axes(figure, dark)
    figure.update_xaxes(title="layer", dtick=1, showgrid=False)
    figure.update_yaxes(title="nats", rangemode="tozero")
    return with_legend(figure, dark, height=340)


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
