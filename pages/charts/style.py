"""How every chart looks: states by sign, pattern and colour, in the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    import plotly.graph_objects as go

LONGEST_LABEL = 60
ABOVE = "above"  # a heading of which there is nothing to say
QUIET = {"displayModeBar": False, "displaylogo": False}


@dataclass(frozen=True, slots=True)
class Look:
    """How a state is drawn: never by colour alone."""

    words: str
    sign: str
    pattern: str
    light: str
    dark: str


LOOKS = {
    "accepted": Look("accepted", "✓ ", "", "#8fd3ac", "#1f6b42"),
    "implied": Look("implied by what is accepted", "↑ ", ".", "#d6efe0", "#234534"),
    "rejected": Look("rejected", "✕ ", "/", "#f2b8b2", "#7c2f28"),
    "excluded": Look("ruled out", "⊘ ", "x", "#e3c4c1", "#55302d"),
    "conflict": Look("in conflict with a ruled-out branch", "! ", "+", "#f6d08a", "#77500f"),
    "open": Look("to be specified", "… ", ".", "#cfe0e3", "#29464b"),
    "unresolved": Look("not decided", "", "", "#cfe0e3", "#29464b"),
    "below excluded": Look("in a ruled-out branch", "⊘ ", "x", "#ecdedc", "#3d2c2a"),
    ABOVE: Look("a broader concept", "", "", "#eef1f0", "#262d2e"),
}


def is_dark() -> bool:
    """Return whether the page is dark now."""
    return st.context.theme.type == "dark"


def styled(figure: go.Figure, dark: bool, *, height: int) -> go.Figure:
    """In the colours of the page, without what a picture does not need."""
    return figure.update_layout(
        height=height,
        margin={"l": 4, "r": 4, "t": 24, "b": 4},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": ink(dark), "size": 13, "family": "Source Sans, sans-serif"},
        hoverlabel={"bgcolor": "#1d2324" if dark else "#ffffff", "font": {"color": ink(dark)}},
    )


def ink(dark: bool) -> str:
    """Return the colour of letters."""
    return "#e4e9e7" if dark else "#1d2726"


def plain(label: str, longest: int = LONGEST_LABEL) -> str:
    """Return a label as text: Plotly reads some HTML in it otherwise."""
    shown = label if len(label) <= longest else f"{label[: longest - 1]}…"
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("$", "＄")


# ---------------------------------------------------------------------- Insights

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
        "text": ["" if value is None else f"{value:.0%}" for value in series.values],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": f"%{{text}}<extra>{plain(series.name)}</extra>",
        "marker": bar_marker(tone, dark),
    }


def bar_marker(look: Look | Tone, dark: bool) -> dict[str, Any]:
    """Return the colour and the pattern of a bar."""
    return {
        "color": look.dark if dark else look.light,
        "pattern": {
            "shape": look.pattern,
            "fillmode": "overlay",
            "fgcolor": ink(dark),
            "fgopacity": 0.4,
            "size": 7,
            "solidity": 0.15,
        },
        "line": {"color": ink(dark), "width": 0.5},
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
    return styled(figure, dark, height=height).update_layout(margin={"t": 44})


def grid(dark: bool) -> str:
    """Return the colour of lines behind a chart."""
    return "#353e3f" if dark else "#d5dcda"


def hundredths(values: Sequence[Share]) -> list[Share]:
    """Return shares as percentages."""
    return [None if value is None else 100 * value for value in values]
