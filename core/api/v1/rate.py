"""How often programs may ask: so many requests at once, which come back in a minute."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

MOST_SENDERS = 10_000
MINUTE = 60.0


class Rate:
    """Counts the requests of each sender.

    Args:
        per_minute: how many may come at once, and in each minute from then on.
        clock: seconds.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = float(per_minute), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, sender: str) -> int:
        """Count one request; return 0, or after how many seconds the next one is answered."""
        now = self._clock()
        left, since = self._left.get(sender, (self._most, now))
        left = min(self._most, left + (now - since) * self._most / MINUTE)
        is_allowed = left >= 1
        self._left[sender] = (left - is_allowed, now)
        self._left.move_to_end(sender)
        while len(self._left) > MOST_SENDERS:
            self._left.popitem(last=False)
        return 0 if is_allowed else math.ceil((1 - left) * MINUTE / max(self._most, 1))
