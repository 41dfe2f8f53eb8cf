"""How the charts of the Insights page look: tones, patterns, axes and legends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pages.charts.style import dressed, ink, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

Share = float | None

LONGEST_NAME = 52


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


def bar_look(series: Series, tone: Tone, dark: bool) -> dict[str, Any]:
    """Return bars with their numbers at the ends."""
    return {
        "name": plain(series.name),
        "text": ["" if value is None else f"{100 * value:.0f}" for value in series.values],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": f"%{{text}} %<extra>{plain(series.name)}</extra>",
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


def line_look(tone: Tone, dark: bool) -> dict[str, Any]:
    """Return a line that its dashes and markers tell from others."""
    colour = tone.dark if dark else tone.light
    return {
        "line": {"color": colour, "width": 2.2, "dash": tone.dash},
        "marker": {"color": colour, "size": 9, "symbol": tone.marker},
    }


def letters_on(tone: Tone, dark: bool) -> str:
    """Return the colour of letters on a tone, black or white, whichever stands out more."""
    colour = tone.dark if dark else tone.light
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#101616" if 0.299 * red + 0.587 * green + 0.114 * blue > 125 else "#ffffff"


def plain_axes(figure: go.Figure, dark: bool) -> None:
    """Axes that cannot be moved, with room for what is written on them."""
    look = {"zeroline": False, "fixedrange": True, "automargin": True, "gridcolor": grid(dark)}
    figure.update_xaxes(**look)
    figure.update_yaxes(**look)


def named_axis(names: Sequence[str], places: Sequence[int]) -> dict[str, Any]:
    """Return an axis of names, the first on top."""
    return {
        "tickvals": list(places),
        "ticktext": [f"{plain(name, LONGEST_NAME)}  " for name in names],
        "autorange": "reversed",
        "showgrid": False,
    }


def with_legend(figure: go.Figure, dark: bool, *, height: int) -> go.Figure:
    """In the colours of the page, the legend above the chart; returns the figure."""
    figure.update_layout(
        barmode="group",
        bargap=0.25,
        showlegend=True,  # a single kind of bar has a name as well
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    return dressed(figure, dark, height=height).update_layout(margin={"t": 44})


def grid(dark: bool) -> str:
    """Return the colour of lines behind a chart."""
    return "#353e3f" if dark else "#d5dcda"


def hundredths(values: Sequence[Share]) -> list[Share]:
    """Return shares as per cents."""
    return [None if value is None else 100 * value for value in values]
