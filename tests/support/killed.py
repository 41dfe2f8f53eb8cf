"""Work in a process of its own that is killed in the middle."""

from __future__ import annotations

import os
from collections.abc import Callable

KILLED = 9


def killed_at(work: Callable[[], object], place: Callable[[], None]) -> None:
    """Do something in a process of its own that is killed at a place of it."""
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        place()
        try:
            work()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def kill(*_: object, **__: object) -> None:
    os._exit(KILLED)
