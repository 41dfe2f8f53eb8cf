"""Counts over all documents of a project, which take seconds where there are many.

They are made in the background, one at a time, and kept for twenty times as long as they took.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary

from core.serving.project import ServedProject
from core.serving.workers import give_way

LARGE = 5_000  # documents; with more, counting takes seconds
LEAST_KEPT_SECONDS, KEPT_SHARE = 3.0, 20
MOST_KEPT = 8  # counts of a project


@dataclass(slots=True)
class Count:
    """A count that goes on, or is done.

    Attributes:
        former: what was counted before; None where nothing was.
        kept_until: as `time.monotonic`; set before it is found, as is `made_at`.
    """

    former: Any = None
    found: Future[Any] = field(default_factory=Future)
    kept_until: float = 0.0
    made_at: datetime | None = None

    def is_fresh(self) -> bool:
        """Return whether it goes on, or is not too old."""
        return not self.found.done() or time.monotonic() < self.kept_until

    def newest(self) -> Any:
        """Return what is counted, or else what was before; None where that is nothing."""
        is_counted = self.found.done() and self.found.exception() is None
        return self.found.result() if is_counted else self.former

    def make(self, count: Callable[[], object]) -> None:
        """Count now; what that raises is raised where the result is asked for."""
        began = time.monotonic()
        try:
            result = count()
        # Whatever it is, who shows the count raises it again.
        except Exception as error:  # noqa: BLE001
            self.kept_until = time.monotonic() + LEAST_KEPT_SECONDS
            self.found.set_exception(error)
            return
        ended = time.monotonic()
        self.kept_until = ended + max(LEAST_KEPT_SECONDS, KEPT_SHARE * (ended - began))
        self.made_at = datetime.now(UTC)
        self.found.set_result(result)


class ProjectCounts:
    """The counts of all projects."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[ServedProject, dict[Hashable, Count]] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # held by the one that counts in the background

    def of(
        self,
        served: ServedProject,
        key: Hashable,
        count: Callable[[], object],
        *,
        at_once: bool = False,
        first_at_once: bool = False,
    ) -> Count:
        """Return the count that is kept or goes on, or begin a new one.

        Args:
            at_once: count before returning, which is for projects with few documents.
            first_at_once: the same, where there is no former count.
        """
        with self._lock:
            counts = self._kept.setdefault(served, {})
            earlier = counts.pop(key, None)
            new = (
                earlier
                if earlier and earlier.is_fresh()
                else Count(earlier.newest() if earlier else None)
            )
            while len(counts) >= MOST_KEPT:
                counts.pop(next(iter(counts)))
            counts[key] = new
        if new is earlier:
            return new
        if at_once or (first_at_once and new.former is None):
            new.make(count)
        else:
            work = threading.Thread(target=self._work, args=(new, count), name="count", daemon=True)
            work.start()
        return new

    def _work(self, new: Count, count: Callable[[], object]) -> None:
        give_way()
        with self._turn:
            new.make(count)
