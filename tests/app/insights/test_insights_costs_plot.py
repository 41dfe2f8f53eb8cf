"""Names in the plot of quality against time cover neither each other nor the axis."""

from __future__ import annotations

from pages.charts.costs import Point, costs_figure, places_of_names

TIMES, HEIGHTS = (0.0, 2.0), (0.0, 100.0)
"""From 1 to 100 ms and from 0 to 100 %: 330 pixels a power of ten, 4 pixels a per cent."""


def a_point(name: str, milliseconds: float, quality: float, *, on_frontier: bool = False) -> Point:
    return Point(name, milliseconds, quality, None, on_frontier, capped=False, command="")


def test_a_name_alone_stands_where_nothing_can_be_in_its_way() -> None:
    points = [a_point("fast", 10.0, 0.5, on_frontier=True), a_point("slow", 50.0, 0.2)]
    assert places_of_names(points, TIMES, HEIGHTS) == ["top left", "bottom right"]


def test_a_long_name_at_the_axis_goes_inwards() -> None:
    # 20 letters are 144 pixels, and the marker stands 58 pixels from the axis: to its left a name has
    # 93 pixels too few, centred 14, and to its right it is whole.
    point = a_point("a-name-of-20-letters", 1.5, 0.5, on_frontier=True)
    assert places_of_names([point], TIMES, HEIGHTS) == ["top right"]


def test_near_ones_have_their_names_on_different_sides() -> None:
    points = [a_point("xml_cnn", 10.0, 0.50), a_point("kim_cnn", 10.2, 0.49)]
    first, second = places_of_names(points, TIMES, HEIGHTS)
    assert first != second


def test_every_name_is_drawn_at_its_place() -> None:
    points = [
        a_point("slow", 50.0, 0.9, on_frontier=True),
        a_point("beaten", 60.0, 0.2),
        a_point("a-name-of-20-letters", 1.0, 0.5, on_frontier=True),
    ]
    traces = costs_figure(points, time="ms", measure="F1", dark=False).data
    drawn = {
        text: place
        for trace in traces
        if trace.text is not None
        for text, place in zip(trace.text, trace.textposition, strict=True)
    }
    assert drawn == {
        "a-name-of-20-letters": "top center",
        "slow": "top left",
        "beaten": "bottom right",
    }
