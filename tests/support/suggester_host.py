"""A suggester on loopback, for what is asked elsewhere: both protocols, and ways to fail."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote

import pytest

DRIP_SECONDS = 0.02
Result = dict[str, object]


class SuggesterHost(ThreadingHTTPServer):
    """Answers as an Annif server and as a language model do, and keeps what it was asked.

    Attributes:
        results: of the Annif project, as its protocol has them.
        content: what the language model writes.
        failing: "" or how to fail: "status", "redirect", "drip", "huge", "no json", "other json",
            "broken".
        seconds: that an answer takes.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str], str]] = []
        self.results: list[Result] = []
        self.content = "[]"
        self.failing = ""
        self.status = 500
        self.seconds = 0.0

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def address(self) -> str:
        return f"http://{self.name}"

    @property
    def texts(self) -> list[str]:
        """The texts that an Annif project was sent."""
        return [parse_qs(body)["text"][0] for path, _, body in self.asked if "/projects/" in path]


@contextmanager
def served_suggester() -> Iterator[SuggesterHost]:
    with SuggesterHost() as host:
        thread = threading.Thread(target=host.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield host
        host.shutdown()
        thread.join()


@pytest.fixture
def host() -> Iterator[SuggesterHost]:
    """One that suggests nothing yet."""
    with served_suggester() as running:
        yield running


class _Handler(BaseHTTPRequestHandler):
    server: SuggesterHost

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.append((unquote(self.path), dict(self.headers.items()), body))
        time.sleep(self.server.seconds)
        with suppress(ConnectionError):
            if self.server.failing:
                getattr(self, f"_{self.server.failing.replace(' ', '_')}")()
            elif self.path.endswith("/chat/completions"):
                written = {"message": {"role": "assistant", "content": self.server.content}}
                self._answer(200, json.dumps({"choices": [written]}).encode())
            else:
                self._answer(200, json.dumps({"results": self.server.results}).encode())

    def _status(self) -> None:
        self._answer(self.server.status, b"{}")

    def _redirect(self) -> None:
        self._answer(307, b"", Location=f"{self.server.address}/elsewhere")

    def _drip(self) -> None:
        """Send a byte now and then, so that no single read takes long."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        for _ in range(400):
            self.wfile.write(b" ")
            time.sleep(DRIP_SECONDS)

    def _huge(self) -> None:
        self._answer(200, b'{"results": [' + b" " * 3_000_000 + b"]}")

    def _no_json(self) -> None:
        self._answer(200, b"<html>busy</html>")

    def _other_json(self) -> None:
        self._answer(200, b'{"results": 7, "choices": {"message": []}}')

    def _deep_json(self) -> None:
        self._answer(200, b"[" * 200_000)

    def _broken(self) -> None:
        self.wfile.write(b"nothing like HTTP\r\n\r\n")

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_: object) -> None:
        pass
