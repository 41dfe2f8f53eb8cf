"""The charts of the Insights page: told apart without colour, numbers that can be read."""

from __future__ import annotations

import json

import pytest

from core.insights.decisions import DecisionStatistics, RankRow
from core.insights.reliability import Bin, Curve
from pages.charts.plots import (
    bars_figure,
    columns_figure,
    reliability_figure,
    stacked_figure,
)
from pages.charts.style import TONES, Series
from pages.figures import decisions


def contrast(first: str, second: str) -> float:
    """Of two colours such as "#1d2726", as WCAG 2.1 defines it."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_tones_differ_by_pattern_dash_and_marker() -> None:
    assert len({(tone.pattern, tone.dash, tone.marker) for tone in TONES}) == len(TONES)
    assert len({tone.pattern for tone in TONES}) == len(TONES)


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_on_bars_stand_out(dark: bool) -> None:
    series = [Series(f"kind {n}", [1 / len(TONES)]) for n in range(len(TONES))]
    figure = stacked_figure(["all"], series, dark=dark)
    for bar in figure.data:
        assert contrast(bar.marker.color, bar.insidetextfont.color) >= 4.5


def test_nothing_to_measure_is_no_bar_and_no_number() -> None:
    for make in (columns_figure, bars_figure):
        figure = make(["a", "b"], [Series("share", [0.5, None])], dark=False)
        assert figure.data[0].text == ("50%", "")


def test_a_share_is_in_per_cent_above_how_many_were_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "is_dark", lambda: False)
    curve = Curve("assigned", 0.1, ())
    counted = DecisionStatistics(14, 14, 10, 0, (RankRow(1, 1, 14, 10),), curve)
    (bar,) = decisions.by_rank(counted).chart.data
    assert (bar.x, bar.text) == (("rank 1<br>14 shown",), ("71%",))


def test_a_curve_leaves_out_bins_without_suggestions() -> None:
    bins = (Bin(0.01, 0.1, 0, None, None), Bin(0.1, 0.2, 3, 0.15, 0.25))
    figure = reliability_figure([("as shown", Curve("assigned", 0.1, bins))], dark=False)
    _, line, bars = figure.data
    assert (line.x, line.y, bars.y) == ((15.0,), (25.0,), (3,))


def test_hostile_names_are_text() -> None:
    name = "<a href='javascript:1'>x</a> $y$" + "z" * 1000
    for figure in (
        bars_figure([name], [Series(name, [0.5])], dark=False),
        stacked_figure([name], [Series(name, [0.5])] * len(TONES), dark=True),
    ):
        written = json.dumps(figure.to_dict(), default=str)
        assert "<a" not in written
        assert "$y" not in written
        assert len(written) < 10_000
