"""How far a run is, on standard error: documents, documents a second, and the time left."""

from __future__ import annotations

import sys
import time
from datetime import timedelta

from core.batches.record import FinishedPart

EVERY_SECONDS = 10.0


class BatchProgress:
    """Says how far a run is: on a terminal in one line that changes, elsewhere now and then.

    Args:
        n_bytes: of the whole input. Time left is judged by it, since nobody has counted the rows.
    """

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        self.n_documents = self.n_bad = 0
        self._started = self._said = time.monotonic()
        self._bytes_at_start = self._furthest = 0
        self._is_terminal = sys.stderr.isatty()

    def begin(self, bytes_read: int) -> None:
        """Start the clock, where so much of the input was finished before."""
        self._started = self._said = time.monotonic()
        self._bytes_at_start = self._furthest = bytes_read

    def advance(self, mark: FinishedPart) -> None:
        """Count a part."""
        self.n_documents += mark.documents
        self.n_bad += mark.bad
        self._furthest = max(self._furthest, mark.bytes_read)
        now = time.monotonic()
        if self._is_terminal or now - self._said >= EVERY_SECONDS:
            self._said = now
            end = "\r" if self._is_terminal else "\n"
            sys.stderr.write(f"{self}{' ' * 8 if self._is_terminal else ''}{end}")
            sys.stderr.flush()

    @property
    def seconds(self) -> float:
        """Since the start."""
        return max(time.monotonic() - self._started, 1e-9)

    def __str__(self) -> str:
        share = self._furthest / self.n_bytes if self.n_bytes else 1.0
        read = self._furthest - self._bytes_at_start
        said = f"{self.n_documents:,} documents, {self.n_documents / self.seconds:.1f}/s"
        if not read:
            return said
        left = max(self.n_bytes - self._furthest, 0) * self.seconds / read
        return f"{said}, {share:.0%} of the input, {timedelta(seconds=round(left))} left"
