"""Retraining in the background: a process beside the server, which writes down how far it is.

`python -m training retrain` does the work, in a folder of the home for each project. What is there
tells any server, also one that was started later, whether it is at work, was stopped or killed, or
has a model to offer. The process outlives the server; it can be stopped, and goes on where it
was when it is started again.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from core.errors import ConfigError
from core.home import PRIVATE_FILE, PRIVATE_FOLDER, open_private
from core.paths import PROJECT_ROOT
from core.processes import environment
from core.review.store.projects import Project
from core.settings import Settings

_LOG = logging.getLogger(__name__)

FOLDER, OFFERED_FOLDER = "retraining", "offered"
STATE, LOCK, OUTPUT = "state.json", "lock", "output.txt"
RUNNING, STOPPED, FAILED, OFFERED = "running", "stopped", "failed", "offered"
STARTING, STARTING_SECONDS = "Starting", 120.0
LOOK_SECONDS = 0.05
"""Others who look whether a process is at work hold its lock for less."""
NOT_STARTED = "The program that retrains could not be started; {output} says why."


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """Assigned concepts of a branch, or of a frequency.

    Attributes:
        n_assigned: to the judged documents, a concept of two documents counting twice.
        n_found, n_found_serving: of them, those among the first five suggestions.
    """

    name: str
    n_assigned: int
    n_found: int
    n_found_serving: int


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """A retrained model beside what serves, on documents that neither has learned from.

    Attributes:
        n_learned: documents that both have learned from.
        ndcg, ndcg_serving: means of nDCG@5.
        low, high: 95 % interval of the difference of these.
        right, right_serving: of the first five suggestions, on average.
    """

    n_learned: int
    n_judged: int
    ndcg: float
    ndcg_serving: float
    low: float
    high: float
    right: float
    right_serving: float
    by_branch: tuple[GroupComparison, ...] = ()
    by_frequency: tuple[GroupComparison, ...] = ()

    @property
    def is_better(self) -> bool:
        """Whether the retrained model is better by more than chance."""
        return self.low > 0

    @property
    def is_worse(self) -> bool:
        """Whether it is worse by more than chance."""
        return self.high < 0

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> ModelComparison:
        """Read what `asdict` gave."""
        groups = {
            name: tuple(GroupComparison(**row) for row in fields[name])
            for name in ("by_branch", "by_frequency")
        }
        return cls(**{**fields, **groups})


@dataclass(frozen=True, slots=True)
class Retraining:
    """How far the retraining for a project is.

    Attributes:
        state: "running", "stopped", "failed" or "offered".
        stage: what is done now, or was done last, such as "Weighing words".
        done, total: of this stage.
        problem: why it failed, as a sentence.
        bundle: the folder of the bundle that is offered.
        began_at: in ISO 8601.
        minutes: that it has taken, without what was before it was stopped.
        process_id: of the process that works, or worked last.
        encoder: whether the model's encoder is trained, too.
        serving: the hash of the bundle that it is compared with; "" where none serves.
        project: the identity of the project in its database; "" of a state that names none, which
            is its own.
        host: of the process; a process of another one, as of another container, has an id there.
    """

    state: str
    stage: str = ""
    done: int = 0
    total: int = 0
    problem: str = ""
    bundle: str = ""
    began_at: str = ""
    minutes: float = 0.0
    process_id: int = 0
    encoder: bool = False
    serving: str = ""
    comparison: ModelComparison | None = None
    project: str = ""
    host: str = ""

    def is_of(self, project: Project) -> bool:
        """Whether it is for this project, and not one that had its id in another database."""
        return not self.project or self.project == project.identity


def folder_of(settings: Settings, project_id: int) -> Path:
    """Return the folder of a project's retraining, which may not be there."""
    return settings.home / FOLDER / str(project_id)


def write_state(folder: Path, state: Retraining) -> None:
    """Keep how far it is, whole at every moment."""
    part = folder / f"{STATE}.{os.getpid()}.part"  # the server writes as well as the process
    part.write_text(json.dumps(asdict(state)), encoding="utf-8")
    part.replace(folder / STATE)


