"""The plot of quality against time: a point a model, and a line through those that none beats."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pages.charts_looks import ink, plain
from pages.insights_looks import TONES, plain_axes, with_legend

if TYPE_CHECKING:
    import plotly.graph_objects as go

HOVER_WIDTH = 60
LONGEST_COMMAND = 400
MARGIN = 0.12
"""Share of the height that is left above the best and below the worst."""

STEPS: tuple[tuple[float, tuple[int, ...]], ...] = (
    (0.9, (1, 2, 3, 4, 5, 7)),
    (2.5, (1, 2, 5)),
    (math.inf, (1,)),
)
"""Powers of ten that the times span at most, and the ticks in each of them."""

FREE = {"diamond": "top left", "circle": "bottom right"}
"""Where a name has room: above and left of the frontier there is no model, below and right no line."""


@dataclass(frozen=True, slots=True)
class Point:
    """A model; quality and deviation are shares in [0, 1]."""

    name: str
    milliseconds: float
    quality: float
    deviation: float | None
    on_frontier: bool
    capped: bool
    command: str


def costs_figure(points: Sequence[Point], *, time: str, measure: str, dark: bool) -> go.Figure:
    """Time from left to right in powers of ten, quality upwards in per cents.

    Models on the frontier are diamonds joined by a line, others circles; hollow ones had not
    converged.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    line = sorted((one for one in points if one.on_frontier), key=lambda one: one.milliseconds)
    figure.add_scatter(
        x=[one.milliseconds for one in line],
        y=[100 * one.quality for one in line],
        mode="lines",
        line={"color": _colour(0, dark), "width": 1.6, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )
    others = [one for one in points if not one.on_frontier]
    _add(figure, line, "no other is both better and faster", tone=0, symbol="diamond", dark=dark)
    _add(
        figure,
        others,
        "another is as good and as fast, or better",
        tone=1,
        symbol="circle",
        dark=dark,
    )
    plain_axes(figure, dark)
    figure.update_xaxes(type="log", title=_title(time), **_time_axis(points))
    figure.update_yaxes(title=_title(f"{measure}, %"), range=_heights(points))
    return with_legend(figure, dark, height=500)


def _add(
    figure: go.Figure, points: Sequence[Point], name: str, *, tone: int, symbol: str, dark: bool
) -> None:
    if not points:
        return
    colour = _colour(tone, dark)
    deviations = [100 * (one.deviation or 0.0) for one in points]
    spread: dict[str, Any] = {"type": "data", "array": deviations, "thickness": 1.2, "width": 4}
    figure.add_scatter(
        x=[one.milliseconds for one in points],
        y=[100 * one.quality for one in points],
        name=name,
        mode="markers+text",
        text=[plain(one.name, 24) for one in points],
        textposition=FREE[symbol],
        textfont={"color": ink(dark), "size": 13},
        cliponaxis=False,
        error_y={**spread, "visible": any(deviations), "color": colour},
        marker={
            "size": 13,
            "color": colour,
            "symbol": [f"{symbol}-open" if one.capped else symbol for one in points],
            "line": {"width": 2, "color": colour},
        },
        customdata=[_hover(one) for one in points],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _hover(one: Point) -> str:
    std = "" if one.deviation is None else f" ± {100 * one.deviation:.1f}"
    capped = "<br>had not converged" if one.capped else ""
    command = textwrap.wrap(one.command[:LONGEST_COMMAND], HOVER_WIDTH)
    lines = "<br>".join(plain(part, HOVER_WIDTH + 1) for part in command)
    return (
        f"<b>{plain(one.name)}</b><br>{100 * one.quality:.1f} %{std}, {one.milliseconds:,.3g} ms"
        f"{capped}<br>{lines}"
    )


def _title(text: str) -> dict[str, Any]:
    """With a distance of its own, without which an axis leaves no room for its numbers."""
    return {"text": text, "standoff": 14}


def _colour(tone: int, dark: bool) -> str:
    return TONES[tone].dark if dark else TONES[tone].light


def _time_axis(points: Sequence[Point]) -> dict[str, Any]:
    """All times with room for names, and ticks in plain numbers, more where times are near."""
    logs = [math.log10(one.milliseconds) for one in points]
    low, high = min(logs), max(logs)
    room = max(0.25, 0.12 * (high - low))
    steps = next(steps for most, steps in STEPS if high - low <= most)
    decades = range(math.floor(low - room), math.ceil(high + room) + 1)
    ticks = [step * 10.0**decade for decade in decades for step in steps]
    return {
        "range": [low - room, high + room],
        "tickvals": ticks,
        "ticktext": [f"{tick:,.12g}" for tick in ticks],
    }


def _heights(points: Sequence[Point]) -> list[float]:
    ends = [
        100 * (one.quality + sign * (one.deviation or 0.0)) for one in points for sign in (-1, 1)
    ]
    low, high = min(ends), max(ends)
    room = max(1.0, MARGIN * (high - low))
    return [low - room, high + room]
