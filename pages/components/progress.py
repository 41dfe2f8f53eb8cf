"""The panel of what goes on in the background: a bar, a sentence, and a button that stops it.

Every screen that shows progress shows it with this panel, in these words: what is done, how far it
is, and what else there is to say.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from pages.components.markdown import count
from pages.serving import out_of_turn

REFRESH_SECONDS = 0.5
PACE_SECONDS, FEWEST_SECONDS = 60.0, 4.0  # so far back the pace is measured, and so long at least
PATIENCE_SECONDS = 0.3  # a page waits so long before it says that something goes on

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far something is that goes on in the background.

    Attributes:
        words: what is done, such as “Reading documents”; Markdown.
        done, total: how many of them; a total of 0 while nobody knows how many there are.
        share: in [0, 1], where it is known without counting.
        note: what else there is to say, behind the numbers.
        key: of the button, where it can be stopped.
        stop: stops it; what is done stays.
        seconds_left: how long it may take, where that is known.
    """

    words: str
    done: int = 0
    total: int = 0
    share: float = 0.0
    note: str = ""
    key: str = ""
    stop: Callable[[], None] | None = None
    seconds_left: float | None = None

    @property
    def filled(self) -> float:
        """Return how much of the bar is filled, in [0, 1]."""
        return min(self.done / self.total, 1.0) if self.total else self.share

    @property
    def text(self) -> str:
        """Return the sentence at the bar."""
        counted = f": {self.done:,} of {self.total:,}" if self.total else " …"
        left = "" if self.seconds_left is None else f" · {time_left(self.seconds_left)}"
        return f"{self.words}{counted}{self.note}{left}"


class Pace:
    """How fast something has gone on lately."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()  # when, and how many were done

    def seconds_left(self, done: int, total: int) -> float | None:
        """Note how far it is, and return how long the rest may take; None where it is too early.

        Args:
            done, total: as those of `Progress`.
        """
        now = time.monotonic()
        while self._seen and now - self._seen[0][0] > PACE_SECONDS:
            self._seen.popleft()
        self._seen.append((now, done))
        began, done_then = self._seen[0]
        if done <= done_then or now - began < FEWEST_SECONDS:
            return None
        return (total - done) * (now - began) / (done - done_then)


def time_left(seconds: float) -> str:
    """Return how long something may still take, in words."""
    if seconds < 50:
        return "less than a minute left"
    minutes = max(round(seconds / 60), 1)
    if minutes < 90:
        return f"about {count(minutes, 'minute')} left"
    return f"about {round(minutes / 60)} hours left"


def follow_progress(
    look: Callable[[], Sequence[Progress]], *, refresh_seconds: float = REFRESH_SECONDS
) -> None:
    """Draw the panel again and again; the whole page is run when nothing goes on any more.

    Args:
        look: says what goes on now.
    """

    def draw() -> None:
        running = look()
        if not running:
            st.rerun()
        for progress in running:
            render_progress(progress)

    st.fragment(draw, run_every=refresh_seconds)()


def awaited(future: Future[Result], words: str) -> Result | None:
    """Return what a thread works out; None while it does, which is drawn.

    Args:
        words: as those of `Progress`.
    Raises:
        Exception: what the thread raised.
    """
    with out_of_turn():
        wait([future], PATIENCE_SECONDS)
    if future.done():
        return future.result()
    follow_progress(lambda: [] if future.done() else [Progress(words)])
    return None


def render_progress(progress: Progress) -> None:
    """Draw the bar with its sentence, and the button where it can be stopped."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.progress(progress.filled, text=progress.text)
        if progress.stop is not None:
            st.button(
                "Stop", key=progress.key, icon=":material/stop_circle:", on_click=progress.stop
            )
