"""One warm model for everybody: loaded in the background, behind a queue of one worker.

More workers would not make it faster: torch uses all cores for one document, and several at once
only share them.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from core.documents.document import Document
from core.errors import StrataError
from core.suggest.suggestions import Prediction

_LOG = logging.getLogger(__name__)

# As long as a window, so that the first document waits for nothing that torch does only once.
WARM_UP = Document.from_text("warm-up", "Regulation on the protection of animals", "text " * 400)


class Suggester(Protocol):
    """What the service needs of a model; `core.suggest.predictor.Predictor` is one."""

    bundle_hash: str
    name: str
    max_tokens: int

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Prediction:
        """What the model says of this document."""
        ...


@dataclass(slots=True)
class Reading:
    """A document that is being read, or was: how far, and what came of it.

    Attributes:
        done, total: windows of the text that were read, and all of them; 0 of 0 while waiting.
        problem: why there is no prediction, or why it could not be stored, in the reader's words.
    """

    document_id: str
    done: int = 0
    total: int = 0
    prediction: Prediction | None = None
    problem: str | None = None
    finished: threading.Event = field(default_factory=threading.Event)

    def advance(self, done: int, total: int) -> None:
        """Note how far the model has come."""
        self.done, self.total = done, total


class SuggestionService:
    """Reads documents one after the other, each in its turn, with a model that stays loaded.

    Args:
        load: makes the model; called once, in the background, by `start`.
        keep: stores a finished prediction under its document id; called in the worker's thread,
            so that nothing is lost when the reader has gone.
        limit: suggestions per document.
    """

    def __init__(
        self,
        load: Callable[[], Suggester],
        keep: Callable[[str, Prediction], None],
        *,
        limit: int = 100,
    ) -> None:
        self._load = load
        self._keep = keep
        self.limit = limit
        self.model: Suggester | None = None
        self.problem: str | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="suggest")
        self._readings: dict[str, Reading] = {}
        self._lock = threading.Lock()
        self._loading: Future[None] | None = None

    @property
    def state(self) -> str:
        """Whether the model is "loading", "ready" or has "failed" to load."""
        if self.problem is not None:
            return "failed"
        return "ready" if self.model is not None else "loading"

    def start(self) -> None:
        """Begin to load the model; calling it again changes nothing."""
        with self._lock:
            if self._loading is None:
                self._loading = self._worker.submit(self._load_model)
                self._loading.add_done_callback(self._note_failed_load)

    def wait_until_loaded(self, timeout_seconds: float) -> str:
        """Wait for the model, and return the state."""
        if self._loading is not None:
            wait([self._loading], timeout_seconds)
        return self.state

    def submit(self, document: Document) -> Reading:
        """Queue a document; one that waits or is being read is not queued twice."""
        self.start()
        with self._lock:
            reading = self._readings.get(document.document_id)
            if reading is None or reading.finished.is_set():
                reading = Reading(document.document_id)
                self._readings[document.document_id] = reading
                task = self._worker.submit(self._read, document, reading)
                task.add_done_callback(partial(_finish, reading))
            return reading

    def reading(self, document_id: str) -> Reading | None:
        """The newest reading of a document since the start, if any."""
        return self._readings.get(document_id)

    @property
    def unfinished(self) -> frozenset[str]:
        """Ids of the documents that wait or are being read."""
        readings = list(self._readings.values())
        return frozenset(one.document_id for one in readings if not one.finished.is_set())

    def close(self) -> None:
        """Stop after the document that is being read; those that wait are dropped."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _load_model(self) -> None:
        model = self._load()
        model.suggest(WARM_UP, limit=1)
        self.model = model
        # What was loaded stays for good: the collector need not look through it again.
        gc.collect()
        gc.freeze()

    def _note_failed_load(self, loading: Future[None]) -> None:
        self.problem = _problem(loading, "The model could not be loaded")

    def _read(self, document: Document, reading: Reading) -> None:
        if self.model is None:
            reading.problem = self.problem
            return
        reading.prediction = self.model.suggest(
            document, limit=self.limit, on_progress=reading.advance
        )
        self._keep(document.document_id, reading.prediction)


def _finish(reading: Reading, task: Future[None]) -> None:
    """Note why a reading failed, if it did; one bad text must not end the worker's day."""
    reading.problem = _problem(task, "The model could not read this text") or reading.problem
    reading.finished.set()


def _problem(task: Future[None], what: str) -> str | None:
    """The sentence for what a task raised; None if it went well."""
    if task.cancelled():
        return f"{what}: the server is stopping."
    error = task.exception()
    if error is None:
        return None
    _LOG.error("%s", what, exc_info=error)
    return str(error) if isinstance(error, StrataError) else f"{what} ({type(error).__name__})."
