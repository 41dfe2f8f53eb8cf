"""The figure of a sweep: quality against a setting or against parameters, as one HTML file.

The file holds everything it needs, the drawing library too, and asks no network for anything.
Source: Adhikari et al. (2019), Figure 1 (units, parameters) and Figure 2 (length, epochs).
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from training.results.sweep_record import (
    MEASURES,
    SPLITS,
    SweepReference,
    SweepResult,
    SweepSpec,
    measure_of,
    sweep_page,
    sweep_results,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

COLOURS = ("#20616b", "#c2571a", "#5b4b9a", "#7a7a2a", "#a33b5e", "#3a6ea5")
"""Of the series, readable on white, also for those who confuse red and green."""

MARKERS = ("circle", "diamond", "square", "triangle-up", "cross", "x")
DASHES = ("dash", "dot", "dashdot", "longdash")
REFERENCE_COLOUR = "#5a6668"
PANEL_HEIGHT = 340
WIDE = 4.0
"""From this ratio of the largest to the smallest value on, an axis is logarithmic."""


def figure_page(spec: SweepSpec, points: Sequence[SweepResult]) -> str:
    """Return the whole page."""
    page: str = figure(spec, points).to_html(
        include_plotlyjs=True,
        full_html=True,
        div_id="sweep",
        config={"displaylogo": False, "responsive": True},
    )
    title = html.escape(spec.title)
    head = f'<head><title>{title}</title><meta name="viewport" content="width=device-width">'
    return page.replace("<html>", '<html lang="en">', 1).replace("<head>", head, 1)


def figure(spec: SweepSpec, points: Sequence[SweepResult]) -> go.Figure:
    """Return panels, a row a split, a column a setting; references are dashed lines."""
    from plotly.subplots import make_subplots

    keys = list(dict.fromkeys(point.key for point in spec.points))
    drawn = make_subplots(
        rows=len(SPLITS),
        cols=len(keys),
        vertical_spacing=0.16,
        subplot_titles=[f"{split}" for split in SPLITS.values() for _ in keys],
    )
    _draw_panels(drawn, spec, points, keys)
    drawn.update_layout(
        title={"text": html.escape(spec.title), "x": 0.02},
        template="plotly_white",
        height=PANEL_HEIGHT * len(SPLITS) + 120,
        legend={"orientation": "h", "y": -0.12},
        hovermode="closest",
    )
    return drawn


def _draw_panels(
    drawn: go.Figure, spec: SweepSpec, points: Sequence[SweepResult], keys: Sequence[str]
) -> None:
    """Draw a panel for each split and setting; a series is named in the legend once."""
    measure = measure_of(spec, points)
    shown: set[str] = set()
    for row, split in enumerate(SPLITS, start=1):
        for column, key in enumerate(keys, start=1):
            of_axis = [result for result in points if result.point.key == key]
            panel = _Panel(spec, key, of_axis, split, measure)
            for trace in panel.traces():
                trace.update(showlegend=trace.name not in shown)
                shown.add(trace.name)
                drawn.add_trace(trace, row=row, col=column)
            drawn.update_xaxes(**panel.x_axis(), row=row, col=column)
        drawn.update_yaxes(
            title_text=f"{MEASURES.get(measure, measure)} (%)" if measure else "", row=row, col=1
        )


class _Panel:
    """One setting on one split."""

    def __init__(
        self, spec: SweepSpec, key: str, points: Sequence[SweepResult], split: str, measure: str
    ) -> None:
        self.spec, self.key, self.split, self.measure = spec, key, split, measure
        self.points = [result for result in points if not math.isnan(self._mean(result))]
        self.places = [place for result in points if not _is_nan(place := self.place(result))]
        self.is_number = all(isinstance(place, float) for place in self.places)

    def place(self, result: SweepResult) -> float | str:
        """Return where a point stands on the axis below: a number, or a word as it was written."""
        if self.spec.x == "parameters":
            return result.fact("parameters")
        try:
            return float(result.point.value)
        except ValueError:
            return result.point.value

    def traces(self) -> list[Any]:
        """Return the series, then the references."""
        series = dict.fromkeys(result.point.series for result in self.points)
        lines = [self._series(name, number) for number, name in enumerate(series)]
        return lines + [
            self._reference(line, number)
            for number, line in enumerate(self.spec.references)
            if self.split in line.values and self.places
        ]

    def x_axis(self) -> dict[str, Any]:
        """Return an axis with ticks at the values tried, logarithmic where they reach far."""
        title = "parameters" if self.spec.x == "parameters" else self.key
        look: dict[str, Any] = {"title_text": title}
        if not self.is_number or not self.places:
            return {**look, "type": "category"}
        numbers = sorted({float(place) for place in self.places})
        wide = numbers[0] > 0 and numbers[-1] / numbers[0] >= WIDE
        look["type"] = "log" if wide else "linear"
        if self.spec.x == "parameters":
            return {**look, "tickformat": "~s", "nticks": 5}
        return {**look, "tickvals": numbers, "ticktext": [f"{number:,g}" for number in numbers]}

    def _series(self, name: str, number: int) -> Any:
        import plotly.graph_objects as go

        of = [result for result in self.points if result.point.series == name and
              not _is_nan(self.place(result))]  # fmt: skip
        if self.is_number:
            of.sort(key=lambda result: float(self.place(result)))
        stds = np.nan_to_num([100 * result.spread(self.split, self.measure).std for result in of])
        return go.Scatter(
            x=[self.place(result) for result in of],
            y=[100 * self._mean(result) for result in of],
            name=html.escape(name or "this configuration"),
            mode="lines+markers",
            line={"color": COLOURS[number % len(COLOURS)], "width": 2},
            marker={"symbol": MARKERS[number % len(MARKERS)], "size": 9},
            error_y={"type": "data", "array": stds.tolist(), "visible": bool(stds.any())},
            text=[self._hover_text(result) for result in of],
            hovertemplate="%{text}<br>%{y:.1f} %<extra>%{fullData.name}</extra>",
        )

    def _reference(self, line: SweepReference, number: int) -> Any:
        import plotly.graph_objects as go

        ends = [min(self.places), max(self.places)] if self.is_number else list(self.places)
        return go.Scatter(
            x=ends,
            y=[100 * line.values[self.split]] * len(ends),
            name=html.escape(line.name),
            mode="lines",
            line={"color": REFERENCE_COLOUR, "width": 1.5, "dash": DASHES[number % len(DASHES)]},
            hovertemplate="%{y:.1f} %<extra>%{fullData.name}</extra>",
        )

    def _mean(self, result: SweepResult) -> float:
        return result.spread(self.split, self.measure).mean

    def _hover_text(self, result: SweepResult) -> str:
        """Return the text of a point under the mouse."""
        lines = [f"{self.key} = {result.point.value}"]
        if not math.isnan(parameters := result.fact("parameters")):
            lines.append(f"{parameters:,.0f} parameters")
        if not math.isnan(minutes := result.fact("minutes")):
            lines.append(f"{minutes:.1f} minutes of training{', capped' if result.capped else ''}")
        lines.append(f"{result.n_seeds} seed{'s' if result.n_seeds > 1 else ''}")
        return "<br>".join(map(html.escape, lines))


def _is_nan(place: float | str) -> bool:
    return isinstance(place, float) and math.isnan(place)


def write_sweep(folder: Path) -> str:
    """Write sweep.md and the figure, sweep.html, of a folder with sweep.json.

    The figure holds the drawing library, 4.5 MB, so it is not committed but drawn anew from the
    rows.

    Returns:
        The Markdown.
    Raises:
        ConfigError: there is no sweep, or its rows do not have its measure.
    """
    tables = sweep_page(folder)
    spec = SweepSpec.load(folder)
    figure_text = figure_page(spec, sweep_results(spec, folder))
    for name, text in (("sweep.md", tables), ("sweep.html", figure_text)):
        (folder / name).write_text(text, encoding="utf-8")
    return tables
