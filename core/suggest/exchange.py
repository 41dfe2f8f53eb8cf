"""Another model on its way to the place of the one that serves, which works until it is there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.errors import StrataError

_LOG = logging.getLogger(__name__)

Model = TypeVar("Model")
NOT_LOADED = "The model could not be loaded"
STOPPING = f"{NOT_LOADED}: the server is stopping."


@dataclass(frozen=True, slots=True)
class Loaded(Generic[Model]):
    """A model that waits for its turn, and what has to succeed before it gets it."""

    model: Model
    take: Callable[[], None]
    failed: Callable[[str], None]


class Exchange(Generic[Model]):
    """Loads one model at a time in a thread of its own, and holds it until the worker takes it.

    Args:
        ready: called when a model waits; it sees to `take` being called between two readings.
    """

    def __init__(self, ready: Callable[[], None]) -> None:
        self._ready = ready
        self._loader = ThreadPoolExecutor(1, thread_name_prefix="load-model")
        self._lock = threading.Lock()
        self._busy = False
        self._loaded: Loaded[Model] | None = None

    def begin(
        self,
        load: Callable[[], Model],
        *,
        take: Callable[[], None],
        failed: Callable[[str], None],
    ) -> bool:
        """Load a model; False where another is on its way, which is then the one that comes.

        Args:
            take: called just before the model is exchanged; what it raises keeps the old one.
            failed: hears in a sentence why it was not.
        """
        with self._lock:
            if self._busy:
                return False
            self._busy = True
        loading = self._loader.submit(load)
        loading.add_done_callback(lambda done: self._end_loading(done, take, failed))
        return True

    def take(self) -> Model | None:
        """The model that waits, if one does and its `take` succeeds."""
        with self._lock:
            waiting, self._loaded = self._loaded, None
        if waiting is None:
            return None
        try:
            waiting.take()
        # Whatever it is, the old model goes on, and the worker with it: documents wait for both.
        except Exception as error:  # noqa: BLE001
            _LOG.exception("the other model could not be taken")
            waiting.failed(_sentence(error, "The model could not be taken"))
            return None
        finally:
            self._busy = False
        return waiting.model

    def close(self) -> None:
        """Take no more; what is being loaded ends by itself."""
        self._loader.shutdown(wait=False, cancel_futures=True)

    def _end_loading(
        self, loading: Future[Model], take: Callable[[], None], failed: Callable[[str], None]
    ) -> None:
        problem = _problem(loading)
        if problem is not None:
            self._busy = False
            failed(problem)
            return
        with self._lock:
            self._loaded = Loaded(loading.result(), take, failed)
        self._ready()


def _problem(loading: Future[Model]) -> str | None:
    if loading.cancelled():
        return STOPPING
    error = loading.exception()
    if error is None:
        return None
    _LOG.error("%s", NOT_LOADED, exc_info=error)
    return _sentence(error, NOT_LOADED)


def _sentence(error: BaseException, what: str) -> str:
    return str(error) if isinstance(error, StrataError) else f"{what} ({error})."
