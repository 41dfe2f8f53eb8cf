"""Nothing is sent anywhere: not by the server, its pages, Chromium on them, or the commands."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.settings import PROJECT_ROOT
from tests.network.__main__ import SENT, obstacle

LOOK_UP = "import socket; socket.getaddrinfo('strata.example', 80)"


def in_namespace(*command: str) -> subprocess.CompletedProcess[str]:
    why = obstacle()
    if why:
        pytest.skip(why)
    return subprocess.run(
        [sys.executable, "-m", "tests.network", sys.executable, *command],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize(
    "code",
    [
        LOOK_UP,
        "import socket; socket.create_connection(('192.0.2.7', 80), 0.1)",
        "import socket; socket.create_connection(('2001:db8::7', 80), 0.1)",
    ],
)
def test_whatever_is_sent_is_counted(code: str) -> None:
    done = in_namespace("-c", code)
    assert done.returncode == SENT, done.stderr


@pytest.mark.browser
def test_no_packet_leaves_in_a_days_round() -> None:
    done = in_namespace("-m", "tests.network.round")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "packets that would have left: 0" in done.stderr
