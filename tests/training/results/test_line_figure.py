"""Curves drawn as SVG: where points stand, and that the committed figures are those of the points."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from core.settings import PROJECT_ROOT
from training.results.line_figure import BOTTOM, COLOURS, HEIGHT, LEFT, TOP, line_figure
from training.studies import cold_start_study, learning_study
from training.studies.cold_start_study import CurvePoint
from training.studies.learning_study import Period

RESULTS = PROJECT_ROOT / "docs" / "results"
SVG = "{http://www.w3.org/2000/svg}"


def test_points_stand_evenly_and_a_line_is_interrupted_where_it_has_none() -> None:
    text = line_figure(
        "Curves", ["0", "10", "200"], {"ours": [10, 20, 30], "theirs": [15, None, 25]}
    )
    drawn = ElementTree.fromstring(text)
    ours, *others = [
        [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        for line in drawn.iter(f"{SVG}polyline")
        if "42.0" not in line.attrib["points"]  # the legend
    ]
    assert [y for _, y in ours] == [HEIGHT - BOTTOM, (HEIGHT - BOTTOM + TOP) / 2, TOP]
    (first, _), (middle, _), (last, _) = ours
    assert first == LEFT + 12
    assert middle - first == pytest.approx(last - middle, abs=0.1)
    assert [len(line) for line in others] == [1, 1]
    words = [word.text for word in drawn.iter(f"{SVG}text")]
    assert words[0] == "Curves"
    assert {"10", "15", "20", "25", "30", "0", "200", "ours", "theirs"} <= set(words)


def test_names_draw_nothing_and_lines_that_look_alike_are_refused() -> None:
    text = line_figure("<b>", ["<i>"], {"a & b": [1.0]})
    assert "<b>" not in text
    assert "<i>" not in text
    assert "a &amp; b" in text
    with pytest.raises(ValueError, match="6 lines are more than can be told apart"):
        line_figure("", ["1"], {str(n): [1.0] for n in range(len(COLOURS) + 1)})


def points(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "points.jsonl").read_text().splitlines()]


def test_the_committed_figures_are_those_of_the_committed_points() -> None:
    learning, cold_start = RESULTS / "learning", RESULTS / "cold-start"
    periods = [Period(**row) for row in points(learning) if "period" in row]
    curves = [CurvePoint(**row) for row in points(cold_start)]
    for folder, figures in (
        (learning, learning_study.figures(periods)),
        (cold_start, cold_start_study.figures(curves)),
    ):
        shown = re.findall(r"\]\((.*?\.svg)\)", (folder / "README.md").read_text())
        assert shown == list(figures)
        for name, figure in figures.items():
            assert (folder / name).read_text() == figure
