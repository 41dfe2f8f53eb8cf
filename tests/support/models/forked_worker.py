"""The process of the models of a forked server, forked as well.

A new interpreter would import torch and transformers for five seconds of a core.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from contextlib import suppress
from typing import Any, TextIO

from core.suggest.remote import process
from tests.support import processes
from tests.support.processes import answer, forks, load

NEEDED = (*processes.NEEDED, "core.suggest.registry", process.WORKER)
LOOK_SECONDS = 0.01


class ForkedWorker:
    """What a server asks of a process that it has started.

    Attributes:
        stdin, stdout: the server's ends of its pipes.
    """

    def __init__(self) -> None:
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        ends = {"server": os.getpid(), "stdin": theirs_in, "stdout": theirs_out}
        self.pid: int = forks().ask(__name__, environment=dict(os.environ), **ends)
        os.close(theirs_in)
        os.close(theirs_out)
        self.stdin, self.stdout = os.fdopen(ours_in, "wb"), os.fdopen(ours_out, "rb")

    def kill(self) -> None:
        """SIGKILL, where it still runs."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float = math.inf) -> int:
        """Wait until it has ended; of how it did, only its parent hears."""
        deadline = time.monotonic() + timeout
        with suppress(ProcessLookupError):
            while True:
                os.kill(self.pid, 0)
                if time.monotonic() > deadline:
                    raise subprocess.TimeoutExpired(__name__, timeout)
                time.sleep(LOOK_SECONDS)
        return 0


def start_worker(module: str, _niceness: str, *, keeps_memory: bool = False) -> ForkedWorker:
    """In place of `core.processes.start_worker`, for models and texts."""
    assert keeps_memory and module == process.WORKER
    return ForkedWorker()


def install() -> None:
    """Have the server that this process becomes fork the process of its models.

    Where the process that forks was started by this test run alone, no server knows it.
    """
    if processes.ADDRESS in os.environ:
        process.start_worker = start_worker  # type: ignore[assignment]


# ---------------------------------------------------------------------- in the process that forks


def prepare(_: dict[str, Any]) -> None:
    """Import what models need."""
    load(NEEDED)


def run(request: dict[str, Any], asking: TextIO) -> None:
    """Answer with the id of this process, and be the worker from here on."""
    from core.suggest.remote import worker

    ends = f"/proc/{request['server']}/fd"
    stdin = os.open(f"{ends}/{request['stdin']}", os.O_RDONLY)
    stdout = os.open(f"{ends}/{request['stdout']}", os.O_WRONLY)
    answer(asking, os.getpid())
    nothing = os.open(os.devnull, os.O_WRONLY)
    for target, source in ((0, stdin), (1, stdout), (2, nothing)):
        os.dup2(source, target)
    for source in (stdin, stdout, nothing):
        os.close(source)
    os.environ.clear()
    os.environ.update(request["environment"])
    worker.run()
