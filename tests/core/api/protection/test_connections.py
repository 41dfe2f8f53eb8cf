"""Connections that bring no request are closed, over a real server and sockets."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from core.api.protection.connections import bound_connections
from tests.support.waiting import PATIENCE_SECONDS

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
MOST_LINES = 100
_asked, _may_answer = threading.Event(), threading.Event()


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers; of /slow only once it may."""
    if scope["path"] == "/slow":
        _asked.set()
        await asyncio.get_running_loop().run_in_executor(None, _may_answer.wait, PATIENCE_SECONDS)
    await PlainTextResponse("answer")(scope, receive, send)


@contextmanager
def serving(*, seconds: float, most: int = 50) -> Iterator[int]:
    """A server whose connections are bounded; yields its port."""

    class Bounded(AutoHTTPProtocol):
        """Of this server alone."""

    bound_connections(Bounded, seconds=seconds, most=most)
    bound_connections(Bounded, seconds=0.0)  # once is enough
    config = uvicorn.Config(inside, http=Bounded, lifespan="off", log_config=None, ws="none")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)


def line(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)


def send(opened: socket.socket, data: bytes) -> None:
    """Send, also where the server has closed the line already."""
    with suppress(BrokenPipeError, ConnectionResetError):
        opened.sendall(data)


def answered(port: int) -> socket.socket:
    """A line on which a request was answered: on a busy machine not always the first."""
    for _ in range(MOST_LINES):
        opened, answer = line(port), b""
        send(opened, HEAD + b"\r\n")
        with suppress(ConnectionResetError):
            while received := opened.recv(4096):
                answer += received
                if answer.endswith(b"answer"):
                    return opened
        opened.close()
    raise AssertionError("no request was answered")


def is_closed(opened: socket.socket) -> bool:
    """Whether the server ends a connection, which is waited for."""
    with suppress(ConnectionResetError):
        return opened.recv(1) == b""
    return True


def test_a_line_without_a_request_and_half_a_head_are_closed() -> None:
    with serving(seconds=0.05) as port, line(port) as silent, line(port) as half:
        send(half, HEAD)
        assert is_closed(half) and is_closed(silent)


def test_a_head_that_comes_byte_by_byte_has_no_more_time() -> None:
    with serving(seconds=0.05) as port, line(port) as slow:
        send(slow, HEAD)
        slow.settimeout(0.005)
        for n_bytes in count():
            try:
                assert is_closed(slow)
                break
            except TimeoutError:
                send(slow, b"x")
            assert n_bytes < PATIENCE_SECONDS / 0.005


def test_half_a_head_after_an_answer_is_closed() -> None:
    with serving(seconds=0.2) as port, answered(port) as opened:
        send(opened, HEAD)
        assert is_closed(opened)


def test_of_too_many_that_wait_the_oldest_is_closed() -> None:
    with serving(seconds=PATIENCE_SECONDS, most=3) as port, ExitStack() as stack:
        lines = [stack.enter_context(line(port)) for _ in range(4)]
        assert is_closed(lines[0])
        for opened in lines[1:]:
            opened.sendall(HEAD + b"\r\n")
            assert opened.recv(12) == b"HTTP/1.1 200"


def test_a_request_that_is_being_answered_waits_for_nothing() -> None:
    _asked.clear()
    _may_answer.clear()
    with serving(seconds=PATIENCE_SECONDS, most=1) as port, line(port) as asked:
        asked.sendall(HEAD.replace(b"/", b"/slow", 1) + b"\r\n")
        assert _asked.wait(PATIENCE_SECONDS)
        with line(port) as silent, line(port):
            assert is_closed(silent)
        _may_answer.set()
        assert asked.recv(12) == b"HTTP/1.1 200"
