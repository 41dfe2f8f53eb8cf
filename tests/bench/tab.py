"""A browser tab as the server sees it: a connection for requests, and a websocket for page runs.

It costs next to nothing, so that hundreds of tabs leave the processors to the server they measure.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

NO_ANSWER, NOT_FINISHED = "no answer", "not finished"
LARGEST_END = 1_000  # bytes of the message that ends a run; others are not looked into
ANSWER_SECONDS = 120.0


class Tab:
    """One tab of a browser on a server.

    Args:
        url: of the server, with a slash at its end.
        headers: what every request carries, such as the access key.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self.address = urlsplit(url)
        self.headers = dict(headers)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._socket: ClientConnection | None = None

    async def close(self) -> None:
        """Close both connections, as a closed tab does."""
        self._drop()
        if self._socket is not None:
            await self._socket.close()

    # ------------------------------------------------------------------ requests

    async def ask(self, path: str, message: object = None) -> tuple[str, Any]:
        """Return status and answer of a route; the message makes it a POST."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                if self._streams is not None:
                    # A server closes a line that was silent for long; browsers then take a new one.
                    with suppress(ConnectionError, asyncio.IncompleteReadError):
                        return await self._ask(path, message)
                    self._drop()
                return await self._ask(path, message)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            self._drop()
            return NO_ANSWER, {}

    async def _ask(self, path: str, message: object) -> tuple[str, Any]:
        if self._streams is None or self._streams[1].is_closing():
            place = self.address.hostname, self.address.port
            self._streams = await asyncio.open_connection(*place)
        reader, writer = self._streams
        writer.write(self._request(path, message))
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status, *lines = head.split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines if ": " in line)
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        if cookie := fields.get("set-cookie"):  # of a proxy, which keeps a tab at one process
            self.headers["Cookie"] = cookie.partition(";")[0]
        if fields.get("connection") == "close":
            self._drop()
        return status.split()[1], json.loads(body)

    def _request(self, path: str, message: object) -> bytes:
        body = b"" if message is None else json.dumps(message).encode()
        headers = {"Host": self.address.netloc, "Content-Length": str(len(body)), **self.headers}
        if message is not None:
            headers["Content-Type"] = "application/json"
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        method = "GET" if message is None else "POST"
        return f"{method} /{path} HTTP/1.1\r\n{lines}\r\n".encode() + body

    def _drop(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    # ------------------------------------------------------------------ page runs

    async def run_page(self, query: str, page: str = "") -> str:
        """Have a page run, wait until it is drawn, and return how the run ended.

        Args:
            query: of the address, such as "document=…".
            page: the page's name in the address; "" for the first one.
        """
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                if self._socket is None:
                    self._socket = await self._connected()
                message = BackMsg()
                message.rerun_script.query_string = query
                message.rerun_script.page_name = page
                await self._socket.send(message.SerializeToString())
                return await self._end_of_run(self._socket)
        except (OSError, TimeoutError, WebSocketException):
            if self._socket is not None:
                with suppress(OSError, WebSocketException):
                    await self._socket.close()
            self._socket = None
            return NO_ANSWER

    async def _connected(self) -> ClientConnection:
        return await connect(
            f"ws://{self.address.netloc}/_stcore/stream",
            additional_headers=self.headers,
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
        )

    async def _end_of_run(self, socket: ClientConnection) -> str:
        """Read messages up to the end of the run; fragments that run by themselves do not count."""
        async for message in socket:
            if isinstance(message, str) or len(message) > LARGEST_END:
                continue
            parsed = ForwardMsg.FromString(message)
            if parsed.WhichOneof("type") == "script_finished":
                match parsed.script_finished:
                    case ForwardMsg.FINISHED_SUCCESSFULLY:
                        return "200"
                    case ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        continue
                return ForwardMsg.ScriptFinishedStatus.Name(parsed.script_finished)
        return NOT_FINISHED
