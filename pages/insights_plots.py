"""The charts of the Insights page: bars, heatmaps and curves, readable without their colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.insights import Curve
from pages.charts_looks import dressed, ink, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

Share = float | None

LONGEST_NAME = 52
ROW_PIXELS = 19
DARK_HALF = 0.46  # of the scale: above it black letters stand out more than white ones
HEATMAP_TEXT = 13  # rows and columns up to which each cell carries its number


@dataclass(frozen=True, slots=True)
class Tone:
    """A colour for the light and the dark page, and a pattern to tell it by without colour."""

    light: str
    dark: str
    pattern: str = ""
    dash: str = "solid"
    marker: str = "circle"


TONES = (
    Tone("#20616b", "#7fc4cc"),
    Tone("#d79a3f", "#b9741c", "/", "dot", "diamond"),
    Tone("#8a94c9", "#6672b8", ".", "dashdot", "square"),
    Tone("#b8c4c1", "#5a6668", "\\", "dash", "x"),
    Tone("#d9a3b4", "#9a5569", "-", "longdash", "cross"),
    Tone("#a3352c", "#e07a6f", "x", "longdashdot", "triangle-up"),
)


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of value, a share in [0, 1] for each name; None where there is nothing to draw."""

    name: str
    values: Sequence[Share]


def columns_figure(names: Sequence[str], series: Sequence[Series], *, dark: bool) -> go.Figure:
    """Upright bars in groups, per cents above them."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for one, tone in zip(series, TONES, strict=False):
        figure.add_bar(x=list(names), y=_hundredths(one.values), **_bar(one, tone, dark))
    _axes(figure, dark)
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(range=[0, 112], showticklabels=False, showgrid=False)
    return _with_legend(figure, dark, height=340)


def bars_figure(names: Sequence[str], series: Sequence[Series], *, dark: bool) -> go.Figure:
    """Bars from left to right in groups, the first name on top."""
    import plotly.graph_objects as go

    figure = go.Figure()
    places = list(range(len(names)))
    for one, tone in zip(series, TONES, strict=False):
        look = _bar(one, tone, dark)
        figure.add_bar(x=_hundredths(one.values), y=places, orientation="h", **look)
    _axes(figure, dark)
    figure.update_xaxes(range=[0, 112], showticklabels=False, showgrid=False)
    figure.update_yaxes(**_named(names, places))
    return _with_legend(figure, dark, height=80 + (ROW_PIXELS * len(series) + 9) * len(names))


def stacked_figure(names: Sequence[str], series: Sequence[Series], *, dark: bool) -> go.Figure:
    """Each row is 100 %, cut into the series from left to right."""
    import plotly.graph_objects as go

    figure = go.Figure()
    places = list(range(len(names)))
    for one, tone in zip(series, TONES, strict=True):
        look = _bar(one, tone, dark)
        texts = [f"{value:.0%}" if value and value >= 0.06 else "" for value in one.values]
        look |= {"text": texts, "textposition": "inside", "insidetextanchor": "middle"}
        look["insidetextfont"] = {"color": _on(tone, dark), "size": 13}
        figure.add_bar(x=_hundredths(one.values), y=places, orientation="h", **look)
    _axes(figure, dark)
    figure.update_xaxes(range=[0, 100], showticklabels=False, showgrid=False)
    figure.update_yaxes(**_named(names, places))
    figure = _with_legend(figure, dark, height=110 + 38 * len(names))
    return figure.update_layout(barmode="stack", legend={"traceorder": "normal"})


def heatmap_figure(
    values: Sequence[Sequence[float]], *, rows: str, columns: str, unit: str, dark: bool
) -> go.Figure:
    """Cells from dark (low) to light (high), each with its number where there is room.

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
    _axes(figure, dark)
    figure.update_xaxes(title=columns, dtick=1, showgrid=False)
    figure.update_yaxes(title=rows, dtick=1, autorange="reversed", showgrid=False)
    return dressed(figure, dark, height=max(300, 110 + 30 * n_rows))


def _numbers(values: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    """A number in each cell, white on the darker half: Plotly's own choice is hard to read."""
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
            **_line(tone, dark),
            hovertemplate=f"layer %{{x}}: %{{y:.3f}} nats<extra>{plain(name)}</extra>",
        )
    _axes(figure, dark)
    figure.update_xaxes(title="layer", dtick=1, showgrid=False)
    figure.update_yaxes(title="nats", rangemode="tozero")
    return _with_legend(figure, dark, height=340)