def retraining_of(settings: Settings, project: Project) -> Retraining | None:
    """Return how far a project's retraining is; None where there is none.

    What is in the folder may be of another database, which was restored over or is not open now.
    """
    folder = folder_of(settings, project.project_id)
    try:
        fields = json.loads((folder / STATE).read_text("utf-8"))
        comparison = fields.pop("comparison")
        retraining = Retraining(
            **fields, comparison=comparison and ModelComparison.from_dict(comparison)
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        _LOG.exception("the state of a retraining cannot be read")
        return Retraining(FAILED, problem="What was done so far cannot be read.")
    if not retraining.is_of(project):
        return None
    if (
        retraining.state == RUNNING
        and not is_at_work(folder)
        and not _is_starting(folder, retraining)
    ):
        return replace(retraining, state=STOPPED)  # killed
    if retraining.state == OFFERED and not Path(retraining.bundle).is_dir():
        return None
    return retraining


def lock_of(folder: Path) -> FileLock:
    """Return the lock that a process holds on a folder as long as it works there."""
    return FileLock(folder / LOCK, mode=PRIVATE_FILE)


def is_at_work(folder: Path) -> bool:
    """Whether a process works in a folder."""
    if not (folder / LOCK).exists():
        return False
    try:
        with lock_of(folder).acquire(timeout=LOOK_SECONDS, poll_interval=LOOK_SECONDS / 5):
            return False
    except FileNotFoundError:
        return False
    except (Timeout, OSError):
        return True


def _is_starting(folder: Path, retraining: Retraining) -> bool:
    age = time.time() - (folder / STATE).stat().st_mtime
    return retraining.stage == STARTING and age < STARTING_SECONDS


def start_retraining(settings: Settings, project: Project, *, encoder: bool = False) -> None:
    """Start a process, or have one go on that was stopped.

    Raises:
        ConfigError: one is at work already, or none can be started.
    """
    folder = folder_of(settings, project.project_id)
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        retraining = retraining_of(settings, project)
        if retraining is not None and retraining.state == RUNNING:
            raise ConfigError("A model of this project is being retrained already.")
        with open_private(folder / OUTPUT) as output:
            output.truncate()
            process = subprocess.Popen(
                command(project.project_id, encoder=encoder),
                cwd=PROJECT_ROOT,
                env={
                    **environment(),
                    # Of the database's client, such as its password.
                    **{name: value for name, value in os.environ.items() if name.startswith("PG")},
                    "PYTHONPATH": str(PROJECT_ROOT),
                    "STRATA_HOME": str(settings.home),
                    "STRATA_DATABASE_URL": settings.database_url,
                    "STRATA_BUNDLE": str(settings.bundle_dir),
                    "STRATA_LANGUAGE": settings.language,
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        started = Retraining(
            RUNNING,
            STARTING,
            process_id=process.pid,
            encoder=encoder,
            project=project.identity,
            host=socket.gethostname(),
        )
        write_state(folder, started)
        waiting = threading.Thread(
            target=_wait_for, args=(process, folder, started), name="retraining", daemon=True
        )
        waiting.start()
    except OSError as error:
        raise ConfigError(f"Retraining cannot be started: {error.strerror}.") from error


def _wait_for(process: subprocess.Popen[bytes], folder: Path, started: Retraining) -> None:
    """Wait for a process; one that ended before it could write anything down has failed."""
    status = process.wait()
    with suppress(OSError, ValueError):
        state = json.loads((folder / STATE).read_text("utf-8"))
        if not status or state["stage"] != STARTING or state["process_id"] != process.pid:
            return
        if status == -signal.SIGTERM:  # it was asked to stop while it started
            write_state(folder, replace(started, state=STOPPED))
        else:
            _LOG.error("the process that retrains ended with %d before it began", status)
            problem = NOT_STARTED.format(output=folder / OUTPUT)
            write_state(folder, replace(started, state=FAILED, problem=problem))


def command(project_id: int, *, encoder: bool = False) -> list[str]:
    """Return the command line that retrains for a project."""
    line = [sys.executable, "-m", "training", "retrain", "--project", str(project_id)]
    return [*line, "--encoder"] if encoder else line


def stop_retraining(settings: Settings, project: Project) -> None:
    """Ask the process to end; what it has done is kept.

    Raises:
        ConfigError: it works on another host, where this one cannot reach it.
    """
    retraining = retraining_of(settings, project)
    is_elsewhere = retraining is not None and retraining.host not in ("", socket.gethostname())
    if retraining is not None and retraining.state == RUNNING and is_elsewhere:
        raise ConfigError(
            f"This model is retrained by {retraining.host}, and can be stopped there alone: end its "
            f"process {retraining.process_id} there."
        )
    if retraining is not None and retraining.state == RUNNING and retraining.process_id:
        with suppress(OSError):
            os.kill(retraining.process_id, signal.SIGTERM)


def take_retrained(settings: Settings, project: Project) -> Path:
    """Put the bundle that is offered among the models, and return its folder there.

    Raises:
        ConfigError: none is offered any more, or the folder of models cannot be written.
    """
    retraining = retraining_of(settings, project)
    if retraining is None or retraining.state != OFFERED:
        raise ConfigError("The retrained model is not offered any more.")
    place = settings.own_models / Path(retraining.bundle).name
    try:
        settings.own_models.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        Path(retraining.bundle).rename(place)
    except OSError as error:
        raise ConfigError(f"The model cannot be put into {place}: {error.strerror}.") from error
    return place


def discard_retraining(settings: Settings, project: Project) -> None:
    """Take away what was done, and what is offered; nothing while it is at work."""
    folder, retraining = folder_of(settings, project.project_id), retraining_of(settings, project)
    if (retraining is None or retraining.state != RUNNING) and not is_at_work(folder):
        shutil.rmtree(folder, ignore_errors=True)
