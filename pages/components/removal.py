"""What was removed last, what lies in the bin, and how long that is worth telling."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.review.reports.summaries import named_documents
from pages.components.markdown import plain
from pages.screens import SCREEN_KEY
from pages.serving import DOCUMENT_PARAMETER, current_session

REMOVED_KEY = "removed"  # id and title of what was removed last, and the place where that was done
IN_BIN_KEY = "in_bin"  # the removed document whose text was added again


def removed() -> dict[str, str] | None:
    """Return what was removed last, while a person is where that was done and it is in the bin."""
    last: dict[str, str] | None = st.session_state.get(REMOVED_KEY)
    if last is None or (last["place"] == place() and is_in_bin(last["id"])):
        return last
    # A run that was asked for before the page turned still comes with the removed document.
    if st.query_params.get(DOCUMENT_PARAMETER) != last["id"] or not is_in_bin(last["id"]):
        st.session_state.pop(REMOVED_KEY)
    return None


def is_in_bin(document_id: str) -> bool:
    """Return whether a document that was removed has not been restored since."""
    session = current_session()
    return not named_documents(session.store(), session.project_id(), [document_id])


def place() -> str:
    """Return where a person is: the page, and the document on it."""
    return f"{st.session_state.get(SCREEN_KEY)} {st.query_params.get(DOCUMENT_PARAMETER)}"


def render_in_bin(restore: Callable[[str], None]) -> None:
    """Draw the way back of a document whose text was added again, where it was removed."""
    in_bin = st.session_state.get(IN_BIN_KEY)
    if in_bin is not None and (in_bin["place"] != place() or not is_in_bin(in_bin["id"])):
        st.session_state.pop(IN_BIN_KEY)
    elif in_bin is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="in_bin"):
            st.info(f"“{plain(in_bin['title'])}” has the same text, and lies in the bin.")
            st.button(
                "Bring it back",
                key="bring_back",
                on_click=lambda: restore(st.session_state.pop(IN_BIN_KEY)["id"]),
                type="primary",
            )
            leave = partial(st.session_state.pop, IN_BIN_KEY, None)
            st.button("Leave it there", key="leave_in_bin", on_click=leave)
