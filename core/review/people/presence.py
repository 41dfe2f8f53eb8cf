"""Who has a document open now: known by the pages that ask whether anything was decided on it.

In the memory of this process: where several serve, each knows of its own pages.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

SECONDS = 8.0  # that a page counts after it has asked; pages in front ask every 2.5
MOST_DOCUMENTS = 10_000


class Presence:
    """Who has asked for which document in the last seconds.

    Args:
        clock: the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: dict[str, dict[int, float]] = {}  # document -> person -> when
        self._lock = threading.Lock()

    def note(self, document_id: str, person_id: int) -> set[int]:
        """Note that a person has a document open, and return who else has."""
        now = self._clock()
        with self._lock:
            people = self._asked.pop(document_id, {})
            here = {one: at for one, at in people.items() if now - at < SECONDS} | {person_id: now}
            self._asked[document_id] = here  # the last one now
            while len(self._asked) > MOST_DOCUMENTS:
                del self._asked[next(iter(self._asked))]
        return here.keys() - {person_id}
