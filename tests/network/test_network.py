"""Packets that leave are counted, and what keeps them from being counted is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT
from tests.network.__main__ import REFUSED, SENT, SKIPPED

LOOK_UP = "import socket; socket.getaddrinfo('strata.example', 80)"

QUICK = {"RES_OPTIONS": "timeout:1 attempts:1"}  # nobody answers


def in_namespace(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.network", sys.executable, "-c", code],
        cwd=PROJECT_ROOT,
        env=os.environ | QUICK | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def failing(folder: Path, name: str) -> str:
    """A search path on which a program fails."""
    program = folder / name
    program.write_text("#!/bin/sh\necho refused >&2\nexit 1\n")
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (LOOK_UP, SENT),
        ("import socket; socket.create_connection(('192.0.2.7', 80), 0.1)", SENT),
        ("import socket; socket.create_connection(('2001:db8::7', 80), 0.1)", SENT),
        ("import sys; sys.exit(5)", 5),
    ],
)
def test_whatever_is_sent_is_counted(code: str, status: int) -> None:
    done = in_namespace(code)
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr)
    assert done.returncode == status, done.stderr


def test_without_namespaces_the_command_is_skipped_with_a_sentence(tmp_path: Path) -> None:
    done = in_namespace("", PATH=failing(tmp_path, "unshare"))
    assert done.returncode == SKIPPED
    assert done.stderr == (
        "skipped, as packets cannot be counted here: no network namespace can be made (refused)\n"
    )


def test_a_namespace_that_cannot_be_set_up_is_a_failure(tmp_path: Path) -> None:
    done = in_namespace("", PATH=failing(tmp_path, "ip"))
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr)
    assert done.returncode == REFUSED
