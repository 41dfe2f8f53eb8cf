"""A queue that reads for one project, without a registry."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.documents.document import Document
from core.review.jobs import JobBacklog
from core.serving.models import FAILED, LOADING, READY, in_a_sentence, warm_up
from core.serving.queue import PredictionTask, SuggestionQueue
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction

PROJECT_ID = 1


class OneProject:
    """A project whose model is loaded in a thread of its own; every id is its own."""

    def __init__(self, load: Callable[[], Suggester]) -> None:
        self.load = load
        self.project_id = PROJECT_ID
        self.suggester: Suggester | None = None
        self.problem: str | None = None
        self.loaded: Callable[[], None] = lambda: None
        self.over = threading.Event()
        self.begun = False

    @property
    def state(self) -> str:
        if self.problem is not None:
            return FAILED
        return READY if self.over.is_set() else LOADING

    def project(self, project_id: int) -> OneProject:
        self.project_id = project_id
        return self

    def peek(self, project_id: int) -> OneProject:
        return self.project(project_id)

    def learn(self) -> None:
        """Nothing is finished here."""

    def begin(self, _: object) -> None:
        if not self.begun:
            self.begun = True
            threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            suggester = self.load()
            warm_up(suggester)
            self.suggester = suggester
        except Exception as error:  # noqa: BLE001 - whatever it is, the project says so
            self.problem = in_a_sentence(error, "The model could not be loaded")
        self.over.set()
        self.loaded()


class QueueOfOne:
    """The queue of a project that is being loaded."""

    def __init__(
        self,
        load: Callable[[], Suggester],
        keep: Callable[[str, Prediction], None],
        *,
        limit: int = 5,
        backlog: JobBacklog | None = None,
    ) -> None:
        self.project = OneProject(load)
        self.queue = SuggestionQueue(
            self.project,  # type: ignore[arg-type]
            lambda document_id, prediction, _: keep(document_id, prediction),
            limit=limit,
            backlog=backlog,
        )
        self.project.loaded = self.queue.loaded
        self.wake, self.close = self.queue.wake, self.queue.close
        self.project.begin(None)

    @property
    def state(self) -> str:
        return self.project.state

    @property
    def problem(self) -> str | None:
        return self.project.problem

    def submit(self, document: Document) -> PredictionTask:
        return self.queue.submit(document, PROJECT_ID)

    def unfinished(self) -> frozenset[str]:
        return self.queue.unfinished(PROJECT_ID)

    def wait_until_loaded(self, seconds: float) -> str:
        self.project.over.wait(seconds)
        return self.state


def running(
    load: Callable[[], Suggester], keep: Callable[[str, Prediction], None] = lambda *_: None
) -> QueueOfOne:
    """A queue with a model that is being loaded."""
    return QueueOfOne(load, keep)
