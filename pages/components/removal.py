"""What was removed last, and how long that is worth telling."""

from __future__ import annotations

import streamlit as st

from core.review.reports.summaries import named_documents
from pages.screens import SCREEN_KEY
from pages.serving import DOCUMENT_PARAMETER, current_session

REMOVED_KEY = "removed"  # id and title of what was removed last, and the place where that was done


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
