"""A website on loopback, for what is fetched: each path a way to answer."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ACTS = {
    ("EN", "32019R1020"): (
        "Regulation on market surveillance",
        "Products are watched on the market.",
    ),
    ("DE", "32019R1020"): (
        "Verordnung über die Marktüberwachung",
        "Diese Verordnung legt Regeln und Verfahren für die Bereitstellung von Informationen fest. "
        * 4,
    ),
    ("EN", "32014L0089"): (
        "Directive on maritime planning",
        "Fishing and herring at sea are planned.",
    ),
}
DRIP_SECONDS = 0.05


class FetchHost(ThreadingHTTPServer):
    """Answers like EUR-Lex under `/legal-content/`, badly elsewhere, and keeps what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.redirects: dict[str, str] = {}

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


@contextmanager
def served() -> Iterator[FetchHost]:
    with FetchHost() as host:
        thread = threading.Thread(target=host.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield host
        host.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: FetchHost

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers.items())))
        found = urlsplit(self.path)
        with suppress(ConnectionError):
            if found.path in self.server.redirects:
                self._answer(302, b"", Location=self.server.redirects[found.path])
            elif found.path.startswith("/legal-content/"):
                self._act(found.path.split("/")[2], parse_qs(found.query)["uri"][0])
            else:
                getattr(self, f"_{found.path.strip('/').partition('/')[0]}")()

    def _act(self, language: str, uri: str) -> None:
        act = ACTS.get((language, uri.removeprefix("CELEX:")))
        if act is None:
            self._answer(404, b"The requested document does not exist.")
        else:
            title, text = act
            page = f"<html><body><h1>{title}</h1><p>{text}</p></body></html>"
            self._answer(200, page.encode("latin-1"), content_type="text/html; charset=iso-8859-1")

    def _eli(self) -> None:
        self._act("EN", "32019R1020")

    def _challenge(self) -> None:
        self._answer(202, b"")

    def _absent(self) -> None:
        self._answer(
            200, b"<html><body><p>The requested document does not exist.</p></body></html>"
        )

    def _charset(self) -> None:
        page = "<html><body><h1>Café</h1><p>Coffee.</p></body></html>".encode()
        charset = self.path.rpartition("/")[2]
        self._answer(200, page, content_type=f"text/html; charset={charset}")

    def _picture(self) -> None:
        self._answer(200, b"\x89PNG", content_type="image/png")

    def _archive(self) -> None:
        self._answer(200, b"PK\x03\x04", content_type="application/zip")

    def _long(self) -> None:
        self._answer(200, b"<html><body>" + b"<p>word</p>" * 100_000)

    def _bomb(self) -> None:
        packed = gzip.compress(b"<html><body>" + b" " * 50_000_000)
        self._answer(200, packed, Content_Encoding="gzip")

    def _packed(self) -> None:
        page = b"<html><body><h1>On honey</h1><p>Honey is sweet.</p></body></html>"
        packed = gzip.compress(page[:30]) + gzip.compress(page[30:])
        self._answer(200, packed, Content_Encoding="gzip")

    def _torn(self) -> None:
        self._answer(
            200, gzip.compress(b"<html>" + bytes(range(256)) * 9)[:-20], Content_Encoding="gzip"
        )

    def _drip(self) -> None:
        """Send a byte now and then, so that no single read takes long."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")
        for _ in range(400):
            self.wfile.write(b"x")
            time.sleep(DRIP_SECONDS)

    def _dripheaders(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        for _ in range(400):
            self.wfile.write(b"x")
            time.sleep(DRIP_SECONDS)

    def _answer(
        self, status: int, body: bytes, *, content_type: str = "text/html", **headers: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_: object) -> None:
        pass
