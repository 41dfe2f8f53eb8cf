"""Commands that can be killed: forked from the process that has imported what they need."""

from __future__ import annotations

import importlib
import os
import signal
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from tests.support.browser.server import Forked
from tests.support.processes import NEEDED, answer, forks, load
from tests.support.waiting import wait_until

COMMANDS = (
    "alembic.command",
    "core.__main__",
    "core.commands.backup",
    "core.commands.migrate",
    "core.commands.restore",
    "core.commands.vocabulary",
    "core.vocabulary.worker",
    "sqlalchemy.dialects.sqlite.pysqlite",
)
CORE = "tests.torture.programs:core"
TRAINING = "tests.torture.programs:training"
WAIT_SECONDS = 240.0


class Program(Forked):
    """A function with arguments of text, in a process and a process group of its own.

    Args:
        function: "module:name"; what it returns is the exit status.
        log: takes what it writes; beside it lies the status, once it has ended by itself.
    """

    def __init__(self, function: str, *arguments: str, log: Path, **environment: str) -> None:
        self.log, self._status = log, log.with_suffix(".status")
        self._status.unlink(missing_ok=True)
        request = {"function": function, "arguments": arguments, "log": str(log)}
        known = {**os.environ, **environment}
        super().__init__(forks().ask("tests.torture.programs", **request, environment=known))
        self.started = time.monotonic()  # what it needs was imported

    @property
    def status(self) -> int | None:
        """None while it runs, and where it was killed."""
        return int(self._status.read_text()) if self._status.exists() else None

    def kill_after(self, seconds: float, *, all_of_it: bool = False) -> bool:
        """Kill it so long after its start; whether it was still running.

        Args:
            all_of_it: the processes that it started, too.
        """
        until = self.started + seconds
        while self.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        was_running = self.poll() is None
        with suppress(ProcessLookupError, PermissionError):
            (os.killpg if all_of_it else os.kill)(self.pid, signal.SIGKILL)
        self.wait(30)
        self._wait_for_others()
        return was_running and self.status is None

    def _wait_for_others(self) -> None:
        """Wait for processes that it has started, and that go on without it.

        Raises:
            AssertionError: they do not end, and were killed.
        """
        try:
            wait_until(self._is_alone, WAIT_SECONDS, f"processes of {self.pid} do not end")
        except AssertionError:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            raise

    def _is_alone(self) -> bool:
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return True
        return False

    def ended(self) -> int:
        """Wait until it ends by itself, and return its status."""
        self.wait(WAIT_SECONDS)
        assert self.status is not None, f"it was killed: {self.said()}"
        return self.status

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""


# ---------------------------------------------------------------------- in the process


def prepare(request: dict[str, Any]) -> None:
    """Import what commands need, or trainings."""
    load(COMMANDS if request["function"] == CORE else (*COMMANDS, *NEEDED))


def run(request: dict[str, Any], asking: TextIO) -> None:
    """Answer with the id of this process, and call the function."""
    os.setsid()
    answer(asking, os.getpid())
    log = Path(request["log"])
    nothing = os.open(os.devnull, os.O_RDWR)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for target, source in ((0, nothing), (1, file), (2, file)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(request["environment"])
    module, _, function = request["function"].partition(":")
    try:
        called = getattr(importlib.import_module(module), function)
        status = int(called(*request["arguments"]))
    except BaseException:  # noqa: BLE001 - it is what is looked for
        traceback.print_exc()
        status = 70
    new = log.with_suffix(".status-new")
    new.write_text(str(status))
    new.replace(log.with_suffix(".status"))


def core(*arguments: str) -> int:
    """`python -m core` with these arguments."""
    from core.__main__ import main

    return main(list(arguments))


def training(*arguments: str) -> int:
    """`python -m training` with these arguments, on one thread: several add up in any order."""
    import torch

    from training.__main__ import main

    torch.set_num_threads(1)
    return main(list(arguments))
