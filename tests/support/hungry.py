"""A worker whose readers take all the memory or work there is, within the limits of the real one.

Run as `python -m tests.support.hungry`; PYTHON_HUNGRY names the worker that it stands for.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

NAME = "tests.support.hungry"
WORKER_NAMED = "PYTHON_HUNGRY"  # begins as what is handed on to workers
MEMORY, WORK = b"memory", b"work"


def eat(wanted: bytes) -> None:
    """Take memory or work until something ends it."""
    held: list[bytes] = []
    while True:
        if wanted == MEMORY:
            held.append(bytes(20_000_000))


def read(_name: str, content: bytes) -> None:
    """Read a document."""
    eat(content)


def read_vocabulary(paths: list[Path], **_: object) -> None:
    """Read a vocabulary."""
    eat(paths[0].read_bytes())


if __name__ == "__main__":
    worker = importlib.import_module(os.environ[WORKER_NAMED])
    if hasattr(worker, "READERS"):
        worker.READERS["hungry"] = NAME
    else:
        worker.read_vocabulary = read_vocabulary
        worker.BASE_SECONDS = 1.0
    sys.exit(worker.main())
