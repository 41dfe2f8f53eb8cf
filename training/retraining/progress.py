"""A running retraining: its inputs, and where it reports progress."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from filelock import Timeout

from core.errors import ConfigError, StrataError
from core.home import PRIVATE_FOLDER
from core.model.bundle.cards import read_card
from core.serving.retraining import (
    FAILED,
    OFFERED,
    RUNNING,
    STOPPED,
    Retraining,
    folder_of,
    lock_of,
    write_state,
)
from core.serving.setup import NamedProject
from core.settings import Settings

SAY_EVERY_SECONDS = 0.5
NICENESS = 5
LOCK_SECONDS = 2.0
"""So long is waited for the lock, which who only looks holds for a moment."""


@dataclass
class Work:
    """A running retraining: its inputs, and where it reports progress."""

    settings: Settings
    named: NamedProject
    folder: Path
    state: Retraining
    began: float = field(default_factory=time.monotonic)
    said_at: float = 0.0

    def says(self, stage: str) -> Callable[[int, int], None]:
        """Return what notes how much of a stage is done."""

        def say(done: int, total: int) -> None:
            now = time.monotonic()
            if done < total and now - self.said_at < SAY_EVERY_SECONDS:
                return
            self.said_at = now
            self.note(stage=stage, done=done, total=total)

        return say

    @property
    def minutes(self) -> float:
        """How long it has taken, without what was before a stop."""
        return round((time.monotonic() - self.began) / 60, 2)

    def note(self, **changed: object) -> None:
        """Write down what has changed."""
        self.state = replace(self.state, minutes=self.minutes, **changed)  # type: ignore[arg-type]
        write_state(self.folder, self.state)


@contextmanager
def begun(settings: Settings, named: NamedProject, *, encoder: bool) -> Iterator[Work]:
    """Begin to work in a project's folder; how it ends is written down, whatever happens.

    Raises:
        ConfigError: another process works there.
    """
    if hasattr(os, "nice"):
        os.nice(NICENESS)  # people who annotate come first
    folder = folder_of(settings, named.project.project_id)
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    with _locked(folder):
        began_at = datetime.now(UTC).isoformat(timespec="seconds")
        state = Retraining(
            RUNNING,
            began_at=began_at,
            process_id=os.getpid(),
            host=socket.gethostname(),
            encoder=encoder,
            project=named.project.identity,
            serving=read_card(named.directory).bundle_hash if named.directory else "",
        )
        work = Work(settings, named, folder, state)
        work.note()
        with _noted(work):
            yield work


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        lock = lock_of(folder).acquire(timeout=LOCK_SECONDS)
    except (Timeout, OSError) as error:
        raise ConfigError("A model of this project is being retrained already.") from error
    with lock:
        yield


@contextmanager
def _noted(work: Work) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        if work.state.state != OFFERED:
            work.note(state=STOPPED)
        raise
    except Exception as error:
        is_ours = isinstance(error, StrataError)
        work.note(state=FAILED, problem=str(error) if is_ours else f"Retraining failed ({error}).")
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
