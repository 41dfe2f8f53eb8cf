"""Functions of training in processes of their own, which need not import torch again.

A process that has imported what training needs forks one for each call, as the servers of
`tests.support.browser.forked` are; a new interpreter would import for six seconds of a core.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from functools import cache
from typing import Any

from core.settings import PROJECT_ROOT

NEEDED = ("torch", "torch.distributed", "training.__main__", "training.fitting.train")


class Forks:
    """Asks the process for calls."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.processes"],
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.asking = threading.Lock()

    def run(self, *calls: dict[str, Any], seconds: float) -> list[int]:
        """Run these at the same time; their exit statuses, negative for those killed by a signal."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = json.dumps({"calls": calls, "seconds": seconds})
        with self.asking:
            self.process.stdin.write(request + "\n")
            self.process.stdin.flush()
            answer: list[int] = json.loads(self.process.stdout.readline())
        return answer


@cache
def forks() -> Forks:
    """The one of this process; it ends with it, when nobody holds its input any more."""
    return Forks()


def call(function: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """A call of `module:function` with these arguments, and more environment than is here."""
    return {"function": function, "arguments": arguments, "environment": environment}


def load(names: Iterable[str]) -> None:
    """Import modules for good: no garbage is looked for meanwhile, nor in them afterwards."""
    gc.disable()
    for name in names:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    gc.enable()


def main() -> None:
    load(NEEDED)
    for line in sys.stdin:
        request = json.loads(line)
        children = [_start(asked, int(request["seconds"])) for asked in request["calls"]]
        found = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def _start(asked: dict[str, Any], seconds: int) -> int:
    """Start one call; SIGALRM ends it where it takes too long."""
    if child := os.fork():
        return child
    signal.alarm(seconds)
    nothing = os.open(os.devnull, os.O_RDWR)
    for target in (0, 1):
        os.dup2(nothing, target)
    os.environ.update(asked["environment"])
    module, _, function = asked["function"].partition(":")
    raise SystemExit(getattr(importlib.import_module(module), function)(*asked["arguments"]))


if __name__ == "__main__":
    main()
