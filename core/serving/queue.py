"""What is read in the background: one queue for all projects, behind one worker.

More workers would not make it faster: torch uses all cores for one document, and several at once
only share them. A document that a person has opened is read first; what jobs want read comes in
small slices in between. Each document is read with its own project's model.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from core.documents.document import Document
from core.errors import StoreError, StrataError
from core.review.jobs import JobBacklog, QueuedDocument
from core.review.reports.finished import state_of
from core.serving.models import LOADING
from core.serving.project import ServedProject
from core.serving.reading import (
    Preempted,
    Read,
    ReadingAttempts,
    ServerStoppingError,
    Settings,
    between_parts,
    is_long,
    problem_of,
    read_slice,
)
from core.suggest.backends.protocol import Progress
from core.suggest.protocol import Learner, Suggester, find_part
from core.suggest.suggestions import Prediction

_LOG = logging.getLogger(__name__)

RETRY_SECONDS = 5.0  # after the store could not be read or written
MOST_FINISHED = 32  # tasks that are remembered after their end, until a page has looked
PATIENCE_SECONDS = 30.0  # so long a job waits while models that are loaded have work
UNREADABLE = "The model could not read this text"
NO_MODEL = "The vocabulary could not be opened, so nothing is suggested."
SUGGESTION_LIMIT = 300


@dataclass(slots=True)
class PredictionTask:
    """A document that is or was being read: progress and outcome.

    Attributes:
        done, total: windows of the text that were read, and all of them; 0 of 0 while waiting.
        problem: why there is no prediction, or why it could not be stored, in the reader's words.
    """

    document_id: str
    project_id: int
    title: str = ""
    done: int = 0
    total: int = 0
    prediction: Prediction | None = None
    problem: str | None = None
    finished: threading.Event = field(default_factory=threading.Event)

    def advance(self, done: int, total: int) -> None:
        """Note how far the model has come."""
        self.done, self.total = done, total


class OpenProjects(Protocol):
    """The projects that are open; see `core.serving.registry`."""

    def project(self, project_id: int) -> ServedProject:
        """Return an open project, used just now; one that is not open is opened."""

    def peek(self, project_id: int) -> ServedProject | None:
        """Return a project where it is open, which does not count as using it."""

    def begin(self, served: ServedProject) -> None:
        """Load a project's vocabulary and model in the background, once."""


@dataclass(slots=True)
class Turn:
    """One turn of the worker: an opened document, or a slice of a job."""

    task: PredictionTask | None = None
    is_over: bool = True  # whether the backlog had nothing that could be read
    slice: list[QueuedDocument] = field(default_factory=list)


