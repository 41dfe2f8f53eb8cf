"""Counting over all documents of a project: at once in small ones, when asked for in large ones.

In a large project it takes longer than a person waits for a page, so it is done in the background,
one count at a time, and kept for twenty times as long as it took.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import streamlit as st

from core.review.reports.summaries import count_documents
from core.serving.project import ServedProject
from core.serving.workers import give_way
from pages.components.progress import awaited
from pages.serving import current_session

LARGE = 5_000  # documents; with more, counting takes seconds
MOST_ROWS = 2_000  # of a table of documents; each is 200 bytes or so, sent every time
LEAST_KEPT_SECONDS, KEPT_SHARE = 3.0, 20
MOST_KEPT = 8  # counts of a project

Result = TypeVar("Result")


@dataclass(slots=True)
class _Count:
    """A count in the background.

    Attributes:
        kept_until: as `time.monotonic`; set before it is found, as is `made_at`.
    """

    found: Future[Any] = field(default_factory=Future)
    kept_until: float = 0.0
    made_at: datetime | None = None

    def is_fresh(self) -> bool:
        """Return whether it goes on, or is not too old."""
        return not self.found.done() or time.monotonic() < self.kept_until


_counts: WeakKeyDictionary[ServedProject, dict[Hashable, _Count]] = WeakKeyDictionary()
_lock = threading.Lock()
_turn = threading.Lock()  # held by the one that counts


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
    current = _current(key, count)
    result: Result | None = awaited(current.found, "Counting over all documents")
    if result is not None:
        st.caption(f"Counted at {current.made_at:%H:%M} UTC.")
    return result


def _current(key: Hashable, count: Callable[[], object]) -> _Count:
    """The count that is kept or goes on, or a new one."""
    with _lock:
        kept = _counts.setdefault(current_session().project, {})
        known = kept.get(key)
        if known is not None and known.is_fresh():
            return known
        kept.pop(key, None)
        while len(kept) >= MOST_KEPT:
            kept.pop(next(iter(kept)))
        new = kept[key] = _Count()
    threading.Thread(target=_work, args=(new, count), name="count", daemon=True).start()
    return new


def _work(current: _Count, count: Callable[[], object]) -> None:
    give_way()
    with _turn:
        began = time.monotonic()
        try:
            result = count()
        # Whatever it is, the page that shows the count raises it again.
        except Exception as error:  # noqa: BLE001
            current.kept_until = time.monotonic() + LEAST_KEPT_SECONDS
            current.found.set_exception(error)
            return
        ended = time.monotonic()
        current.kept_until = ended + max(LEAST_KEPT_SECONDS, KEPT_SHARE * (ended - began))
        current.made_at = datetime.now(UTC)
        current.found.set_result(result)


def _n_documents() -> int:
    session = current_session()
    return count_documents(session.store(), session.project_id())
