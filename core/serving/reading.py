"""Reading a slice of a job or a long document, so that nobody waits for it, and not for ever.

A long document gives way between its parts: shorter ones that are opened meanwhile are read before
it goes on. How often its reading was begun, and never ended, is noted in a file: one that ended the
server twice is not begun a third time, nor what could not be read in time, unless a person asks for it.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path

from core.documents.document import Document
from core.errors import DocumentError, StrataError, TooSlowError
from core.home import written_whole
from core.review.jobs import QueuedDocument
from core.suggest.backends.protocol import Progress
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction

Settings = Mapping[str, object]
Read = Sequence[tuple[QueuedDocument, Prediction]]
_LOG = logging.getLogger(__name__)

READING_FILE = "reading.json"  # in the home folder: ids of documents, and no text
LONG_CHARACTERS = 100_000  # with the shipped bundles some seconds; a note or an act has 5,000
MAX_ATTEMPTS = 2
TOO_SLOW_BEFORE = 100  # noted of what could not be read in time
MAX_SECONDS = 900.0  # ten times what 20 MB take
TOO_OFTEN = (
    f"The model began to read this text {MAX_ATTEMPTS} times, and the server ended each time before "
    "it was through. Split the text, or try again."
)
NOT_IN_TIME = (
    "This text could not be read in time before, so it is not begun again by itself. Shorten or split "
    "it, or try again."
)
TOO_SLOW = (
    f"The model could not read this text within {MAX_SECONDS / 60:.0f} minutes. Split the text."
)
STOPPING = "The model could not read this text: the server is stopping."


class Preempted(Exception):  # noqa: N818 - nothing went wrong
    """A document of a job was put back, because somebody waits at a page."""


class ServerStoppingError(StrataError):
    """The server is stopping in the midst of a long document, which is read after its start."""


def is_long(document: Document) -> bool:
    """Return whether others would wait for a document noticeably."""
    return sum(len(part.text) for part in document.parts) > LONG_CHARACTERS


class ReadingAttempts:
    """Readings of long documents that were begun and not ended, by document.

    Args:
        path: the file that keeps them for the next start; None: they are forgotten with the server.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._counts = _read(path)

    @contextmanager
    def counted(self, document: Document, *, alone: bool = True) -> Iterator[None]:
        """Note that a document is being read; short ones are not noted.

        What could not be read in time is noted, however short it is: no start reads it again.

        Args:
            alone: whether no other is read with it; else nobody knows which of them took so long,
                and none is noted.
        Raises:
            DocumentError: its reading ended the server too often, or could not be ended.
        """
        name = document.document_id
        self._refuse(name)
        if is_long(document):
            self._note(name, self._counts.get(name, 0) + 1)
        try:
            yield
        except TooSlowError:
            if alone:
                self._note(name, TOO_SLOW_BEFORE)
            else:
                self.forget(name)
            raise
        except ServerStoppingError:
            raise
        except BaseException:
            self.forget(name)
            raise
        else:
            self.forget(name)

    def forget(self, document_id: str) -> None:
        """Let a document be read as if it had never been begun."""
        with self._lock:
            if self._counts.pop(document_id, None) is not None:
                self._write()

    def _refuse(self, document_id: str) -> None:
        count = self._counts.get(document_id, 0)
        if count >= MAX_ATTEMPTS:
            raise DocumentError(NOT_IN_TIME if count >= TOO_SLOW_BEFORE else TOO_OFTEN)

    def _note(self, document_id: str, count: int) -> None:
        with self._lock:
            self._counts[document_id] = count
            self._write()

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(self._path) as part:
                part.write_text(json.dumps(self._counts), "utf-8")
        except OSError as error:  # the document is read all the same
            _LOG.warning("attempts to read could not be noted (%s)", error.strerror)


def _read(path: Path | None) -> dict[str, int]:
    with suppress(OSError, ValueError):
        counts = json.loads(path.read_text("utf-8")) if path else {}
        if isinstance(counts, dict):
            return {str(name): n for name, n in counts.items() if isinstance(n, int)}
    return {}


def between_parts(
    document: Document,
    advance: Progress,
    is_stopping: Callable[[], bool],
    read_shorter: Callable[[], None],
) -> Progress:
    """Return what to call between two parts: a long document gives way, or ends, there."""
    until = time.monotonic() + MAX_SECONDS

    def give_way(done: int, total: int) -> None:
        nonlocal until
        advance(done, total)
        if is_stopping():
            raise ServerStoppingError(STOPPING)
        started = time.monotonic()
        if started > until:
            raise DocumentError(TOO_SLOW)
        read_shorter()
        until += time.monotonic() - started  # what others took does not count

    return give_way if is_long(document) else advance


def read_slice(
    suggester: Suggester,
    queued: Sequence[QueuedDocument],
    *,
    limit: int,
    wanted: Callable[[], bool],
    between: Callable[[Document, Progress], Progress],
) -> list[tuple[QueuedDocument, Prediction]]:
    """Return predictions for a slice.

    Args:
        wanted: whether somebody waits for a model; a single document is then put back between two
            groups of its windows, to be read again from its start, unless it is long.
        between: makes what is called between two parts of a document; a long one gives way there.
    Raises:
        Preempted: the document was put back.
    """
    if len(queued) > 1:
        predictions = suggester.suggest_batch([waiting.document for waiting in queued], limit=limit)
        return list(zip(queued, predictions, strict=True))
    (alone,) = queued
    gives_way = is_long(alone.document)

    def give_way(done: int, total: int) -> None:
        if done < total and not gives_way and wanted():
            raise Preempted

    on_progress = between(alone.document, give_way)
    return [(alone, suggester.suggest(alone.document, limit=limit, on_progress=on_progress))]


def problem_of(done: Future[None], what: str) -> str | None:
    """Return the sentence for what a turn raised; None if it went well."""
    if done.cancelled():
        return f"{what}: the server is stopping."
    error = done.exception()
    if error is None:
        return None
    _LOG.error("%s", what, exc_info=error)
    return str(error) if isinstance(error, StrataError) else f"{what} ({type(error).__name__})."
