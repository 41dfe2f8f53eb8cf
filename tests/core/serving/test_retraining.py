"""A retraining beside the server: how far it is, after a stop, a kill and a restart."""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from filelock import FileLock

from core.errors import ConfigError
from core.serving import retraining
from core.serving.retraining import (
    FAILED,
    LOCK,
    LOOK_SECONDS,
    OFFERED,
    RUNNING,
    STATE,
    STOPPED,
    GroupComparison,
    ModelComparison,
    Retraining,
    discard_retraining,
    folder_of,
    is_at_work,
    lock_of,
    retraining_of,
    start_retraining,
    stop_retraining,
    take_retrained,
    write_state,
)
from core.settings import Settings
from tests.support.garden_home import garden_project
from tests.support.waiting import wait_until

COMPARED = ModelComparison(
    10, 2, 0.5, 0.25, 0.1, 0.4, 2.0, 1.0, by_branch=(GroupComparison("tools", 4, 2, 1),)
)


def state(settings: Settings) -> str | None:
    found = retraining_of(settings, garden_project(settings))
    return found.state if found else None


def test_a_process_retrains_and_leaves_an_offer(finished_home: Settings) -> None:
    assert state(finished_home) is None
    start_retraining(finished_home, garden_project(finished_home))
    with pytest.raises(ConfigError, match="being retrained already"):
        start_retraining(finished_home, garden_project(finished_home))
    wait_until(lambda: state(finished_home) != RUNNING, seconds=120)
    found = retraining_of(finished_home, garden_project(finished_home))
    assert found is not None
    assert found.state == OFFERED, (folder_of(finished_home, 1) / "output.txt").read_text()
    assert found.comparison is not None
    assert found.comparison.n_learned + found.comparison.n_judged == 16
    made = Path(found.bundle)
    assert made.is_dir()

    assert not finished_home.own_models.exists(), "nothing serves before somebody takes it"
    discard_retraining(finished_home, garden_project(finished_home))
    assert (state(finished_home), made.exists()) == (None, False)


def test_what_is_asked_to_stop_stops_and_goes_on(finished_home: Settings) -> None:
    start_retraining(finished_home, garden_project(finished_home))
    wait_until(lambda: (folder_of(finished_home, 1) / LOCK).exists(), seconds=60)
    wait_until(
        lambda: (
            (found := retraining_of(finished_home, garden_project(finished_home)))
            and found.began_at
        ),
        seconds=60,
    )
    stop_retraining(finished_home, garden_project(finished_home))
    wait_until(lambda: state(finished_home) in (STOPPED, OFFERED), seconds=120)
    if state(finished_home) == STOPPED:
        start_retraining(finished_home, garden_project(finished_home))
        wait_until(lambda: state(finished_home) == OFFERED, seconds=120)


def test_what_was_killed_is_said_to_have_stopped(
    finished_home: Settings, retraining_folder: Path
) -> None:
    write_state(retraining_folder, Retraining(RUNNING, "Weighing words", 2, 5))
    with lock_of(retraining_folder):
        assert state(finished_home) == RUNNING
    assert state(finished_home) == STOPPED
    found = retraining_of(finished_home, garden_project(finished_home))
    assert found is not None
    assert (found.stage, found.done, found.total) == ("Weighing words", 2, 5)


def test_a_process_that_never_said_anything_is_given_up(
    finished_home: Settings, retraining_folder: Path
) -> None:
    write_state(retraining_folder, Retraining(RUNNING, retraining.STARTING))
    assert state(finished_home) == RUNNING
    long_ago = (retraining_folder / STATE).stat().st_mtime - 2 * retraining.STARTING_SECONDS
    os.utime(retraining_folder / STATE, (long_ago, long_ago))
    assert state(finished_home) == STOPPED


