"""How often somebody may try to sign in."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

# So many keys are looked at at once for one address, then one a second; so many may wait for that.
# All behind a proxy have one address, unless the server trusts the proxy to name theirs: who has
# the key comes in a little later when others guess, and is not locked out.
ATTEMPTS, ATTEMPTS_A_SECOND = 5.0, 1.0
MOST_WAITING = 10
MOST_ADDRESSES = 10_000
TOO_OFTEN = "Too many attempts. Wait a moment, then try again."


class Attempts:
    """How many keys may still be tried from an address: a few at once, then one a second.

    Args:
        sleep: waits for so many seconds.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def take(self, address: str) -> bool:
        """Count one attempt, and wait for its turn; return False where too many wait already."""
        left = self._now(address) - 1
        if left < -MOST_WAITING:
            return False
        self._set(address, left)
        if left < 0:
            await self._sleep(-left / ATTEMPTS_A_SECOND)
        return True

    def give_back(self, address: str) -> None:
        """Forget one attempt, as the key was right."""
        self._set(address, min(ATTEMPTS, self._now(address) + 1))

    def _set(self, address: str, left: float) -> None:
        self._left[address] = (left, time.monotonic())
        self._left.move_to_end(address)
        while len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)

    def _now(self, address: str) -> float:
        left, since = self._left.get(address, (ATTEMPTS, time.monotonic()))
        return min(ATTEMPTS, left + ATTEMPTS_A_SECOND * (time.monotonic() - since))
