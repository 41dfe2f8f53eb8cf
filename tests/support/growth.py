"""How the time of something that reads a text grows with the text: what is not linear is found."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

needs_alarm = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm here")

# Characters of the longest of three texts, of which each is twice as long as the one before.
LONGEST = 2_400
NOTICED_SECONDS = 0.003  # for the longest text; others are linear, or too quick to be told
UNNOTICED = 64  # a quarter of the longest text takes so much less, if that is cubic and not noticed
MAX_GROWTH = (
    3.0  # of the time of the second half, against the second quarter: linear 2, quadratic 4
)
TRIES = 4
CONFIRMED = 2  # times as long a text shows whether that goes on
ALARM_SECONDS = 2.0  # of work; what is exponential would never end


class Hostile(NamedTuple):
    """A text of one unit over and over, behind a beginning and before an end."""

    prefix: str
    unit: str
    end: str = "\0"

    def text(self, size: int) -> str:
        """About so many characters."""
        return self.prefix + self.unit * max(1, size // len(self.unit)) + self.end


UNITS = [
    *(" ", "\t", "\n", "a", "A", "0", "é", "/", "#", "<", "(", "[", "-", "_", ",", ";", ":", "&"),
    *("'", '"', "=", "*", "a ", "A ", "0 ", "a.", "0.", "0-", "a-", "a/", "a_", "(a", "[a "),
    *("\n ", "\n\n ", ": ", ":\n", "- ", ". ", ".\n", ", ", "; ", "| ", "<p ", "<!--"),
    *("<!-- -->", "<?xml ", "[** ", "http://", "a=", "&a", "a'", "a\n", "(1) ", "( )", "[ ] a "),
]  # fmt: skip
HOSTILE = [Hostile("", unit) for unit in UNITS]


def growth(
    call: Callable[[str], object],
    hostile: Hostile,
    *,
    longest: int = LONGEST,
    floor: float = NOTICED_SECONDS,
) -> float:
    """Return by how much a text that is twice as long takes longer; 0 where nobody notices."""
    quarter = _seconds(call, hostile.text(longest // 4))
    if quarter < floor / UNNOTICED:
        return 0.0
    whole = _seconds(call, hostile.text(longest))
    if whole < floor:
        return 0.0
    grown = _growth(quarter, _seconds(call, hostile.text(longest // 2)), whole)
    if grown > MAX_GROWTH:  # it may have been disturbed
        grown = _least_growth(call, hostile, longest, whole)
    if grown > MAX_GROWTH:  # what looks so far and no further ends with it
        return _least_growth(call, hostile, CONFIRMED * longest, float("inf"))
    return grown


def _least_growth(
    call: Callable[[str], object], hostile: Hostile, longest: int, whole: float
) -> float:
    """Return the growth by the least seconds of some tries: what disturbs one makes it longer.

    Args:
        whole: seconds that the longest text took; infinity where it was not read.
    """
    quarter = half = float("inf")
    grown = float("inf")
    for _ in range(TRIES):
        quarter = min(quarter, _seconds(call, hostile.text(longest // 4)))
        half = min(half, _seconds(call, hostile.text(longest // 2)))
        if grown < float("inf") or whole == float("inf"):
            whole = min(whole, _seconds(call, hostile.text(longest)))
        grown = _growth(quarter, half, whole)
        if grown <= MAX_GROWTH:
            break
    return grown


def _growth(quarter: float, half: float, whole: float) -> float:
    """Without what takes the same time for any text, or for the first part of it."""
    return (whole - half) / max(half - quarter, NOTICED_SECONDS / 10)


def _seconds(call: Callable[[str], object], text: str) -> float:
    started = time.thread_time()
    found = call(text)
    if isinstance(found, Iterator):
        for _ in found:
            pass
    return time.thread_time() - started


def too_slow(
    calls: Iterable[tuple[str, Callable[[str], object], Iterable[Hostile]]], **how: float
) -> list[tuple[str, Hostile, float]]:
    """Return what takes more than linear time, with the first text that shows it."""
    bad = []
    with _alarm() as begin:
        for name, call, texts in calls:
            for hostile in texts:
                begin()
                try:
                    grown = growth(call, hostile, **how)  # type: ignore[arg-type]
                except TimeoutError:
                    grown = float("inf")
                if grown > MAX_GROWTH:
                    bad.append((name, hostile, round(grown, 1)))
                    break
    return bad


@contextmanager
def _alarm() -> Iterator[Callable[[], None]]:
    """Yield what begins to count the seconds of this thread after which TimeoutError is raised."""
    ends = 0.0

    def begin() -> None:
        nonlocal ends
        ends = time.thread_time() + ALARM_SECONDS
        signal.setitimer(signal.ITIMER_VIRTUAL, ALARM_SECONDS)

    def ring(*_: object) -> None:
        left = ends - time.thread_time()  # the alarm counts what other threads do as well
        if left <= 0:
            raise TimeoutError
        signal.setitimer(signal.ITIMER_VIRTUAL, left)

    before = signal.signal(signal.SIGVTALRM, ring)
    try:
        yield begin
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
