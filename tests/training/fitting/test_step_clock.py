"""The cap of a run counts what it was let run, not what went by."""

from __future__ import annotations

import time

from training.fitting.progress import StepClock


def test_time_that_the_process_did_not_run_is_not_counted() -> None:
    clock, started = StepClock(), time.monotonic()
    time.sleep(0.5)
    assert time.monotonic() - started >= 0.5
    assert clock.minutes() * 60 < 0.25


def test_time_that_it_worked_is_counted_once() -> None:
    clock, started = StepClock(), time.process_time()
    while time.process_time() - started < 0.2:
        sum(range(1000))
    assert 0.15 < clock.minutes() * 60 < 0.4
