"""The script behind every page: page settings, then the page that the address names.

It lies in this folder, not beside it, so that Streamlit does not take the folder's other modules
for pages of its own.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import streamlit as st

from pages import opening
from pages.components import asset
from pages.components.sender import decision_sender

PAGES = Path(__file__).resolve().parent
ICON = PAGES.parent / "assets" / "icon.svg"  # a :material/…: icon here would be fetched from afar
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
TELL_THEMSELVES = ("", "models", "settings")  # that a project or model is being opened
CAME_FROM_KEY = "came_from"  # the screen of the run before, which may be this one


def screen(name: str) -> Path:
    """The file of a page, as `st.switch_page` wants it."""
    return PAGES / f"{name}.py"


def main() -> None:
    """Run the page that the address names."""
    st.set_page_config(page_title="Strata", page_icon=str(ICON), layout="wide")
    st.html(f"<style>{asset('shared/page.css')}</style>")
    st.logo(str(ICON), size="medium")
    pages = [
        st.Page(screen(name), title=title, icon=icon, url_path=name, default=name == "annotate")
        for name, title, icon in SCREENS
        if screen(name).exists()
    ]
    page = st.navigation(pages, position="top")
    st.session_state[CAME_FROM_KEY] = st.session_state.get(SCREEN_KEY, page.url_path)
    st.session_state[SCREEN_KEY] = page.url_path
    if page.url_path not in TELL_THEMSELVES:
        project_menu().render_opening()
    page.run()
    decision_sender(beside_tree=page.url_path == "" and opening.opened_id() is not None)


def project_menu() -> ModuleType:
    """The module that needs this one to be read first."""
    from pages import project_menu

    return project_menu


def came_from_elsewhere() -> bool:
    """Whether the run before this one was of another screen."""
    return st.session_state.get(CAME_FROM_KEY) != st.session_state.get(SCREEN_KEY)


if __name__ == "__main__":
    main()
