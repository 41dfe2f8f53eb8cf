"""The script behind every page: page settings, then the page that the address names.

It lies in this folder, not beside it, so that Streamlit does not take the folder's other modules
for pages of its own.
"""

from __future__ import annotations

import logging

import streamlit as st

from core.errors import StrataError
from core.serving.caller import UnknownProjectError
from pages import opening, project_menu
from pages.components import asset, register
from pages.components.markdown import escaped
from pages.screens import PAGES, SCREENS, came_from_elsewhere, note_screen, screen
from pages.serving import current_session, enter, in_turn

_LOG = logging.getLogger(__name__)

ICON = PAGES.parent / "assets" / "icon.svg"  # a :material/…: icon here would be fetched from afar


def main() -> None:
    """Run the page that the address names, in the project that it names."""
    with in_turn():
        run()


def run() -> None:
    """Draw what every page has, and the page between it."""
    st.set_page_config(page_icon=str(ICON), layout="wide")  # before a page brings its own icon
    st.html(f"<style>{asset('shared/page.css', 'shared/frame.css')}</style>")
    st.logo(str(ICON), size="medium")
    pages = [
        st.Page(screen(name), title=title, icon=icon, url_path=name, default=name == "annotate")
        for name, title, icon in SCREENS
        if screen(name).exists()
    ]
    page = st.navigation(pages, position="top")
    st.set_page_config(page_title=f"{page.title} · Strata", page_icon=str(ICON))
    note_screen(page.url_path)
    if is_ready():
        if page.url_path:
            opening.leave_page()
        else:
            opening.return_to_last(from_elsewhere=came_from_elsewhere())
        page.run()
    document_id = None if page.url_path else opening.opened_id()
    place = f"{page.url_path}?{document_id or ''}"
    decision_sender(beside_tree=document_id is not None, place=place)


def is_ready() -> bool:
    """Return whether this tab's project is open; where it is not, the page says why."""
    try:
        return project_menu.is_ready(enter())
    except UnknownProjectError as error:
        project_menu.render_unknown(error)
    except StrataError as error:
        _LOG.exception("the project could not be opened")
        st.error(escaped(str(error)), icon=":material/error:")
    return False


def decision_sender(*, beside_tree: bool, place: str) -> None:
    """Mount the component outside any fragment, so that its trigger has the whole page drawn.

    A server that was started again knows nothing of a page that was drawn before, until something
    on it asks for a run; this component does, as soon as an answer comes from another server.

    Args:
        beside_tree: whether a tree is on the page, which sends its decisions itself.
        place: the page and its document; where it is another, a sidebar over the page folds.
    """
    register("sender", folder="shared", entry="sender.js", styles=("sender.css",))(
        key="sender",
        data={
            "decisions_url": "api/decisions",
            "health_url": "api/health",
            "server": _server_id(),
            "beside_tree": beside_tree,
            "place": place,
        },
        on_wake_change=lambda: None,
    )


def _server_id() -> str:
    try:
        return current_session().server_id
    except StrataError:
        return ""


if __name__ == "__main__":
    main()
