"""What concerns several people about the open document, in a line above its text."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.review.people.comments import read_thread
from core.review.people.skips import LONGEST_REASON
from core.roles import Right
from pages.annotation import thread
from pages.annotation.history import show_history
from pages.annotation.view import REASON_KEY, AnnotationView
from pages.serving import current_session


def render_team_line(view: AnnotationView, *, on_skip: Callable[[], None] | None) -> None:
    """Draw comments, history and the way to leave it to others; nothing where nobody signs in.

    Args:
        on_skip: leaves the document, for the reason under `REASON_KEY`; None once it is finished.
    """
    session = current_session()
    if session.signed_in is None:
        return
    document_id = view.document.document_id
    n_open = sum(entry.resolved_at is None for entry in read_thread(session.store(), document_id))
    with st.container(horizontal=True, gap="small", key="team_line"):
        wants_thread = st.button(
            f"Comments ({n_open})" if n_open else "Comments",
            key="comments",
            type="tertiary",
            icon=":material/comment:",
        )
        wants_history = st.button(
            "History", key="history", type="tertiary", icon=":material/history:"
        )
        if on_skip is not None and session.may(Right.DECIDE):
            with st.container(key="skip_menu"):
                _render_skip(document_id, on_skip)
    if wants_history:
        show_history(document_id)
    if wants_thread:
        thread.begin()
        thread.show_thread(document_id)


def _render_skip(document_id: str, on_skip: Callable[[], None]) -> None:
    """Draw the menu that leaves the document to others, with a reason.

    Each document has one of its own: one for all would stay open over the next text.
    """
    key = f"skip_menu_{document_id}"
    with st.popover("Skip", key=key, type="tertiary", icon=":material/skip_next:"):
        st.text_input(
            "Why you leave it, if you want to say so", key=REASON_KEY, max_chars=LONGEST_REASON
        )
        st.button("Leave it and go on", key="skip", type="primary", on_click=on_skip)
