"""Connections: made to a network address that was checked, and ended when time is up."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any

import httpcore2

from core.documents.fetching.policy import FetchPolicy, Target
from core.errors import DocumentError

Resolver = Callable[[str, int], list[str]]
SocketOption = (
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
)


def resolve(host: str, port: int) -> list[str]:
    """Return the network addresses of a host, as the machine's resolver answers.

    Raises:
        OSError: it has none.
    """
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in infos))


class Deadline:
    """A moment that everything of one fetch is held to, however often a server sends a byte."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds that are left.

        Raises:
            httpcore2.TimeoutException: none are.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise httpcore2.TimeoutException(f"more than {self.seconds:g} seconds")
        return left


class CheckedBackend(httpcore2.NetworkBackend):
    """Resolves the host of one target once, checks what comes, and connects to nothing else.

    Between a check of its own and a connection by name, the name could change what it leads to.
    """

    def __init__(
        self, policy: FetchPolicy, target: Target, deadline: Deadline, resolver: Resolver
    ) -> None:
        self.policy, self.target, self.deadline = policy, target, deadline
        self._resolver = resolver
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the first address that answers.

        Raises:
            DocumentError: the host leads to an address that is not public.
            httpcore2.ConnectError: no address answers.
        """
        if (host, port) != (self.target.host, self.target.port):
            raise DocumentError(f"{host} was not checked.")
        addresses = self._addresses()
        self.policy.check(host, addresses, scheme=self.target.scheme, port=port)
        failed: Exception = httpcore2.ConnectError("there is no address")
        for address in addresses:
            try:
                stream = self._sockets.connect_tcp(address, port, self.deadline.remaining())
            except httpcore2.ConnectError as error:
                failed = error
            else:
                return TimedStream(stream, self.deadline)
        raise failed

    def _addresses(self) -> list[str]:
        """Return the network addresses, in the time that is left: a resolver knows no limit."""
        host, port = self.target.host, self.target.port
        answered: SimpleQueue[list[str] | OSError | UnicodeError] = SimpleQueue()

        def ask() -> None:
            try:
                answered.put(self._resolver(host, port))
            except (OSError, UnicodeError) as error:
                answered.put(error)

        threading.Thread(target=ask, daemon=True).start()
        try:
            addresses = answered.get(timeout=self.deadline.remaining())
        except Empty as error:
            raise httpcore2.ConnectTimeout("the name was not resolved") from error
        if isinstance(addresses, Exception):
            raise httpcore2.ConnectError(str(addresses)) from addresses
        return [str(ipaddress.ip_address(address)) for address in addresses]


class TimedStream(httpcore2.NetworkStream):
    """A connection whose reads and writes share one deadline."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has arrived."""
        return self._stream.read(max_bytes, self._deadline.remaining())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        self._stream.write(buffer, self._deadline.remaining())

    def close(self) -> None:
        """End the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        """Continue encrypted; the certificate must match the host's name."""
        left = self._deadline.remaining()
        return TimedStream(
            self._stream.start_tls(ssl_context, server_hostname, left), self._deadline
        )

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection knows of itself."""
        return self._stream.get_extra_info(info)
