"""How long a connection may be open without a request, and how many may be.

Uvicorn closes a line on which no further request follows, but waits for ever for the first one, and
for the rest of a head that arrives byte by byte; each of them holds a file descriptor.
"""

from __future__ import annotations

from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

# A browser sends a head in one piece, and opens a few lines in advance.
HEAD_SECONDS = 20.0
MOST_WAITING = 200

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
    made, received, lost = (
        getattr(protocol, name) for name in ("connection_made", "data_received", "connection_lost")
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

    for own in (connection_made, data_received, connection_lost):
        setattr(protocol, own.__name__, own)


def _has_request(connection: Any) -> bool:
    """Whether a request is being answered, or the line has become a websocket."""
    is_answering = connection.cycle is not None and not connection.cycle.response_complete
    return is_answering or connection.transport.get_protocol() is not connection
