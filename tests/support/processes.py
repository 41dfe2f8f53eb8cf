"""Processes that need not import: one has imported what training and servers need, and forks.

A new interpreter would import for five to eight seconds of a core. All workers of a run of tests
share the process; it ends with the one that started it, when nobody holds its input any more.
`python -m tests.support.processes LISTENER` answers one request a connection, both lines of JSON: the
module that a request names imports what it needs, and its `run` answers in a fork.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import IO, Any, TextIO

from core.paths import PROJECT_ROOT

NEEDED = ("torch", "torch.distributed", "training.__main__", "training.fitting.train")
ADDRESS = "STRATA_TEST_FORKS"  # where the process listens that workers share


class Forks:
    """Asks the process for forks."""

    def __init__(self, address: str) -> None:
        self.address = address

    def ask(self, module: str, **request: Any) -> Any:
        """What a fork answers in which `run` of this module has the request."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.address)
            with connection.makefile("rw", encoding="utf-8") as asking:
                asking.write(json.dumps({"module": module, **request}) + "\n")
                asking.flush()
                return json.loads(asking.readline())

    def run(self, *calls: dict[str, Any], seconds: float) -> list[int]:
        """Run these at the same time, and say what they say.

        Returns:
            Their exit statuses, negative for those killed by a signal.
        """
        found = self.ask("tests.support.processes", calls=calls, seconds=seconds)
        sys.stderr.write("".join(said for _, said in found))
        return [status for status, _ in found]


@cache
def forks() -> Forks:
    """Of the process that all workers share, or of this one alone."""
    return Forks(os.environ.get(ADDRESS) or start())


def start() -> str:
    """Start the process, and return where it listens; it imports when it is first asked."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "forks"))
        listener.listen()
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.processes", str(listener.fileno())],
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
        )
    atexit.register(_stop, process)
    return str(folder / "forks")


def _stop(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait()


def call(function: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """A call of `module:function` with these arguments, and more environment than is here."""
    known = {**os.environ, **environment}
    return {"function": function, "arguments": arguments, "environment": known}


# ---------------------------------------------------------------------- in the process


@cache
def load(names: tuple[str, ...]) -> None:
    """Import modules for good: no garbage is looked for meanwhile, nor in them afterwards."""
    gc.disable()
    for name in names:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    gc.enable()


def main(listener: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever is killed is gone, and no zombie
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        with connection, connection.makefile("rw", encoding="utf-8") as asking:
            request = json.loads(asking.readline())
            module = importlib.import_module(request["module"])
            module.prepare(request)
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                module.run(request, asking)
                os._exit(0)  # what this process does at its end is no matter of a fork


def prepare(_: dict[str, Any]) -> None:
    """Import what calls need."""
    load(NEEDED)


def run(request: dict[str, Any], asking: TextIO) -> None:
    """Make calls, each in a process of its own, and answer how these ended and what they said."""
    with ExitStack() as stack:
        logs = [stack.enter_context(tempfile.TemporaryFile()) for _ in request["calls"]]
        children = [
            _start(asked, int(request["seconds"]), log.fileno())
            for asked, log in zip(request["calls"], logs, strict=True)
        ]
        ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        answer(asking, [(end, _content(log)) for end, log in zip(ends, logs, strict=True)])


def _content(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read().decode(errors="replace")


def answer(asking: TextIO, found: object) -> None:
    """Send the line for which somebody waits."""
    asking.write(json.dumps(found) + "\n")
    asking.flush()


def _start(asked: dict[str, Any], seconds: int, log: int) -> int:
    """Start one call; SIGALRM ends it where it takes too long."""
    if child := os.fork():
        return child
    signal.alarm(seconds)
    nothing = os.open(os.devnull, os.O_RDWR)
    for target, source in ((0, nothing), (1, nothing), (2, log)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(asked["environment"])
    module, _, function = asked["function"].partition(":")
    raise SystemExit(getattr(importlib.import_module(module), function)(*asked["arguments"]))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
