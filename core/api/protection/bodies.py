"""Limits on request bodies: how many arrive at once, and their bytes in all.

A body takes memory from its first byte until its request is answered. Who sends too much is told to
send it again; where all senders together send too much, the largest body of who sends most gives way.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

MEGABYTE = 1_000_000
# An upload has 200 MB at most, so that two of them fit.
MOST_BYTES, MOST_BYTES_OF_SENDER = 500 * MEGABYTE, 250 * MEGABYTE
# Short messages arrive with the head of their request.
MOST_ARRIVING = 200

TOO_SLOW = "The message did not arrive in time; send it again."
TOO_MUCH = "Too much is being sent at a time; send this again in a moment."


class RefusedBodyError(Exception):
    """The rest of a body is not waited for.

    Args:
        sentence: for who sends it.
    """

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.sentence, self.status = sentence, status


class Body:
    """The body of one request.

    Attributes:
        sender: its address.
        is_upload: whether it may take long.
        n_bytes: that have arrived.
    """

    def __init__(self, sender: str, *, is_upload: bool = False) -> None:
        self.sender, self.is_upload = sender, is_upload
        self.n_bytes = 0
        self.is_ended = False
        self._wait: asyncio.Timeout | None = None

    @contextmanager
    def waiting(self, wait: asyncio.Timeout) -> Iterator[None]:
        """Let the next piece be waited for no longer where this body is to end."""
        self._wait = wait
        try:
            yield
        finally:
            self._wait = None

    def end(self) -> None:
        """Have whoever waits for the next piece hear that none will be taken."""
        self.is_ended = True
        if self._wait is not None and not self._wait.expired():
            self._wait.reschedule(asyncio.get_running_loop().time())


class Bodies:
    """The bodies of a server; used by the thread of its event loop alone.

    Args:
        most_bytes: that those of all requests may hold.
        most_bytes_of_sender: that those of one sender may.
        most_arriving: bodies, but for uploads, that are waited for; one more ends the oldest.
    """

    def __init__(
        self,
        *,
        most_bytes: int = MOST_BYTES,
        most_bytes_of_sender: int = MOST_BYTES_OF_SENDER,
        most_arriving: int = MOST_ARRIVING,
    ) -> None:
        self._most_bytes, self._most_of_sender = most_bytes, most_bytes_of_sender
        self._most_arriving = most_arriving
        self._arriving: dict[Body, None] = {}  # the oldest first
        self._held: Counter[str] = Counter()  # bytes by sender

    def begin(self, body: Body) -> None:
        """Note a body that is to arrive."""
        self._arriving[body] = None
        short = [other for other in self._arriving if not other.is_upload]
        if len(short) > self._most_arriving:
            self._end(short[0])

    def arrived(self, body: Body, n_bytes: int, *, is_whole: bool) -> None:
        """Count a piece that has arrived.

        Raises:
            RefusedBodyError: there is no place for it.
        """
        if is_whole:
            self._arriving.pop(body, None)
        body.n_bytes += n_bytes
        self._held[body.sender] += n_bytes
        if self._held[body.sender] > self._most_of_sender:
            raise RefusedBodyError(TOO_MUCH, 429)
        if self._held.total() > self._most_bytes:
            largest = self._largest()
            if largest in (None, body):
                raise RefusedBodyError(TOO_MUCH, 503)
            self._end(largest)

    def over(self, body: Body) -> None:
        """Forget a body, as its request is answered."""
        self._arriving.pop(body, None)
        self._held[body.sender] -= body.n_bytes
        if self._held[body.sender] <= 0:
            del self._held[body.sender]

    def _largest(self) -> Body | None:
        """Return the largest body that is arriving, of the sender who holds most."""
        return max(
            self._arriving,
            key=lambda body: (self._held[body.sender], body.n_bytes),
            default=None,
        )

    def _end(self, body: Body) -> None:
        self._arriving.pop(body, None)
        body.end()
