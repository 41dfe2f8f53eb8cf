"""A model hub on this machine: as much of one as its client asks for to send and fetch files."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHA = "0123456789abcdef0123456789abcdef01234567"


class ModelHub(BaseHTTPRequestHandler):
    """Keeps the files of one repository in memory."""

    files: dict[str, bytes]
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        _, _, name = self.path.partition(f"/resolve/{SHA}/")
        if name:
            self._send_file(name)
        elif "/tree/" in self.path:
            self._answer([self._entry(name) for name in self.files])
        else:
            siblings = [{"rfilename": name} for name in self.files]
            self._answer({"id": "me/tiny", "sha": SHA, "siblings": siblings})

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.asked.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "/preupload/" in self.path:
            names = [file["path"] for file in json.loads(body)["files"]]
            sent = [{"path": n, "uploadMode": "regular", "shouldIgnore": False} for n in names]
            self._answer({"files": sent})
        elif "/commit/" in self.path:
            self._commit([json.loads(line) for line in body.splitlines()])
        else:
            self._answer({"url": self._here, "id": "me/tiny", "name": "me/tiny"})

    def _commit(self, lines: list[dict[str, dict[str, str]]]) -> None:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":  # type: ignore[comparison-overlap]
                self.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "deletedFile":  # type: ignore[comparison-overlap]
                del self.files[value["path"]]
        self._answer({"commitUrl": f"{self._here}/commit/{SHA}", "commitOid": SHA, "success": True})

    @property
    def _here(self) -> str:
        return f"http://{self.headers['Host']}/me/tiny"

    def _entry(self, name: str) -> dict[str, object]:
        content = self.files[name]
        oid = hashlib.sha1(content).hexdigest()
        return {"type": "file", "path": name, "size": len(content), "oid": oid}

    def _send_file(self, name: str) -> None:
        content = self.files.get(name)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("X-Repo-Commit", SHA)
        self.send_header("ETag", f'"{hashlib.sha1(content).hexdigest()}"')
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def _answer(self, said: object) -> None:
        content = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def model_hub() -> Iterator[tuple[str, type[ModelHub]]]:
    """A hub for as long as it is needed: its address, and what it holds and was asked."""
    kept = type("KeptHub", (ModelHub,), {"files": {}, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kept)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
