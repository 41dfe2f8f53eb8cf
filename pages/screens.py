"""The pages: their files, titles and icons, and from which of them a tab comes."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

PAGES = Path(__file__).resolve().parent
# File, title, icon; the first is the start page.
SCREENS = (
    ("annotate", "Annotate", ":material/rule:"),
    ("documents", "Documents", ":material/stacks:"),
    ("vocabulary", "Vocabulary", ":material/account_tree:"),
    ("insights", "Insights", ":material/insights:"),
    ("export", "Export", ":material/download:"),
    ("models", "Models", ":material/deployed_code:"),
    ("settings", "Settings", ":material/tune:"),
)
SCREEN_KEY = "screen"
CAME_FROM_KEY = "came_from"  # the screen of the run before, which may be this one


def screen(name: str) -> Path:
    """Return the file of a page, as `st.switch_page` wants it."""
    return PAGES / f"{name}.py"


def note_screen(url_path: str) -> None:
    """Keep in mind which page is run, and which was before."""
    st.session_state[CAME_FROM_KEY] = st.session_state.get(SCREEN_KEY, url_path)
    st.session_state[SCREEN_KEY] = url_path


def came_from_elsewhere() -> bool:
    """Return whether the run before this one was of another page."""
    return st.session_state.get(CAME_FROM_KEY) != st.session_state.get(SCREEN_KEY)
