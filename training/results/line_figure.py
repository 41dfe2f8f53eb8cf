"""Curves as a figure in SVG: small enough to be committed, and legible in light and dark.

Points stand evenly along the axis below, whatever lies between their values; a line is interrupted
where it has none. Colours are never the only sign: each line has a marker and a dash of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

Values = Sequence[float | None]

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 64, 46
STEPS = (1, 2, 5, 10, 20)
"""Between the lines of the grid, in %."""
MOST_TICKS, MOST_LABELS = 7, 14
COLOURS = ("#20616b", "#c2571a", "#5b4b9a", "#7a7a2a", "#a33b5e")
ON_DARK = ("#6cc0cc", "#f0a070", "#b3a3ef", "#cfcf7a", "#e98fae")
DASHES = ("", "6 4", "2 3", "9 3 2 3", "1 4")
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}.title{font-weight:600;font-size:14px}"
    ".grid{stroke:#ddd}"
    + "".join(f".c{n}{{stroke:{c};fill:{c}}}" for n, c in enumerate(COLOURS))
    + "@media (prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}"
    + "".join(f".c{n}{{stroke:{c};fill:{c}}}" for n, c in enumerate(ON_DARK))
    + "}polyline{fill:none!important;stroke-width:2}text.name{stroke:none}"
)


def figure_name(kind: str) -> str:
    """Return the file of the figure of one kind of documents, such as “full texts”."""
    return f"{kind.replace(' ', '-')}.svg"


def line_figure(title: str, places: Sequence[str], lines: Mapping[str, Values]) -> str:
    """Return curves in % as the text of an SVG file.

    Args:
        places: names of the points on the axis below.
        lines: by name, a value for each of these; None where there is none.
    Raises:
        ValueError: no line has a value, or there are more lines than signs for them.
    """
    if len(lines) > len(COLOURS):
        raise ValueError(f"{len(lines)} lines are more than can be told apart")
    known = [value for values in lines.values() for value in values if value is not None]
    low, high, step = _range(min(known), max(known))
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="{LEFT}" y="20">{escape(title)}</text>',
        *_grid(low, high, step),
        *_places(places),
    ]
    for number, (name, values) in enumerate(lines.items()):
        points = [
            None if value is None else (_x(at, len(places)), _y(value, low, high))
            for at, value in enumerate(values)
        ]
        drawn += _line(number, points)
        drawn += _legend(number, len(lines), name)
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _range(low: float, high: float) -> tuple[float, float, int]:
    """Return the ends of the axis, and the distance between the lines of its grid."""
    fitting = (step for step in STEPS if (high - low) / step <= MOST_TICKS - 1)
    step = next(fitting, STEPS[-1])
    return math.floor(low / step) * step, max(math.ceil(high / step), 1) * step, step


def _x(at: int, n_places: int) -> float:
    room = WIDTH - LEFT - RIGHT - 24
    return round(LEFT + 12 + room * at / max(n_places - 1, 1), 1)


def _y(value: float, low: float, high: float) -> float:
    room = HEIGHT - TOP - BOTTOM
    return round(HEIGHT - BOTTOM - room * (value - low) / ((high - low) or 1), 1)


def _grid(low: float, high: float, step: int) -> Iterator[str]:
    for value in range(int(low), int(high) + 1, step):
        y = _y(value, low, high)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{value}</text>'


def _places(places: Sequence[str]) -> Iterator[str]:
    every = math.ceil(len(places) / MOST_LABELS)
    for at, name in list(enumerate(places))[::every]:
        x, y = _x(at, len(places)), HEIGHT - BOTTOM + 20
        yield f'<text x="{x}" y="{y}" text-anchor="middle">{escape(name)}</text>'


def _line(number: int, points: Sequence[tuple[float, float] | None]) -> Iterator[str]:
    dash = f' stroke-dasharray="{DASHES[number]}"' if DASHES[number] else ""
    run: list[tuple[float, float]] = []
    for point in (*points, None):
        if point is not None:
            run.append(point)
            yield _marker(number, *point)
        elif run:
            path = " ".join(f"{x},{y}" for x, y in run)
            yield f'<polyline class="c{number}"{dash} points="{path}"/>'
            run = []


def _marker(number: int, x: float, y: float) -> str:
    if number % 2:
        return f'<rect class="c{number}" x="{x - 3}" y="{y - 3}" width="6" height="6"/>'
    return f'<circle class="c{number}" cx="{x}" cy="{y}" r="3.5"/>'


def _legend(number: int, n_lines: int, name: str) -> Iterator[str]:
    x = LEFT + number * (WIDTH - LEFT - RIGHT) // n_lines
    yield from _line(number, [(x, 42.0), (x + 26.0, 42.0)])
    yield f'<text class="name" x="{x + 34}" y="46">{escape(name)}</text>'
