"""How long a connection may be open without a request, how many may be, and what sockets may hold.

Uvicorn closes a line on which no further request follows, but waits for ever for the first one, and
for the rest of a head that arrives byte by byte; each of them holds a file descriptor. A message of
a websocket that arrives in pieces is kept until it is whole.
"""

from __future__ import annotations

from asyncio import TimerHandle
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

# A browser sends a head in one piece, and opens a few lines in advance.
HEAD_SECONDS = 20.0
MOST_WAITING = 200
# A text that is pasted is the longest that a page sends by its socket.
MOST_MESSAGE_BYTES, MOST_PENDING_BYTES = 16_000_000, 200_000_000
MOST_PIECES = 10_000  # of one message; each takes more memory than its bytes
MOST_FILES = 65_536

_BOUNDED: set[type] = set()


class _Waiting:
    """The connections whose request is still to come, the oldest first."""

    def __init__(self, *, seconds: float, most: int) -> None:
        self._seconds, self._most = seconds, most
        self._timers: dict[Any, TimerHandle] = {}

    def note(self, connection: Any) -> None:
        """Find out anew whether a connection waits; the first time sets its end."""
        if _has_request(connection) or connection.transport.is_closing():
            self.forget(connection)
        elif connection not in self._timers:
            timer = connection.loop.call_later(self._seconds, self._end, connection)
            self._timers[connection] = timer
            if len(self._timers) > self._most:
                self._end(next(iter(self._timers)))

    def forget(self, connection: Any) -> None:
        """Let a connection be, as it has its request or is closed."""
        timer = self._timers.pop(connection, None)
        if timer is not None:
            timer.cancel()

    def _end(self, connection: Any) -> None:
        self.forget(connection)
        connection.transport.abort()


def bound_connections(
    protocol: type[Any] = AutoHTTPProtocol,
    *,
    seconds: float = HEAD_SECONDS,
    most: int = MOST_WAITING,
) -> None:
    """Have a protocol of uvicorn close connections that bring no request in time.

    Streamlit starts uvicorn itself and has no setting for this, so the class is changed in place,
    once; connections that are open stay as they are.

    Args:
        seconds: that the head of a request may take, from the opening of the line or its first byte.
        most: heads that are waited for at once; one more ends the oldest.
    """
    if protocol in _BOUNDED:
        return
    _BOUNDED.add(protocol)
    waiting = _Waiting(seconds=seconds, most=most)
    made, received, lost, completed = (
        getattr(protocol, name)
        for name in ("connection_made", "data_received", "connection_lost", "on_response_complete")
    )

    def connection_made(self: Any, transport: Any) -> None:
        made(self, transport)
        waiting.note(self)

    def data_received(self: Any, data: bytes) -> None:
        received(self, data)
        waiting.note(self)

    def connection_lost(self: Any, error: Exception | None) -> None:
        waiting.forget(self)
        lost(self, error)

    def on_response_complete(self: Any) -> None:
        completed(self)
        waiting.note(self)

    for callback in (connection_made, data_received, connection_lost, on_response_complete):
        setattr(protocol, callback.__name__, callback)


def _has_request(connection: Any) -> bool:
    """Whether a request is being answered, or the line has become a websocket."""
    is_answering = connection.cycle is not None and not connection.cycle.response_complete
    return is_answering or connection.transport.get_protocol() is not connection


def bound_messages(
    protocol: type[Any] = WebSocketsSansIOProtocol,
    *,
    most_bytes: int = MOST_MESSAGE_BYTES,
    most_pending_bytes: int = MOST_PENDING_BYTES,
) -> None:
    """Have a protocol of uvicorn close websockets whose messages are too long, alone or together.

    Streamlit has one setting for what it sends and what it takes; what it sends may be longer.

    Args:
        most_bytes: of one message.
        most_pending_bytes: of all that have begun and are not whole; of more, the longest gives way.
    """
    if protocol in _BOUNDED:
        return
    _BOUNDED.add(protocol)
    pending: dict[Any, int] = {}
    made, received, lost, completed = (
        getattr(protocol, name)
        for name in (
            "connection_made",
            "data_received",
            "connection_lost",
            "send_receive_event_to_app",
        )
    )

    def connection_made(self: Any, transport: Any) -> None:
        made(self, transport)
        self.conn.max_message_size = most_bytes

    def data_received(self: Any, data: bytes) -> None:
        pending[self] = pending.get(self, 0) + len(data)
        received(self, data)
        if len(self.frames) > MOST_PIECES:
            self.transport.abort()
        if sum(pending.values()) > most_pending_bytes:
            longest = max(pending, key=pending.__getitem__)
            del pending[longest]
            longest.transport.abort()

    def send_receive_event_to_app(self: Any) -> None:
        pending.pop(self, None)
        completed(self)

    def connection_lost(self: Any, error: Exception | None) -> None:
        pending.pop(self, None)
        lost(self, error)

    for callback in (connection_made, data_received, send_receive_event_to_app, connection_lost):
        setattr(protocol, callback.__name__, callback)


def allow_many_files() -> None:
    """Let this process open as many files as the system allows it: each connection is one."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no such bound
        import resource

        least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_FILES if most == resource.RLIM_INFINITY else min(most, MOST_FILES)
        if least != resource.RLIM_INFINITY and least < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
