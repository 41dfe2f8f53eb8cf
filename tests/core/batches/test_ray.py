"""Runs in parts by workers of Ray, with a real model; workers and drivers are killed."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.__main__ import main
from tests.support.batch_runs import PATIENCE, SuggestCommand, written
from tests.support.waiting import wait_until

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(
    not HAS_RAY, reason="Ray is not installed: pip install -r requirements-ray.txt"
)


def below(pid: int) -> Iterator[tuple[int, str]]:
    """Processes that a process has started, and those that these have, with their commands."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    children = {pid}
    for found, parent, *words in rows * 4:  # deeper than they stand
        if int(parent) in children and int(found) not in children:
            children.add(int(found))
            yield int(found), " ".join(words)


RAY = ("--engine", "ray", "--workers", "2")


@needs_ray
def test_workers_of_ray_write_what_one_process_writes(
    command: SuggestCommand, by_one_process: list[dict[str, object]], tmp_path: Path
) -> None:
    said = command.run(tmp_path / "out", *RAY)
    assert "2 at work" in said
    assert "4000 documents read, 2 skipped" in said
    assert written(tmp_path / "out") == by_one_process


@needs_ray
def test_a_lost_worker_is_replaced(
    command: SuggestCommand, by_one_process: list[dict[str, object]], tmp_path: Path
) -> None:
    output = tmp_path / "out"
    process = command.start(output, *RAY)
    wait_until(lambda: len(list(output.glob("marks/*"))) >= 3, PATIENCE)
    actors = [pid for pid, words in below(process.pid) if "PartWorker" in words]
    assert actors
    os.kill(actors[0], signal.SIGKILL)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "a worker was lost; another one takes its place" in said
    assert written(output) == by_one_process


@needs_ray
def test_a_killed_driver_is_followed_by_one_that_goes_on(
    command: SuggestCommand, by_one_process: list[dict[str, object]], tmp_path: Path
) -> None:
    output = tmp_path / "out"
    process = command.start(output, *RAY)
    wait_until(lambda: len(list(output.glob("marks/*"))) >= 5, PATIENCE)
    started = [pid for pid, _ in below(process.pid)]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started), 120)
    kept = {path: path.stat().st_mtime_ns for path in output.glob("marks/*")}
    assert not (output / "report.json").exists()
    said = command.run(output, *RAY)
    assert f"goes on: {len(kept)} parts are there" in said
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert written(output) == by_one_process


@needs_ray
def test_what_workers_cannot_load_is_a_sentence(command: SuggestCommand, tmp_path: Path) -> None:
    process = command.start(tmp_path / "out", *RAY, "--bundle", str(tmp_path))
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert said.startswith(f"There is no model bundle in {tmp_path}")


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_without_ray_a_sentence_says_what_to_install(
    command: SuggestCommand, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*command.words, "--output", f"{tmp_path}/out/", *RAY]
    assert main(["suggest", *map(str, words)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("The engine ray needs Ray, which is not installed: pip install -r req")


def test_one_file_is_refused_as_the_output_of_workers(
    command: SuggestCommand, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*command.words, "--output", tmp_path / "out.jsonl", *RAY]
    assert main(["suggest", *map(str, words)]) == 1
    assert "name a folder for the output, with / at its end" in capsys.readouterr().err
