"""The plot of quality against time: a point a model, and a line through those that none beats."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pages.charts.style import TONES, ink, plain, plain_axes, with_legend

if TYPE_CHECKING:
    import plotly.graph_objects as go

HOVER_WIDTH = 60
LONGEST_COMMAND = 400
LONGEST_NAME = 24
MARGIN = 0.12
"""Share of the height that is left above the best and below the worst."""

STEPS: tuple[tuple[float, tuple[int, ...]], ...] = (
    (0.9, (1, 2, 3, 4, 5, 7)),
    (2.5, (1, 2, 5)),
    (math.inf, (1,)),
)
"""Powers of ten that the times span at most, and the ticks in each of them."""

ABOVE = ("top left", "top center", "top right", "middle left", "bottom right", "bottom center")
"""Where the name of a model on the frontier stands, best first: above and left is no model."""

BELOW = ("bottom right", "middle right", "bottom left", "bottom center", "middle left", "top right")
"""Where the others' names stand, best first: below and right there is no line."""

WIDTH, HEIGHT = 660, 400
"""Pixels of the plot on a narrow page, for which names are placed; a wider one has more room."""

LETTER, LINE, MARKER = 7.2, 16, 14
"""Pixels: width of a letter, height of a name, and size of a marker."""


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
    """Time from left to right in powers of ten, quality upwards in percentages.

    Models on the frontier are diamonds joined by a line, others circles; hollow ones had not
    converged.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    line = sorted(
        (point for point in points if point.on_frontier), key=lambda point: point.milliseconds
    )
    figure.add_scatter(
        x=[point.milliseconds for point in line],
        y=[100 * point.quality for point in line],
        mode="lines",
        line={"color": _colour(0, dark), "width": 1.6, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )
    others = sorted(
        (point for point in points if not point.on_frontier), key=lambda point: point.milliseconds
    )
    times, heights = _time_axis(points), _heights(points)
    places = places_of_names([*line, *others], times["range"], heights)
    beaten = "another is as good and as fast, or better"
    leading = "no other is both better and faster"
    _add(figure, line, leading, places[: len(line)], tone=0, symbol="diamond", dark=dark)
    _add(figure, others, beaten, places[len(line) :], tone=1, symbol="circle", dark=dark)
    plain_axes(figure, dark)
    figure.update_xaxes(type="log", title=_title(time), **times)
    figure.update_yaxes(title=_title(f"{measure}, %"), range=heights)
    return with_legend(figure, dark, height=500)


Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels."""


def places_of_names(
    points: Sequence[Point], times: Sequence[float], heights: Sequence[float]
) -> list[str]:
    """For each point where its name covers no other name and no marker, as plotly calls the place.

    Args:
        points: whose names are placed one after the other.
        times: the ends of the axis, in powers of ten of a millisecond.
        heights: the ends of the other, in percentages.
    """
    centres = [
        (
            WIDTH * (math.log10(point.milliseconds) - times[0]) / (times[1] - times[0]),
            HEIGHT * (heights[1] - 100 * point.quality) / (heights[1] - heights[0]),
        )
        for point in points
    ]
    half = MARKER / 2
    taken: list[Box] = [(x - half, y - half, x + half, y + half) for x, y in centres]
    places = []
    for number, (point, centre) in enumerate(zip(points, centres, strict=True)):
        others = taken[:number] + taken[number + 1 :]  # its own marker is not in its way
        boxes = {
            place: _box(centre, place, len(plain(point.name, LONGEST_NAME)))
            for place in (ABOVE if point.on_frontier else BELOW)
        }
        best = min(boxes, key=lambda place: _covered(boxes[place], others))
        taken.append(boxes[best])
        places.append(best)
    return places


def _box(centre: tuple[float, float], place: str, letters: int) -> Box:
    """Return what a name of so many letters takes at a place beside its marker."""
    x, y = centre
    width, half = LETTER * letters, MARKER / 2
    up, side = place.split()
    left = {"left": x - half - width, "right": x + half, "center": x - width / 2}[side]
    top = {"top": y - half - LINE, "bottom": y + half, "middle": y - LINE / 2}[up]
    return left, top, left + width, top + LINE


def _covered(box: Box, others: Sequence[Box]) -> float:
    """Square pixels of a name that lie on others or outside the plot."""
    left, top, right, bottom = box
    inside = _shared(box, (0, 0, WIDTH, HEIGHT))
    outside = (right - left) * (bottom - top) - inside
    return outside + sum(_shared(box, other) for other in others)


def _shared(first: Box, other: Box) -> float:
    width = min(first[2], other[2]) - max(first[0], other[0])
    height = min(first[3], other[3]) - max(first[1], other[1])
    return max(0.0, width) * max(0.0, height)


def _add(
    figure: go.Figure,
    points: Sequence[Point],
    name: str,
    places: Sequence[str],
    *,
    tone: int,
    symbol: str,
    dark: bool,
) -> None:
    if not points:
        return
    colour = _colour(tone, dark)
    deviations = [100 * (point.deviation or 0.0) for point in points]
    spread: dict[str, Any] = {"type": "data", "array": deviations, "thickness": 1.2, "width": 4}
    figure.add_scatter(
        x=[point.milliseconds for point in points],
        y=[100 * point.quality for point in points],
        name=name,
        mode="markers+text",
        text=[plain(point.name, LONGEST_NAME) for point in points],
        textposition=list(places),
        textfont={"color": ink(dark), "size": 13},
        cliponaxis=False,
        error_y={**spread, "visible": any(deviations), "color": colour},
        marker={
            "size": 13,
            "color": colour,
            "symbol": [f"{symbol}-open" if point.capped else symbol for point in points],
            "line": {"width": 2, "color": colour},
        },
        customdata=[_hover(point) for point in points],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _hover(point: Point) -> str:
    std = "" if point.deviation is None else f" ± {100 * point.deviation:.1f}"
    capped = "<br>had not converged" if point.capped else ""
    command = textwrap.wrap(point.command[:LONGEST_COMMAND], HOVER_WIDTH)
    lines = "<br>".join(plain(part, HOVER_WIDTH + 1) for part in command)
    return (
        f"<b>{plain(point.name)}</b><br>{100 * point.quality:.1f} %{std}, "
        f"{point.milliseconds:,.3g} ms"
        f"{capped}<br>{lines}"
    )


def _title(text: str) -> dict[str, Any]:
    """With a distance of its own, without which an axis leaves no room for its numbers."""
    return {"text": text, "standoff": 14}


def _colour(tone: int, dark: bool) -> str:
    return TONES[tone].dark if dark else TONES[tone].light


def _time_axis(points: Sequence[Point]) -> dict[str, Any]:
    """Return an axis with room for names, and ticks in plain numbers, more where times are near."""
    logs = [math.log10(point.milliseconds) for point in points]
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
        100 * (point.quality + sign * (point.deviation or 0.0))
        for point in points
        for sign in (-1, 1)
    ]
    low, high = min(ends), max(ends)
    room = max(1.0, MARGIN * (high - low))
    return [low - room, high + room]
