"""The threads that work out what routes answer: a pool for each kind of work.

Decisions have threads of their own, so that they never wait behind evidence, which takes seconds.
Files are written by threads that get the processors only while nothing else needs them.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")

# Decisions that wait for the disk share their wait (`core.review.shared_writes`), so many may come.
WRITERS, READERS, FILE_WRITERS = 8, 8, 2
# Of the three texts that the process of models reads at once, one is left to people at pages.
PROGRAM_READERS, MOST_PROGRAMS_WAITING = 2, 64
# One explanation is made at a time, in the process of the models; the other threads wait for those
# that come next, or answer from those that are there.
EXPLAINERS, MOST_EXPLANATIONS_WAITING, MOST_OF_ONE_TAB = 8, 256, 4
NICENESS = 10  # of threads that give way; about a tenth of a processor while others want it

STOPPING = "The server is stopping."
TOO_MANY = "Too much is asked for at once; ask again in a moment."
SUPERSEDED = "This tab has asked for something else since."


class BusyError(Exception):
    """A pool does not take a request, or has dropped it; it may be sent again."""


class Pool:
    """Threads, and the tasks that wait for one.

    Args:
        n_threads: how many requests are worked on at once.
        most_waiting: how many wait at most; one more is refused. None for no limit.
        most_of_one_tab: how many of these one tab may have; one more drops its oldest.
        gives_way: whether other threads have the processors first.
    """

    def __init__(
        self,
        name: str,
        n_threads: int,
        *,
        most_waiting: int | None = None,
        most_of_one_tab: int | None = None,
        gives_way: bool = False,
    ) -> None:
        begin = give_way if gives_way else None
        self._threads = ThreadPoolExecutor(n_threads, thread_name_prefix=name, initializer=begin)
        self._most_waiting = most_waiting
        self._most_of_one_tab = most_of_one_tab
        self._waiting: dict[Future[Any], str] = {}  # in their order, each with its tab
        self._lock = threading.Lock()

    async def run(self, work: Callable[[], Result], *, tab: str = "") -> Result:
        """Return what the work returns, done in one of the threads.

        Args:
            tab: names the browser tab that asks; "" for a program, which has no limit of its own.
        Raises:
            BusyError: the pool is full or closed, or the tab has asked for more since.
        """
        future = self._submit(work, tab)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if future.cancelled() and not (task and task.cancelling()):
                raise BusyError(SUPERSEDED) from None
            raise

    def close(self) -> None:
        """Take no more work, and drop what waits."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _submit(self, work: Callable[[], Result], tab: str) -> Future[Result]:
        with self._lock:
            if self._most_waiting is not None:
                self._make_room(tab)
            try:
                future = self._threads.submit(work)
            except RuntimeError as error:
                raise BusyError(STOPPING) from error
            if self._most_waiting is not None:
                self._waiting[future] = tab
        return future

    def _make_room(self, tab: str) -> None:
        """Drop the tab's oldest request where it has its share; refuse where the pool is full."""
        assert self._most_waiting is not None
        waiting = [future for future in self._waiting if not (future.running() or future.done())]
        self._waiting = {future: self._waiting[future] for future in waiting}
        of_tab = [future for future in waiting if tab and self._waiting[future] == tab]
        if self._most_of_one_tab is not None and len(of_tab) >= self._most_of_one_tab:
            of_tab[0].cancel()
        elif len(waiting) >= self._most_waiting:
            raise BusyError(TOO_MANY)


class Workers:
    """The pools of one server.

    Attributes:
        writing: stores decisions.
        reading: answers what the store and the vocabulary know.
        explaining: asks the model why.
        suggesting: reads texts for programs.
        writing_files: makes backups and exports, which takes minutes where there is much.
    """

    def __init__(self) -> None:
        self.writing = Pool("write", WRITERS)
        self.reading = Pool("read", READERS)
        self.explaining = Pool(
            "explain",
            EXPLAINERS,
            most_waiting=MOST_EXPLANATIONS_WAITING,
            most_of_one_tab=MOST_OF_ONE_TAB,
        )
        self.suggesting = Pool("program", PROGRAM_READERS, most_waiting=MOST_PROGRAMS_WAITING)
        self.writing_files = Pool("file", FILE_WRITERS, gives_way=True)

    def close(self) -> None:
        """Take no more work."""
        pools = self.writing, self.reading, self.explaining, self.suggesting, self.writing_files
        for pool in pools:
            pool.close()


def give_way() -> None:
    """Lower the priority of this thread and of those that it starts.

    Only Linux has priorities of single threads.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
