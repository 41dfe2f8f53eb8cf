"""Waiting for what happens in another thread or process, on a machine that may be busy."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 120.0


def wait_until(
    condition: Callable[[], object],
    seconds: float = PATIENCE_SECONDS,
    what: str = "it did not happen",
) -> None:
    """Wait until a condition holds.

    Raises:
        AssertionError: it does not within so many seconds.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)
