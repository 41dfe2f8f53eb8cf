"""App processes with one home and one database, behind HAProxy with the configuration of compose."""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from core.api.protection.access_key import KEY_FILE
from core.home import make_private
from core.paths import PROJECT_ROOT
from tests.support.browser.server import Server, free_port
from tests.support.waiting import wait_until

KEY = "the key of a whole team"
NO_PROXY = "HAProxy is not installed: apt install haproxy"


def missing_proxy() -> str:
    """Why no proxy can be had; "" where one can."""
    return "" if shutil.which("haproxy") else NO_PROXY


class Team:
    """Servers of one home, and a proxy before them.

    Args:
        url: of the database.
        fake: whether they serve the fake model.
    """

    def __init__(self, folder: Path, url: str, *, fake: bool, n: int = 2, **more: str) -> None:
        self.home = folder / "home"
        make_private(self.home)
        (self.home / KEY_FILE).write_text(f"{KEY}\n")
        self.servers = [
            Server(self.home, fake=fake, STRATA_DATABASE_URL=url, **more) for _ in range(n)
        ]
        self.port = free_port()
        self._folder = folder
        self._proxy: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/"

    def headers(self) -> dict[str, str]:
        return self.servers[0].headers()

    def start(self) -> None:
        """Start the servers, one after the other as compose does, and the proxy."""
        for server in self.servers:
            server.start()
        file = self._folder / "haproxy.cfg"
        file.write_text(configuration(self.port, [server.port for server in self.servers]))
        self._proxy = subprocess.Popen(["haproxy", "-db", "-f", file], stderr=subprocess.DEVNULL)
        wait_until(self._answers)

    def _answers(self) -> bool:
        asked = urllib.request.Request(f"{self.url}_stcore/health", headers=self.headers())
        try:
            with urllib.request.urlopen(asked, timeout=10) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def close(self) -> None:
        """End all processes."""
        for server in self.servers:
            server.close()
        if self._proxy is not None:
            self._proxy.kill()
            self._proxy.wait(30)


@contextmanager
def running(team: Team) -> Iterator[Team]:
    """A team for as long as it is needed."""
    try:
        team.start()
        yield team
    finally:
        team.close()


def configuration(port: int, ports: list[int]) -> str:
    """The proxy's configuration in compose.yaml, with ports of this machine."""
    compose = yaml.safe_load((PROJECT_ROOT / "compose.yaml").read_text("utf-8"))
    text = compose["configs"]["proxy"]["content"].replace("$$", "$")
    text = text.replace("bind :8501", f"bind 127.0.0.1:{port}")
    kept = [line for line in text.splitlines() if not re.match(r"\s*server ", line)]
    kept += [f"  server app{n} 127.0.0.1:{p} cookie app{n}" for n, p in enumerate(ports, start=1)]
    return "\n".join(kept) + "\n"
