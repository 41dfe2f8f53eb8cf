"""A server of its own for browser tests: started as `make run` does, killed without warning."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing, suppress
from pathlib import Path
from typing import Protocol, Self

from core.api.protection.access_key import KEY_FILE
from core.paths import PROJECT_ROOT
from tests.support.processes import forks

EVENTS = "SELECT client_id, sequence, action, concept_id FROM decision_event ORDER BY event_id"
START_SECONDS = 600
_left: list[int] = []  # ports of servers that are no more


class Process(Protocol):
    """What a server that runs has to offer."""

    def kill(self) -> None: ...

    def wait(self, timeout: float) -> object: ...

    def poll(self) -> int | None: ...


class Forked:
    """A server that another process has started, so that only its id is known."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            assert time.monotonic() < deadline, f"server {self.pid} cannot be killed"
            time.sleep(0.01)

    def poll(self) -> int | None:
        """None while it runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return -signal.SIGKILL
        return None


class Server:
    """A process that serves Strata on a free port, with a home of its own.

    Args:
        fake: serve the fake model rather than the bundle of `environment`.
    """

    def __init__(self, home: Path, *, fake: bool = False, **environment: str) -> None:
        self.home = home
        self.port = _left.pop() if _left else free_port()
        self.environment = {**os.environ, "STRATA_HOME": str(home), **environment}
        self.fake = fake
        self.process: Process | None = None
        self.command = ["-m", "streamlit", "run", "streamlit_app.py", f"--server.port={self.port}"]

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/"

    def start(self, *, forked: bool = False) -> None:
        """Start it, and wait until it answers; the model may still be loading.

        Args:
            forked: spare the seconds in which a process of its own would import everything.
        """
        self.begin(forked=forked)
        self._wait_for("_stcore/health")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, *, forked: bool = False) -> None:
        """Start it, and wait for nothing."""
        self.home.mkdir(parents=True, exist_ok=True)
        self.process = self._forked() if self.fake or forked else self._as_a_person_does()

    def _as_a_person_does(self) -> subprocess.Popen[bytes]:
        with (self.home / "server.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *self.command],
                cwd=PROJECT_ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _forked(self) -> Forked:
        request = {"home": str(self.home), "port": self.port, "environment": self.environment}
        return Forked(forks().ask("tests.support.browser.forked", fake=self.fake, **request))

    def wait_for_model(self) -> None:
        """Wait until the model is loaded."""
        self._wait_for("api/health", '"state":"ready"')

    def kill(self) -> None:
        """SIGKILL: no handler runs, nothing is flushed."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(30)
            self.process = None

    def close(self) -> None:
        """Kill it, and leave its port to the next server: the browser has its scripts still."""
        self.kill()
        _left.append(self.port)

    def events(self) -> list[tuple[str, int, str, str]]:
        """All stored decisions: client, sequence, action, concept, in the order of the store."""
        with closing(sqlite3.connect(self.home / "strata.sqlite", timeout=30)) as connection:
            return connection.execute(EVENTS).fetchall()

    def headers(self) -> dict[str, str]:
        """What a program sends: the access key, where the home has one."""
        kept = self.home / KEY_FILE
        return {"Authorization": f"Bearer {kept.read_text().strip()}"} if kept.exists() else {}

    def _wait_for(self, path: str, content: str = "") -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                asked = urllib.request.Request(self.url + path, headers=self.headers())
                with urllib.request.urlopen(asked, timeout=10) as answer:
                    if content in answer.read().decode():
                        return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                assert self.process is not None
                assert self.process.poll() is None, (self.home / "server.log").read_text()
            time.sleep(0.1)
        raise TimeoutError(f"{self.url}{path}: {(self.home / 'server.log').read_text()[-2000:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])
