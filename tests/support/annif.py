"""Annif and its client as they are installed, in an environment of their own.

Their requirements are others than ours, so that tests find the environment by `ANNIF_VENV`:
`python -m venv V && V/bin/pip install annif annif-client`, `ANNIF_VENV=V`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.waiting import wait_until

MISSING = (
    "ANNIF_VENV names no environment with Annif: python -m venv V, V/bin/pip install annif "
    "annif-client, ANNIF_VENV=V"
)
SECONDS = 300
# Run by the Python of that environment: each call with what it returns, as JSON.
CLIENT = """
import json, sys
from annif_client import AnnifClient
base, calls = json.load(sys.stdin)
client = AnnifClient(api_base=base)
answers = []
for name, arguments in calls:
    try:
        found = getattr(client, name)
        found = found(*arguments) if callable(found) else found
        answers.append(getattr(found, "status_code", found))
    except Exception as error:
        answers.append(f"{type(error).__name__}: {error}")
json.dump(answers, sys.stdout)
"""


def annif_program(name: str) -> Path | None:
    """A program of Annif's environment; None where there is none."""
    named = os.environ.get("ANNIF_VENV", "")
    program = Path(named) / "bin" / name
    return (
        program
        if named and program.exists() and program.parent.joinpath("annif").exists()
        else None
    )


def call_client(base: str, calls: list[tuple[str, list[Any]]]) -> list[Any]:
    """What the methods of an `AnnifClient` return, or raise, or the status of an answer."""
    python = annif_program("python")
    assert python is not None
    done = subprocess.run(
        [python, "-c", CLIENT],
        input=json.dumps([base, calls]),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    answers: list[Any] = json.loads(done.stdout)
    return answers


def run_annif(folder: Path, *arguments: str, text: str = "") -> str:
    """What a command of Annif writes, run in the folder of its projects."""
    annif = annif_program("annif")
    assert annif is not None
    done = subprocess.run(
        [annif, *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        input=text,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def annif_server(folder: Path) -> Iterator[str]:
    """Annif as a server of the projects in a folder, by its host and port."""
    annif = annif_program("annif")
    assert annif is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        name = f"127.0.0.1:{free.getsockname()[1]}"
    process = subprocess.Popen(
        [annif, "run", "--host", "127.0.0.1", "--port", name.partition(":")[2]],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: _answers(f"http://{name}/v1/projects"), SECONDS)
        yield name
    finally:
        process.terminate()
        process.wait(SECONDS)


def _answers(address: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(address, timeout=2) as answer:
        return bool(answer.status == 200)
    return False
