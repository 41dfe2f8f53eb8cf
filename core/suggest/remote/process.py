"""The process in which models compute: started when it is needed, and again after it has ended.

A message is a tuple whose first item says what it is. The server sends calls, with a number that
their answers carry; between two parts of a text the worker reports how far it is, and waits for
the word to go on; it may also ask the server something in the midst of a call, such as what a model
of another process says. The process ends when the server does, however that ends, and where a text takes
longer than texts of its length do: no thread can be ended, as a pattern at work hears of nothing.
"""

from __future__ import annotations

import itertools
import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from core.documents.document import Document, fingerprint
from core.errors import ModelStoppedError, TooSlowError
from core.processes import start_worker
from core.suggest.backends.protocol import Progress

_LOG = logging.getLogger(__name__)

Answer = Callable[..., object]
"""Answers a function's name and its arguments, which a worker asks in the midst of a call."""

WORKER = "core.suggest.remote.worker"
CALL, TURN, FORGET = "call", "turn", "forget"  # what the server sends
# What the worker answers.
RESULT, ERROR, PROGRESS, ASKED, BEGUN = "result", "error", "progress", "asked", "begun"
# About a tenth and a third of a processor while the server wants it; who waits for names of codes
# does so before a model is loaded.
MODELS_NICENESS, TEXTS_NICENESS = 10, 5
END_SECONDS = 10.0
# For a text, and for each million characters: many times what ordinary ones take, as the server may
# need the processors meanwhile.
LEAST_SECONDS, SECONDS_OF_MILLION = 20.0, 60.0
MOST_TIMES, LOOK_SECONDS = 10, 0.5  # how much longer where others have the processors
REFUSED_SECONDS = 600.0
"""So long a text is not tried again that could not be read in time."""
MOST_REFUSED = 1_000
TOO_SLOW = (
    "This text could not be read in time, so nothing is suggested for it. Shorten it, above all "
    "where something is repeated over and over, or split it."
)
STOPPED = "The process in which the models compute has ended; it is started again. Try again."


class Bound:
    """How long a call may take: so many seconds, in which the process works for as many.

    Where the server needs the processors itself, the process has little of them.

    Args:
        seconds: None for no bound.
    """

    def __init__(self, pid: int, seconds: float | None) -> None:
        self._pid, self._seconds = pid, seconds
        self._began, self._used = time.monotonic(), _used_seconds(pid) if seconds else 0.0

    def left(self) -> float | None:
        """Return the seconds until it has to be looked again; 0 where the time is over."""
        if self._seconds is None:
            return None
        passed = time.monotonic() - self._began
        if passed < self._seconds:
            return self._seconds - passed
        used = min(_used_seconds(self._pid) - self._used, passed)
        if used >= self._seconds or passed >= MOST_TIMES * self._seconds:
            return 0.0
        return max(self._seconds - used, LOOK_SECONDS)


