"""Requests to an application in this process, many at once and in pieces, without a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

Result = TypeVar("Result")
App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
Headers = dict[str, str]
LOCAL = {"host": "localhost:8501"}


@dataclass(slots=True)
class Answer:
    """What the application sent; a websocket that is refused has status 403."""

    status: int = 0
    headers: Headers = field(default_factory=dict)
    body: bytes = b""
    cookies: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """What comes of asynchronous work, in a thread: a browser's loop may run in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def ask(
    app: App,
    path: str,
    *,
    method: str = "GET",
    query: dict[str, str] | str = "",
    headers: Headers | None = None,
    body: Iterable[bytes] = (),
    unfinished: bool = False,
    server: tuple[str, int] = ("127.0.0.1", 8501),
) -> Answer:
    """The answer to one request.

    Args:
        body: its pieces.
        unfinished: the last piece never comes.
    """
    pieces = list(body) or [b""]

    async def receive() -> dict[str, Any]:
        if not pieces:  # as a server does while the client stays
            await asyncio.Event().wait()
        more = unfinished or len(pieces) > 1
        return {"type": "http.request", "body": pieces.pop(0), "more_body": more}

    scope = _scope("http", path, query, headers) | {"method": method, "server": server}
    return await _answered(app, scope, receive)


async def connect(
    app: App,
    path: str,
    *,
    headers: Headers | None = None,
    server: tuple[str, int] = ("127.0.0.1", 8501),
) -> Answer:
    """The answer to the opening of a websocket: 101 or 403."""

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    scope = websocket_scope(path, headers) | {"server": server}
    return await _answered(app, scope, receive)


def websocket_scope(path: str, headers: Headers | None = None) -> dict[str, Any]:
    """What an application learns of a websocket that is opened."""
    return _scope("websocket", path, "", headers) | {"subprotocols": []}


def _scope(
    kind: str, path: str, query: dict[str, str] | str, headers: Headers | None
) -> dict[str, Any]:
    sent = LOCAL | (headers or {})
    return {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http" if kind == "http" else "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": (query if isinstance(query, str) else urlencode(query)).encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), sent[name].encode("latin-1")) for name in sent],
        "client": ("127.0.0.1", 50000),
    }


async def _answered(app: App, scope: dict[str, Any], receive: Callable[[], Any]) -> Answer:
    answer = Answer()

    async def send(message: dict[str, Any]) -> None:
        match message["type"]:
            case "http.response.start":
                answer.status = message["status"]
                pairs = [(name.decode(), value.decode()) for name, value in message["headers"]]
                answer.headers = dict(pairs)
                answer.cookies = [value for name, value in pairs if name == "set-cookie"]
            case "http.response.body":
                answer.body += message.get("body", b"")
            case "websocket.accept":
                answer.status = 101
            case "websocket.close":
                answer.status = answer.status or 403

    await app(scope, receive, send)
    return answer
