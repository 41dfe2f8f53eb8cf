"""Counting over all documents of a project: at once in small ones, when asked for in large ones."""

from __future__ import annotations

import streamlit as st

from core.review.reports.summaries import count_documents
from pages.serving import current_session

LARGE = 5_000  # documents; with more, counting takes seconds
MOST_ROWS = 2_000  # of a table of documents; each is 200 bytes or so, sent every time


def is_large() -> bool:
    """Return whether the tab's project has so many documents that counting takes seconds."""
    return _n_documents() > LARGE


def may_count(key: str) -> bool:
    """Return whether to count now; in a large project, draw a switch that asks for it."""
    n_documents = _n_documents()
    if n_documents <= LARGE:
        return True
    words = f"Count over all {n_documents:,} documents, which takes a while"
    return st.toggle(words, key=f"{key}_{current_session().project_id()}")


def _n_documents() -> int:
    session = current_session()
    return count_documents(session.store(), session.project_id())
