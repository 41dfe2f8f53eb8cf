"""One warm model for everybody: loaded in the background, behind a queue of one worker.

More workers would not make it faster: torch uses all cores for one document, and several at once
only share them. A document that a person has opened is read first; what jobs want read comes in
small slices in between.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial

from core.documents.document import Document
from core.errors import StoreError, StrataError
from core.suggest.backlog import Backlog, Errand, GaveWay, read_slice
from core.suggest.exchange import Exchange
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction

_LOG = logging.getLogger(__name__)

# As long as a window.
WARM_UP = Document.from_text("warm-up", "Regulation on the protection of animals", "text " * 400)
RETRY_SECONDS = 5.0  # after the store could not be read or written
UNREADABLE = "The model could not read this text"
OTHER_MODEL = "A model for another vocabulary is served now; it cannot read this document."


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


@dataclass(slots=True)
class Turn:
    """One turn of the worker, and what it took up: an opened document, or a slice of a job."""

    reading: Reading | None = None
    errands: list[Errand] = field(default_factory=list)


class SuggestionService:
    """Reads documents in their turn, those that are open first, with a model that stays loaded.

    Args:
        load: makes the model; called once, in the background, by `start`.
        keep: stores a finished prediction under its document id; called in the worker's thread,
            so that nothing is lost when the reader has gone.
        limit: suggestions per document.
        backlog: what jobs want read; `wake` says that there may be something.
        knows: whether a model of a vocabulary, the second argument, can read a document, the first;
            asked in the worker's thread when the document's turn has come.
    """

    def __init__(
        self,
        load: Callable[[], Suggester],
        keep: Callable[[str, Prediction], None],
        *,
        limit: int = 100,
        backlog: Backlog | None = None,
        knows: Callable[[str, str], bool] = lambda document_id, vocabulary_id: True,
    ) -> None:
        self._load = load
        self._keep = keep
        self._knows = knows
        self.limit = limit
        self.model: Suggester | None = None
        self.problem: str | None = None
        self._backlog = backlog
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="suggest")
        self._readings: dict[str, Reading] = {}
        self._opened: deque[tuple[Document, Reading]] = deque()
        self._one_by_one: set[tuple[int, str]] = set()  # after their slice failed
        self._lock = threading.RLock()  # a task that ends at once calls back in the same thread
        self._loading: Future[None] | None = None
        self._awake = False  # whether a turn for the backlog waits or runs
        self._alarm: threading.Timer | None = None
        self._closed = False
        self._exchange: Exchange[Suggester] = Exchange(lambda: self._take_turn(self._take_model))

    @property
    def state(self) -> str:
        """Whether the model is "loading", "ready" or has "failed" to load."""
        if self.problem is not None:
            return "failed"
        return "ready" if self.model is not None else "loading"

    def start(self) -> None:
        """Begin to load the model; calling it again changes nothing."""
        with self._lock:
            if self._loading is not None:
                return
            self._loading = self._worker.submit(self._load_model)
        self._loading.add_done_callback(self._note_failed_load)
        self.wake()

    def wait_until_loaded(self, timeout_seconds: float) -> str:
        """Wait for the model, and return the state."""
        if self._loading is not None:
            for loaded in wait([self._loading], timeout_seconds).done:
                # Whoever waits may wake before the callback has run.
                self._note_failed_load(loaded)
        return self.state

    def exchange(
        self,
        load: Callable[[], Suggester],
        *,
        take: Callable[[], None],
        failed: Callable[[str], None],
    ) -> bool:
        """Load another model beside the one that serves, which reads on until the other is warm.

        Args:
            take: called between two readings, just before the other is put in place; what it
                raises keeps the old one.
            failed: hears in a sentence why it was not.
        Returns:
            False where another exchange is under way.
        """
        return self._exchange.begin(lambda: warmed(load()), take=take, failed=failed)

    def submit(self, document: Document) -> Reading:
        """Queue an opened document; one that waits or is being read is not queued twice."""
        self.start()
        with self._lock:
            reading = self._readings.get(document.document_id)
            if reading is None or reading.finished.is_set():
                reading = Reading(document.document_id)
                self._readings[document.document_id] = reading
                if self._closed:
                    _drop(reading)
                else:
                    self._opened.append((document, reading))
                    self._take_turn(self._read_opened)
            return reading

    def wake(self) -> None:
        """Look into the backlog as soon as no opened document waits."""
        with self._lock:
            if self._backlog is None or self._closed or self._awake:
                return
            self._awake = True
            self._take_turn(self._read_backlog)

    def reading(self, document_id: str) -> Reading | None:
        """The newest reading of a document since the start, if any."""
        return self._readings.get(document_id)

    @property
    def unfinished(self) -> frozenset[str]:
        """Ids of the opened documents that wait or are being read."""
        readings = list(self._readings.values())
        return frozenset(one.document_id for one in readings if not one.finished.is_set())

    def close(self) -> None:
        """Stop after what is being read; opened documents that wait are dropped, jobs go on later."""
        with self._lock:
            self._closed = True
            waiting = [reading for _, reading in self._opened]
            self._opened.clear()
            if self._alarm is not None:
                self._alarm.cancel()
        self._exchange.close()
        self._worker.shutdown(wait=False, cancel_futures=True)
        for reading in waiting:
            _drop(reading)

    # ------------------------------------------------------------------ the model

    def _load_model(self) -> None:
        self._put_in_place(warmed(self._load()))

    def _put_in_place(self, model: Suggester) -> None:
        former, self.model, self.problem = self.model, model, None
        if former is not None:
            gc.unfreeze()
        del former
        # What was loaded stays for long: the collector need not look through it again.
        gc.collect()
        gc.freeze()

    def _take_model(self, _: Turn) -> None:
        model = self._exchange.take()
        if model is not None:
            self._put_in_place(model)
            self.wake()

    def _note_failed_load(self, loading: Future[None]) -> None:
        self.problem = _problem(loading, "The model could not be loaded")

    # ------------------------------------------------------------------ turns

    def _take_turn(self, work: Callable[[Turn], None]) -> None:
        """Let the worker do this after what it has; `_end_turn` hears how it went."""
        if not self._closed:
            turn = Turn()
            self._worker.submit(work, turn).add_done_callback(partial(self._end_turn, turn))

    def _read_opened(self, turn: Turn) -> None:
        self._take_model(turn)  # rather than after all that wait before it
        with self._lock:
            if not self._opened:
                return
            document, turn.reading = self._opened.popleft()
        if self.model is None:
            turn.reading.problem = self.problem
            return
        if not self._knows(document.document_id, self.model.vocabulary_id):
            self._leave_alone(turn.reading)
            return
        turn.reading.prediction = self.model.suggest(
            document, limit=self.limit, on_progress=turn.reading.advance
        )
        self._keep(document.document_id, turn.reading.prediction)

    def _leave_alone(self, reading: Reading) -> None:
        """Say why it is not read, and forget it: a model of its own vocabulary may come back."""
        reading.problem = OTHER_MODEL
        with self._lock:
            if self._readings.get(reading.document_id) is reading:
                del self._readings[reading.document_id]

    def _read_backlog(self, turn: Turn) -> None:
        self._awake = False
        self._take_model(turn)
        if self._opened or self.model is None or self._backlog is None or self._closed:
            return
        taken = self._backlog.take(self.model.bundle_hash, self.model.vocabulary_id)
        alone = [one for one in taken if _name(one) in self._one_by_one]
        turn.errands = alone[:1] or taken
        if turn.errands:
            read = read_slice(
                self.model, turn.errands, limit=self.limit, wanted=lambda: bool(self._opened)
            )
            self._backlog.keep(read)

    def _end_turn(self, turn: Turn, task: Future[None]) -> None:
        """Note why a reading failed, if it did; one bad text must not end the worker's day."""
        if turn.reading is not None:
            turn.reading.problem = _problem(task, UNREADABLE) or turn.reading.problem
            turn.reading.finished.set()
            self.wake()
        elif not task.cancelled() and task.exception() is not None:
            self._end_failed(turn, task)
        elif turn.errands:
            self.wake()

    def _end_failed(self, turn: Turn, task: Future[None]) -> None:
        """After a slice that was not read or not kept: give way, wait, or find the bad text."""
        error = task.exception()
        if isinstance(error, GaveWay):
            self.wake()
        elif isinstance(error, StoreError) or not turn.errands:
            _LOG.error("a job has to wait", exc_info=error)
            self._wake_later()
        elif len(turn.errands) > 1:
            self._one_by_one |= {_name(errand) for errand in turn.errands}
            self.wake()
        else:
            self._fail(turn.errands[0], _problem(task, UNREADABLE) or UNREADABLE)

    def _fail(self, errand: Errand, sentence: str) -> None:
        assert self._backlog is not None
        try:
            self._backlog.fail(errand, sentence)
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


def warmed(model: Suggester) -> Suggester:
    """The model after its first reading, so that no document waits for what torch does only once.

    Raises:
        BundleError: what it gives is no numbers; other damage may raise what torch raises.
    """
    model.suggest(WARM_UP, limit=1)
    return model


def _drop(reading: Reading) -> None:
    """Tell those who wait for a reading that it will not come."""
    reading.problem = f"{UNREADABLE}: the server is stopping."
    reading.finished.set()


def _name(errand: Errand) -> tuple[int, str]:
    return errand.job_id, errand.document.document_id


def _problem(task: Future[None], what: str) -> str | None:
    """The sentence for what a task raised; None if it went well."""
    if task.cancelled():
        return f"{what}: the server is stopping."
    error = task.exception()
    if error is None:
        return None
    _LOG.error("%s", what, exc_info=error)
    return str(error) if isinstance(error, StrataError) else f"{what} ({type(error).__name__})."
