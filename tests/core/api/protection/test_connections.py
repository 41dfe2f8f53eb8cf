"""Connections that bring no request and messages that are too long end, over real sockets."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from core.api.protection.connections import MOST_PIECES, bound_connections, bound_messages
from core.paths import PROJECT_ROOT
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
    with served(config) as port:
        yield port


@contextmanager
def served(config: uvicorn.Config) -> Iterator[int]:
    """A running server; yields its port."""
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


def test_of_too_many_that_were_answered_and_say_no_more_the_oldest_is_closed() -> None:
    with serving(seconds=PATIENCE_SECONDS, most=3) as port, ExitStack() as stack:
        lines = [stack.enter_context(answered(port)) for _ in range(4)]
        assert is_closed(lines[0])
        lines[3].sendall(HEAD + b"\r\n")
        assert lines[3].recv(12) == b"HTTP/1.1 200"


# ---------------------------------------------------------------------- messages of websockets

OPENING = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
BINARY, CONTINUED, WHOLE, MASKED = 0x02, 0x00, 0x80, 0x80


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Say how long each message is."""
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": str(len(message["bytes"]))})


def frame(size: int, kind: int = BINARY | WHOLE) -> bytes:
    return bytes([kind, MASKED | 127]) + size.to_bytes(8, "big") + bytes(4) + bytes(size)


def opened(port: int) -> socket.socket:
    made = line(port)
    made.sendall(OPENING)
    while not made.recv(1000).endswith(b"\r\n\r\n"):
        pass
    return made


@contextmanager
def sockets() -> Iterator[int]:
    """A server that takes messages of 1,000 bytes, and 2,000 of all that are not whole."""

    class Bounded(WebSocketsSansIOProtocol):
        """Of this server alone."""

    bound_messages(Bounded, most_bytes=1_000, most_pending_bytes=2_000)
    bound_messages(Bounded, most_bytes=1)  # once is enough
    config = uvicorn.Config(echo, ws=Bounded, lifespan="off", log_config=None)
    with served(config) as port:
        yield port


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        ([frame(1_000)], b"1000"),
        ([frame(1_001)], None),
        ([frame(400, BINARY), frame(600, CONTINUED | WHOLE)], b"1000"),
        ([frame(400, BINARY), frame(601, CONTINUED | WHOLE)], None),
        ([frame(10), frame(20)], b"20"),
        ([frame(0, BINARY), *[frame(0, CONTINUED)] * (MOST_PIECES + 1)], None),
    ],
)
def test_a_message_that_is_too_long_closes_its_socket(
    sent: list[bytes], answer: bytes | None
) -> None:
    with sockets() as port, opened(port) as client:
        send(client, b"".join(sent))
        received = b""
        with suppress(ConnectionResetError):
            while (answer is None or not received.endswith(answer)) and (piece := client.recv(99)):
                received += piece
        assert answer is None or received.endswith(answer)


def test_of_messages_that_are_not_whole_the_longest_gives_way() -> None:
    with sockets() as port, ExitStack() as stack:
        clients = [stack.enter_context(opened(port)) for _ in range(3)]
        for client, size in zip(clients, (900, 600, 500), strict=True):
            client.sendall(frame(size, BINARY))
            time.sleep(0.05)
        assert is_closed(clients[0])
        for client, size in zip(clients[1:], (b"601", b"501"), strict=True):
            client.sendall(frame(1, CONTINUED | WHOLE))
            assert client.recv(100).endswith(size)


def test_as_many_files_as_the_system_allows_may_be_open() -> None:
    program = (
        "import resource as r; from core.api.protection.connections import allow_many_files;"
        "most = r.getrlimit(r.RLIMIT_NOFILE)[1]; r.setrlimit(r.RLIMIT_NOFILE, (64, most));"
        "allow_many_files(); print(r.getrlimit(r.RLIMIT_NOFILE)[0] == min(most, 65536))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT_ROOT, capture_output=True, check=True
    )
    assert done.stdout == b"True\n"