def reliability_figure(curves: Sequence[tuple[str, Curve]], *, dark: bool) -> go.Figure:
    """Share that is right over probability, the diagonal, and how many pairs stand behind a point."""
    from plotly.subplots import make_subplots

    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.78, 0.22], vertical_spacing=0.05
    )
    figure.add_scatter(
        x=[0, 100], y=[0, 100], mode="lines", name="as probable as it says", hoverinfo="skip",
        line={"dash": "dash", "width": 1.2, "color": "#8b9896"}, row=1, col=1,
    )  # fmt: skip
    for (name, curve), tone in zip(curves, TONES, strict=False):
        bins = [one for one in curve.bins if one.n_pairs]
        figure.add_scatter(
            x=_hundredths([one.probability for one in bins]),
            y=_hundredths([one.share for one in bins]),
            name=plain(name),
            mode="lines+markers",
            cliponaxis=False,
            customdata=[one.n_pairs for one in bins],
            **_line(tone, dark),
            hovertemplate="%{x:.1f} % probable, %{y:.1f} % right, %{customdata:,} suggestions"
            f"<extra>{plain(name)}</extra>",
            row=1,
            col=1,
        )
        figure.add_bar(
            x=[100 * (one.low + one.high) / 2 for one in bins],
            y=[one.n_pairs for one in bins],
            **_bar(Series(name, []), tone, dark) | {"showlegend": False, "text": None},
            row=2,
            col=1,
        )
    _axes(figure, dark)
    figure.update_xaxes(range=[0, 101], dtick=10, gridcolor=_grid(dark))
    figure.update_xaxes(title="probability that the model gives, %", row=2, col=1)
    figure.update_yaxes(title="of them right, %", range=[0, 101], dtick=20, row=1, col=1)
    figure.update_yaxes(title="how many", type="log", dtick=1, row=2, col=1)
    return _with_legend(figure, dark, height=460)


def _bar(one: Series, tone: Tone, dark: bool) -> dict[str, Any]:
    return {
        "name": plain(one.name),
        "text": ["" if value is None else f"{100 * value:.0f}" for value in one.values],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": f"%{{text}} %<extra>{plain(one.name)}</extra>",
        "marker": {
            "color": tone.dark if dark else tone.light,
            "pattern": {
                "shape": tone.pattern,
                "fillmode": "overlay",
                "fgcolor": ink(dark),
                "fgopacity": 0.4,
                "size": 7,
                "solidity": 0.15,
            },
            "line": {"color": ink(dark), "width": 0.5},
        },
    }


def _line(tone: Tone, dark: bool) -> dict[str, Any]:
    colour = tone.dark if dark else tone.light
    return {
        "line": {"color": colour, "width": 2.2, "dash": tone.dash},
        "marker": {"color": colour, "size": 9, "symbol": tone.marker},
    }


def _on(tone: Tone, dark: bool) -> str:
    """The colour of letters on a tone, black or white, whichever stands out more."""
    colour = tone.dark if dark else tone.light
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#101616" if 0.299 * red + 0.587 * green + 0.114 * blue > 125 else "#ffffff"


def _axes(figure: go.Figure, dark: bool) -> None:
    look = {"zeroline": False, "fixedrange": True, "automargin": True, "gridcolor": _grid(dark)}
    figure.update_xaxes(**look)
    figure.update_yaxes(**look)


def _named(names: Sequence[str], places: Sequence[int]) -> dict[str, Any]:
    return {
        "tickvals": list(places),
        "ticktext": [f"{plain(name, LONGEST_NAME)}  " for name in names],
        "autorange": "reversed",
        "showgrid": False,
    }


def _with_legend(figure: go.Figure, dark: bool, *, height: int) -> go.Figure:
    figure.update_layout(
        barmode="group",
        bargap=0.25,
        showlegend=True,  # a single kind of bar has a name as well
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    return dressed(figure, dark, height=height).update_layout(margin={"t": 44})


def _grid(dark: bool) -> str:
    return "#353e3f" if dark else "#d5dcda"


def _hundredths(values: Sequence[Share]) -> list[Share]:
    return [None if value is None else 100 * value for value in values]
