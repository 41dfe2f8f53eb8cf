"""The panel of what goes on in the background."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.progress import Pace, Progress, time_left


@pytest.mark.parametrize(
    ("progress", "text", "filled"),
    [
        (Progress("Reading documents", 3, 1200), "Reading documents: 3 of 1,200", 3 / 1200),
        (Progress("Reading", note=" 4 s"), "Reading … 4 s", 0.0),
        (Progress("Reading rows.csv", share=0.25), "Reading rows.csv …", 0.25),
        (Progress("Adding", 7, 5), "Adding: 7 of 5", 1.0),
    ],
)
def test_a_sentence_says_how_far_it_is(progress: Progress, text: str, filled: float) -> None:
    assert (progress.text, progress.filled) == (text, filled)


def panel() -> None:
    import streamlit as st

    from pages.components.progress import Progress, follow_progress

    state = st.session_state
    left = state.setdefault("left", 2)

    def look() -> list[Progress]:
        done = Progress("Counting", 2 - left, 2, key="stop", stop=lambda: state.update(left=0))
        return [done] if state["left"] else []

    if state["left"]:
        follow_progress(look)
    else:
        st.markdown("It is over.")


def test_the_panel_has_a_button_that_stops_it_and_then_the_page_follows() -> None:
    page = AppTest.from_function(panel).run()
    assert not page.exception
    assert "Counting: 0 of 2" in page.get("progress")[0].proto.text
    page.button(key="stop").click().run()
    assert not page.exception
    assert page.get("progress") == []
    assert page.markdown[0].value == "It is over."


def test_the_time_that_is_left_follows_the_pace_of_the_last_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([0.0, 1.0, 10.0, 40.0, 100.0, 130.0])
    monkeypatch.setattr("pages.components.progress.time.monotonic", lambda: next(clock))
    pace = Pace()
    assert pace.seconds_left(0, 1000) is None
    assert pace.seconds_left(5, 1000) is None  # a second says little
    assert pace.seconds_left(10, 1000) == pytest.approx(990.0)
    assert pace.seconds_left(40, 1000) == pytest.approx(960.0)
    assert pace.seconds_left(640, 1000) == pytest.approx(36.0)  # the slow start is long ago
    assert pace.seconds_left(640, 1000) is None  # nothing went on since


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "less than a minute left"),
        (70.0, "about 1 minute left"),
        (600.0, "about 10 minutes left"),
        (10_000.0, "about 3 hours left"),
    ],
)
def test_the_time_that_is_left_is_told_in_round_numbers(seconds: float, words: str) -> None:
    assert time_left(seconds) == words
    shown = Progress("Reading", 1, 2, note=" · 1 failed", seconds_left=seconds)
    assert shown.text == f"Reading: 1 of 2 · 1 failed · {words}"
