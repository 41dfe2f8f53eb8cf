"""Counting over all documents of a project: at once in small ones, when asked for in large ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from core.api.counts import LARGE, ProjectCounts
from core.review.reports.summaries import count_documents
from pages.components.progress import awaited
from pages.serving import current_session

MOST_ROWS = 2_000  # of a table of documents; each is 200 bytes or so, sent every time

Result = TypeVar("Result")


_COUNTS = ProjectCounts()


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


def counted(key: Hashable, count: Callable[[], Result]) -> Result | None:
    """Return what is counted over a project; in a large one, None while that goes on, drawn so.

    Args:
        key: what is counted; the same again gives what is kept.
        count: works it out; in a thread, where it may not ask Streamlit for anything.
    Raises:
        StrataError: from the counting.
    """
    if not is_large():
        return count()
    current = _COUNTS.of(current_session().project, key, count)
    result: Result | None = awaited(current.found, "Counting over all documents")
    if result is not None:
        st.caption(f"Counted at {current.made_at:%H:%M} UTC.")
    return result


def _n_documents() -> int:
    session = current_session()
    return count_documents(session.store(), session.project_id())