class SuggestionQueue:
    """Reads documents in their turn, those that are open first.

    Args:
        keep: stores a finished prediction under its document id, with how it was asked for; called
            in the worker's thread, so that nothing is lost when the reader has gone.
        limit: suggestions per document.
        backlog: what jobs want read; `wake` says that there may be something.
        attempts: notes which long documents are being read, for the next start.
    """

    def __init__(
        self,
        projects: OpenProjects,
        keep: Callable[[str, Prediction, Settings], None],
        *,
        limit: int = SUGGESTION_LIMIT,
        backlog: JobBacklog | None = None,
        attempts: ReadingAttempts | None = None,
    ) -> None:
        self._projects = projects
        self._keep = keep
        self.limit = limit
        self._backlog = backlog
        self._attempts = attempts or ReadingAttempts()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="suggest")
        # Reads while the worker waits between two parts of a long document.
        self._aside = ThreadPoolExecutor(1, thread_name_prefix="suggest aside")
        self._tasks: dict[str, PredictionTask] = {}
        self._opened: deque[tuple[Document, PredictionTask]] = deque()
        self._one_by_one: set[tuple[int, str]] = set()  # after their slice failed
        self._read_at: dict[int, float] = {}  # project id -> when a job of it was read for last
        self._reading_for: list[int] = []  # the project of a document, and of one read aside
        self._lock = threading.RLock()  # a task that ends at once calls back in the same thread
        self._awake = False  # whether a turn for the backlog waits or runs
        self._alarm: threading.Timer | None = None
        self._closed = False

    # ------------------------------------------------------------------ what pages ask

    def submit(self, document: Document, project_id: int) -> PredictionTask:
        """Queue an opened document; one that waits or is being read is not queued twice.

        With another title than that one it is read after it, since models read titles.
        """
        with self._lock:
            task = self._tasks.get(document.document_id)
            if task is not None and task.finished.is_set() and task.problem:
                self._attempts.forget(document.document_id)  # a person asks for it again
            if task is None or task.finished.is_set() or task.title != document.title:
                task = PredictionTask(document.document_id, project_id, document.title)
                self._forget_finished(document.document_id)
                self._tasks[document.document_id] = task
                if self._closed:
                    _drop(task)
                else:
                    self._opened.append((document, task))
                    self._take_turn(self._read_opened)
            return task

    def _forget_finished(self, document_id: str) -> None:
        """Let a document's former task go, and the oldest of the others; each holds a prediction."""
        self._tasks.pop(document_id, None)
        finished = [task for task in self._tasks.values() if task.finished.is_set()]
        for task in finished[: max(0, len(finished) - MOST_FINISHED)]:
            del self._tasks[task.document_id]

    def wake(self) -> None:
        """Look into the backlog as soon as no opened document waits."""
        with self._lock:
            if self._backlog is None or self._closed or self._awake:
                return
            self._awake = True
            self._take_turn(self._read_backlog)

    def loaded(self) -> None:
        """Look for what has waited for a model that is loaded now."""
        with self._lock:
            for _ in self._opened:
                self._take_turn(self._read_opened)
        self.wake()

    def task(self, document_id: str) -> PredictionTask | None:
        """Return the newest task of a document, if it is remembered."""
        return self._tasks.get(document_id)

    def unfinished(self, project_id: int) -> frozenset[str]:
        """Return the ids of a project's opened documents that wait or are being read."""
        tasks = [task for task in list(self._tasks.values()) if task.project_id == project_id]
        return frozenset(task.document_id for task in tasks if not task.finished.is_set())

    def needed(self) -> set[int]:
        """Return the projects that are being read for, or whose opened documents wait."""
        waiting = {task.project_id for _, task in list(self._opened)}
        return waiting | set(self._reading_for)

    def close(self) -> None:
        """Stop after what is being read; opened documents that wait are dropped, jobs go on later."""
        with self._lock:
            self._closed = True
            waiting = [task for _, task in self._opened]
            self._opened.clear()
            if self._alarm is not None:
                self._alarm.cancel()
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._aside.shutdown(wait=False)
        for task in waiting:
            _drop(task)

    # ------------------------------------------------------------------ turns

    def _take_turn(self, work: Callable[[Turn], None]) -> None:
        """Give the worker its next task; `_end_turn` receives the outcome."""
        if not self._closed:
            turn = Turn()
            self._worker.submit(work, turn).add_done_callback(partial(self._end_turn, turn))

    def _read_opened(self, turn: Turn, *, short_only: bool = False) -> None:
        with self._lock:
            waiting = self._next_opened(short_only=short_only)
            if waiting is None:
                return
            self._opened.remove(waiting)
        document, turn.task = waiting
        served = self._projects.project(turn.task.project_id)
        suggester = served.suggester
        if suggester is None:
            turn.task.problem = served.problem or NO_MODEL
            return
        served.learn()
        settings = self._settings(suggester)
        between = self._between_parts(document, turn.task.advance)
        with self._reading(turn.task.project_id), self._attempts.counted(document):
            turn.task.prediction = suggester.suggest(
                document, limit=self.limit, on_progress=between
            )
        self._keep(document.document_id, turn.task.prediction, settings)

    def _between_parts(self, document: Document, advance: Progress) -> Progress:
        return between_parts(document, advance, lambda: self._closed, self._read_shorter)

    def _read_shorter(self) -> None:
        while not self._closed and self._next_opened(short_only=True) is not None:
            turn = Turn()
            done = self._aside.submit(self._read_opened, turn, short_only=True)
            wait([done])
            self._end_turn(turn, done)

    def _next_opened(self, *, short_only: bool = False) -> tuple[Document, PredictionTask] | None:
        """Return the first opened document whose model is loaded; loading of the others begins."""
        for waiting in list(self._opened):
            if short_only and is_long(waiting[0]):
                continue
            try:
                served = self._projects.project(waiting[1].project_id)
            except StrataError:
                return waiting  # reading it says what is wrong
            if served.state != LOADING:
                return waiting
            self._projects.begin(served)
        return None

    def _read_backlog(self, turn: Turn) -> None:
        self._awake = False
        if self._closed or self._backlog is None or self._is_wanted():
            return
        served = self._next_project(self._backlog.projects())
        if served is None or (suggester := served.suggester) is None:
            return
        self._read_at[served.project_id] = time.monotonic()
        taken = self._backlog.take(served.project_id, suggester.bundle_hash)
        if taken is None:
            self._wake_later()
            return
        alone = [queued for queued in taken if _key(queued) in self._one_by_one]
        turn.slice = alone[:1] or taken
        turn.is_over = False
        served.learn()
        settings = self._settings(suggester)
        if turn.slice:
            self._projects.project(served.project_id)  # used just now
            with self._reading(served.project_id):
                read = self._slice_read(suggester, turn.slice)
            self._backlog.keep(read, settings)

    def _slice_read(self, suggester: Suggester, queued: Sequence[QueuedDocument]) -> Read:
        alone = len(queued) == 1
        with ExitStack() as noted:
            for waiting in queued:
                noted.enter_context(self._attempts.counted(waiting.document, alone=alone))
            return read_slice(
                suggester,
                queued,
                limit=self.limit,
                wanted=self._is_wanted,
                between=self._between_parts,
            )

    def _next_project(self, waiting: Sequence[int]) -> ServedProject | None:
        """Return the loaded project that has waited longest.

        Another one is loaded where none of these has work, or where it has waited for long, so that
        jobs of many projects do not load their models in turns for each slice.
        """
        now = time.monotonic()
        ready: list[ServedProject] = []
        others: list[int] = []
        for project_id in waiting:
            self._read_at.setdefault(project_id, now)
            served = self._projects.peek(project_id)
            if served is None or served.state == LOADING:
                others.append(project_id)
            elif served.suggester is not None:
                ready.append(served)
        for project_id in sorted(others, key=self._read_at.__getitem__)[:1]:
            if not ready or now - self._read_at[project_id] > PATIENCE_SECONDS:
                self._projects.begin(self._projects.project(project_id))
        return min(ready, key=lambda served: self._read_at[served.project_id], default=None)

    def _is_wanted(self) -> bool:
        """Whether an opened document waits that can be read now."""
        with self._lock:
            return self._next_opened() is not None

    @contextmanager
    def _reading(self, project_id: int) -> Iterator[None]:
        self._reading_for.append(project_id)
        try:
            yield
        finally:
            self._reading_for.remove(project_id)

    def _settings(self, suggester: Suggester) -> Settings:
        """How a prediction is asked for, as its run notes it.

        Noted before the reading: what is learned meanwhile may not have taken part in it.
        """
        learner = find_part(suggester, Learner)  # type: ignore[type-abstract]  # mypy#4717
        learned = {"learned": state_of(learner.learned())} if learner else {}
        return {"limit": self.limit, "model": suggester.name, **learned}

    def _end_turn(self, turn: Turn, done: Future[None]) -> None:
        """Note why a reading failed, if it did; one bad text must not end the worker's day."""
        if turn.task is not None:
            turn.task.problem = problem_of(done, UNREADABLE) or turn.task.problem
            turn.task.finished.set()
            self.wake()
        elif not done.cancelled() and done.exception() is not None:
            self._end_failed(turn, done)
        elif not turn.is_over:
            self.wake()

    def _end_failed(self, turn: Turn, done: Future[None]) -> None:
        """After a slice that was not read or not kept: give way, wait, or find the bad text."""
        error = done.exception()
        if isinstance(error, (Preempted, ServerStoppingError)):
            self.wake()
        elif isinstance(error, StoreError) or not turn.slice:
            _LOG.error("a job has to wait", exc_info=error)
            self._wake_later()
        elif len(turn.slice) > 1:
            self._one_by_one |= {_key(queued) for queued in turn.slice}
            self.wake()
        else:
            self._fail(turn.slice[0], problem_of(done, UNREADABLE) or UNREADABLE)

    def _fail(self, queued: QueuedDocument, sentence: str) -> None:
        assert self._backlog is not None
        self._attempts.forget(queued.document.document_id)  # another job may try again
        try:
            self._backlog.fail(queued, sentence)
        except StoreError:
            _LOG.exception("a job has to wait")
            self._wake_later()
        else:
            self.wake()

    def _wake_later(self) -> None:
        with self._lock:
            if not self._closed:
                self._alarm = threading.Timer(RETRY_SECONDS, self.wake)
                self._alarm.daemon = True
                self._alarm.start()


def _drop(task: PredictionTask) -> None:
    """Tell those who wait for a task that it will not come."""
    task.problem = f"{UNREADABLE}: the server is stopping."
    task.finished.set()


def _key(queued: QueuedDocument) -> tuple[int, str]:
    return queued.job_id, queued.document.document_id
