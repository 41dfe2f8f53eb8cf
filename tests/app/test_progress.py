"""The panel of what goes on in the background."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.progress import Progress


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