def _used_seconds(pid: int) -> float:
    """Return how long a process has had a processor; what is too much where nobody can say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return time.monotonic()


class ModelRun:
    """One run of the process; may be used from many threads.

    Args:
        module: what it runs.
        niceness: to the server.

    Attributes:
        over: whether it has ended.
    """

    def __init__(self, module: str, niceness: int) -> None:
        self.process = start_worker(module, str(niceness), keeps_memory=True)
        assert self.process.stdin is not None and self.process.stdout is not None
        self._requests = Connection(os.dup(self.process.stdin.fileno()), readable=False)
        self._answers = Connection(os.dup(self.process.stdout.fileno()), writable=False)
        self.process.stdin.close()
        self.process.stdout.close()
        # A queue can be put into from a finalizer, which may run in the midst of anything.
        self._outbox: SimpleQueue[tuple[Any, ...] | None] = SimpleQueue()
        self._calls: dict[int, SimpleQueue[tuple[str, Any]]] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self.over = threading.Event()
        for work in (self._send, self._receive):
            threading.Thread(target=work, name="model process", daemon=True).start()

    def call(
        self,
        function: str,
        *arguments: object,
        on_progress: Progress | None = None,
        answer: Answer | None = None,
        seconds: float | None = None,
    ) -> Any:
        """Return what a function of the worker returns.

        Args:
            on_progress: called between two parts of a text; what it raises ends the call.
            answer: answers what the worker asks; likewise.
            seconds: of work for each part of a text, after which the process is killed; None for no limit.
        Raises:
            ModelStoppedError: the process has ended.
            TooSlowError: it was killed for this call.
            Exception: whatever the function raises.
        """
        number, answers = self._begin()
        try:
            self._outbox.put((CALL, number, function, arguments))
            bound = Bound(self.process.pid, None)  # what waits for its turn in the worker has time
            while True:
                kind, value = self._next(answers, bound)
                if kind == BEGUN:
                    bound = Bound(self.process.pid, seconds)
                    continue
                if kind == RESULT:
                    return value
                if kind == ERROR:
                    raise value
                self._take_turn(number, value, answer if kind == ASKED else on_progress)
                bound = Bound(self.process.pid, seconds)
        finally:
            with self._lock:
                self._calls.pop(number, None)

    def begin(self, function: str, *arguments: object) -> None:
        """Have a function of the worker be called, for whose answer nobody waits."""
        self._outbox.put((CALL, next(self._numbers), function, arguments))

    def forget(self, key: int) -> None:
        """Have the worker let a model go; may be called at any point of the program."""
        self._outbox.put((FORGET, key))

    def close(self) -> None:
        """End the process, and what it is doing."""
        self._outbox.put(None)  # with which its input ends
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(END_SECONDS)

    def _next(self, answers: SimpleQueue[tuple[str, Any]], bound: Bound) -> tuple[str, Any]:
        while (seconds := bound.left()) != 0.0:
            with suppress(Empty):
                return answers.get(timeout=seconds)
        self.process.kill()
        _LOG.warning("a text could not be read in time; the process of the models is ended")
        raise TooSlowError(TOO_SLOW)

    def _begin(self) -> tuple[int, SimpleQueue[tuple[str, Any]]]:
        answers: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        with self._lock:
            if self.over.is_set():
                raise ModelStoppedError(STOPPED)
            number = next(self._numbers)
            self._calls[number] = answers
        return number, answers

    def _take_turn(self, number: int, arguments: tuple[Any, ...], work: Answer | None) -> None:
        """Do what the worker waits for, and have it go on with the result, or stop."""
        goes_on, result = False, None
        try:
            if work:
                result = work(*arguments)
            goes_on = True
        finally:
            self._outbox.put((TURN, number, (goes_on, result)))

    def _send(self) -> None:
        with self._requests, suppress(OSError):
            while (message := self._outbox.get()) is not None:
                self._requests.send(message)

    def _receive(self) -> None:
        try:
            with self._answers, suppress(EOFError, OSError):
                while True:
                    number, kind, value = self._answers.recv()
                    with self._lock:
                        answers = self._calls.get(number)
                    if answers is not None:
                        answers.put((kind, value))
        finally:  # else who waits would wait for ever behind an answer that cannot be read
            self._end()

    def _end(self) -> None:
        """Have everybody who waits for an answer hear that none will come."""
        with self._lock:
            self.over.set()
            calls = list(self._calls.values())
        for answers in calls:
            answers.put((ERROR, ModelStoppedError(STOPPED)))
        self._outbox.put(None)
        status = self.process.wait()
        _LOG.info("the process of the models has ended with status %d", status)


class ModelProcess:
    """The model process of a server, across its restarts.

    Args:
        module: what it runs; tests bring their own.
        niceness: to the server.
    """

    def __init__(self, module: str = WORKER, *, niceness: int = MODELS_NICENESS) -> None:
        self._module, self._niceness = module, niceness
        self._run: ModelRun | None = None
        self._starting = threading.Lock()
        self._refused: dict[str, float] = {}  # fingerprint of a text -> until when

    def refuse_slow(self, documents: Iterable[Document]) -> None:
        """Refuse texts that could not be read in time just now, as each would end the process.

        Raises:
            TooSlowError: one is among these.
        """
        if self._refused and any(
            self._refused.get(fingerprint(document), 0.0) > time.monotonic()
            for document in documents
        ):
            raise TooSlowError(TOO_SLOW)

    def note_slow(self, document: Document) -> None:
        """Remember a text that could not be read in time."""
        with self._starting:
            while len(self._refused) >= MOST_REFUSED:
                self._refused.pop(next(iter(self._refused)))
            self._refused[fingerprint(document)] = time.monotonic() + REFUSED_SECONDS

    def running(self) -> ModelRun:
        """Return the present run; one is started where there is none."""
        with self._starting:
            if self._run is None or self._run.over.is_set():
                self._run = ModelRun(self._module, self._niceness)
            return self._run

    def close(self) -> None:
        """End the process; the next call would start another."""
        with self._starting:
            run, self._run = self._run, None
        if run is not None:
            run.close()


def seconds_for(documents: Iterable[Document]) -> float:
    """Return the time limit for texts, or for each part that reports progress."""
    n_characters = sum(len(document.title) + len(document.text) for document in documents)
    return LEAST_SECONDS + SECONDS_OF_MILLION * n_characters / 1e6
