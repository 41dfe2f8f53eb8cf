"""The process in which models compute: started when it is needed, and again after it has ended.

A message is a tuple whose first item says what it is. The server sends calls, with a number that
their answers carry; between two parts of a text the worker reports how far it is, and waits for
the word to go on. The process ends when the server does, however that ends.
"""

from __future__ import annotations

import itertools
import logging
import os
import subprocess
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from core.errors import ModelStoppedError
from core.processes import start_worker
from core.suggest.backends.protocol import Progress

_LOG = logging.getLogger(__name__)

WORKER = "core.suggest.remote.worker"
CALL, TURN, FORGET = "call", "turn", "forget"  # what the server sends
RESULT, ERROR, PROGRESS = "result", "error", "progress"  # what the worker answers
END_SECONDS = 10.0
STOPPED = "The process in which the models compute has ended; it is started again. Try again."


class ModelRun:
    """One run of the process; may be used from many threads.

    Args:
        module: what it runs.

    Attributes:
        over: whether it has ended.
    """

    def __init__(self, module: str) -> None:
        self.process = start_worker(module, keeps_memory=True)
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

    def call(self, function: str, *arguments: object, on_progress: Progress | None = None) -> Any:
        """Return what a function of the worker returns.

        Args:
            on_progress: called between two parts of a text; what it raises ends the call.
        Raises:
            ModelStoppedError: the process has ended.
            Exception: whatever the function raises.
        """
        number, answers = self._begin()
        try:
            self._outbox.put((CALL, number, function, arguments))
            while True:
                kind, value = answers.get()
                if kind == RESULT:
                    return value
                if kind == ERROR:
                    raise value
                self._take_turn(number, value, on_progress)
        finally:
            with self._lock:
                self._calls.pop(number, None)

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

    def _begin(self) -> tuple[int, SimpleQueue[tuple[str, Any]]]:
        answers: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        with self._lock:
            if self.over.is_set():
                raise ModelStoppedError(STOPPED)
            number = next(self._numbers)
            self._calls[number] = answers
        return number, answers

    def _take_turn(self, number: int, done: tuple[int, int], on_progress: Progress | None) -> None:
        goes_on = False
        try:
            if on_progress:
                on_progress(*done)
            goes_on = True
        finally:
            self._outbox.put((TURN, number, goes_on))

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
    """The process of one server, whichever run of it is the present one.

    Args:
        module: what it runs; tests bring their own.
    """

    def __init__(self, module: str = WORKER) -> None:
        self._module = module
        self._run: ModelRun | None = None
        self._starting = threading.Lock()

    def running(self) -> ModelRun:
        """Return the present run; one is started where there is none."""
        with self._starting:
            if self._run is None or self._run.over.is_set():
                self._run = ModelRun(self._module)
            return self._run

    def close(self) -> None:
        """End the process; the next call would start another."""
        with self._starting:
            run, self._run = self._run, None
        if run is not None:
            run.close()
