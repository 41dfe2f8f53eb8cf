"""How every chart looks: states by sign, pattern and colour, in the colours of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    "unresolved": Look("not decided", "", "", "#cfe0e3", "#29464b"),
    "below excluded": Look("in a ruled-out branch", "⊘ ", "x", "#ecdedc", "#3d2c2a"),
    ABOVE: Look("a broader concept", "", "", "#eef1f0", "#262d2e"),
}


def is_dark() -> bool:
    """Return whether the page is dark now."""
    return st.context.theme.type == "dark"


def dressed(figure: go.Figure, dark: bool, *, height: int) -> go.Figure:
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