def test_an_offer_is_read_as_it_was_written(
    finished_home: Settings, retraining_folder: Path
) -> None:
    bundle = retraining_folder / "offered" / "garden"
    bundle.mkdir(parents=True)
    write_state(retraining_folder, Retraining(OFFERED, bundle=str(bundle), comparison=COMPARED))
    found = retraining_of(finished_home, garden_project(finished_home))
    assert found is not None
    assert found.comparison == COMPARED
    assert COMPARED.is_better
    assert not COMPARED.is_worse
    assert (
        take_retrained(finished_home, garden_project(finished_home))
        == finished_home.own_models / "garden"
    )
    assert (finished_home.own_models / "garden").is_dir()
    assert state(finished_home) is None
    with pytest.raises(ConfigError, match="not offered any more"):
        take_retrained(finished_home, garden_project(finished_home))


def test_a_program_that_cannot_begin_is_said_to_have_failed(
    finished_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        retraining, "command", lambda *_, **__: [sys.executable, "-m", "nothing_of_this_name"]
    )
    start_retraining(finished_home, garden_project(finished_home))
    wait_until(lambda: state(finished_home) == FAILED)
    found = retraining_of(finished_home, garden_project(finished_home))
    assert found is not None
    assert "could not be started" in found.problem


def test_what_is_stopped_while_it_starts_has_not_failed(
    finished_home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        retraining,
        "command",
        lambda *_, **__: [sys.executable, "-c", "import time; time.sleep(60)"],
    )
    start_retraining(finished_home, garden_project(finished_home))
    stop_retraining(finished_home, garden_project(finished_home))
    wait_until(lambda: state(finished_home) != RUNNING)
    assert state(finished_home) == STOPPED


def test_looking_keeps_nobody_from_looking_or_beginning(
    finished_home: Settings, retraining_folder: Path
) -> None:
    with lock_of(retraining_folder):
        assert is_at_work(retraining_folder)
    assert not is_at_work(retraining_folder), "the file of a lock stays"
    other = FileLock(retraining_folder / LOCK, thread_local=False)
    other.acquire()
    looker = threading.Timer(LOOK_SECONDS / 4, other.release)
    looker.start()
    assert not is_at_work(retraining_folder), "another one who looks is waited for"
    looker.join()


def test_an_offer_to_a_project_of_another_database_is_none(
    finished_home: Settings, retraining_folder: Path
) -> None:
    here = garden_project(finished_home)
    assert here.created_at is not None
    earlier = replace(here, created_at=here.created_at - timedelta(seconds=1))
    bundle = retraining_folder / "offered" / "garden"
    bundle.mkdir(parents=True)
    write_state(
        retraining_folder,
        Retraining(OFFERED, bundle=str(bundle), comparison=COMPARED, project=earlier.identity),
    )
    assert retraining_of(finished_home, earlier) is not None
    assert retraining_of(finished_home, here) is None
    with pytest.raises(ConfigError, match="not offered any more"):
        take_retrained(finished_home, here)
    assert bundle.is_dir()


def test_an_offer_whose_bundle_is_gone_is_none(
    finished_home: Settings, retraining_folder: Path
) -> None:
    write_state(
        retraining_folder, Retraining(OFFERED, bundle=str(finished_home.own_models / "gone"))
    )
    assert state(finished_home) is None


def test_a_state_that_cannot_be_read_is_said_to_have_failed(
    finished_home: Settings, retraining_folder: Path
) -> None:
    (retraining_folder / STATE).write_text("{")
    assert state(finished_home) == FAILED
    discard_retraining(finished_home, garden_project(finished_home))
    assert state(finished_home) is None


def test_nothing_is_taken_away_while_a_process_works_and_no_other_is_stopped(
    finished_home: Settings, retraining_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *args: told.append(args))
    write_state(retraining_folder, Retraining(RUNNING, "Weighing words", process_id=4_000_000))
    stop_retraining(finished_home, garden_project(finished_home))
    assert told == [], "it was killed: its number may be another process's by now"
    with lock_of(retraining_folder):
        discard_retraining(finished_home, garden_project(finished_home))
        assert state(finished_home) == RUNNING
        stop_retraining(finished_home, garden_project(finished_home))
    assert told == [(4_000_000, signal.SIGTERM)]
