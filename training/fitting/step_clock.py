"""The time that a step of training took, without the time that its process was not let run."""

from __future__ import annotations

import time


class StepClock:
    """Wall time since it was made, or processor time of the process where that is less.

    A process that is suspended, or shares its cores with others, uses less processor time than
    goes by; a run that is capped by the clock on the wall would learn less for it. With several
    threads, or a graphics card that is waited for, the wall clock is the lesser one.
    """

    def __init__(self) -> None:
        self.wall, self.used = time.monotonic(), time.process_time()

    def minutes(self) -> float:
        """Minutes so far."""
        wall, used = time.monotonic() - self.wall, time.process_time() - self.used
        return min(wall, used) / 60
