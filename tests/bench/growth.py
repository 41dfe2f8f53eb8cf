"""Memory of a real server under fifty sessions: `nice python -m tests.bench.growth`.

A server is started as `make run` starts it, on the shipped bundle. Each session decides, searches
and asks for evidence on documents of many lengths; the server's `/proc` says every ten seconds
what it holds. What counts is the growth after the first half of the time.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

from core.documents.document import Document
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.settings import PROJECT_ROOT
from tests.bench.memory import megabytes
from tests.support.browser.server import Server

MOST_GROWTH = 0.05
EVERY_SECONDS = 10
ALLOCATOR = {  # as in the Makefile
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "4294967296",
    "MALLOC_TRIM_THRESHOLD_": "8589934592",
    "MALLOC_TOP_PAD_": "268435456",
}
CONCEPTS = ("2282", "3236", "1309", "4347", "192", "5334", "2914", "451", "1854", "3003")
QUERIES = ("fish", "honey lab", "railway tick", "agriculutre", "food")


class Load:
    """Sessions that ask a server until they are stopped, and what became of their requests."""

    def __init__(self, url: str, document_ids: list[str]) -> None:
        self.url = url
        self.document_ids = document_ids
        self.is_over = threading.Event()
        self.found: Counter[str] = Counter()
        self.seconds: list[float] = []  # of decisions
        self._lock = threading.Lock()

    def run(self, number: int) -> None:
        """Be one session: four decisions on five requests, then evidence or a search."""
        choice = random.Random(number)
        sequence = 0
        while not self.is_over.wait(choice.uniform(0.5, 1.5)):
            document_id = choice.choice(self.document_ids)
            kind = choice.choices(("decide", "evidence", "search"), (80, 10, 10))[0]
            if kind == "decide":
                sequence += 1
                operation = {"sequence": sequence, "action": "accept"}
                operation["concept_id"] = choice.choice(CONCEPTS)
                batch = {"client": f"session{number:04}{document_id}", "document_id": document_id}
                message = {
                    "document": document_id,
                    "batches": [batch | {"operations": [operation]}],
                }
                self._ask(kind, "decisions", body=json.dumps(message).encode())
            elif kind == "evidence":
                asked = {"document": document_id, "concept": choice.choice(CONCEPTS)}
                self._ask(kind, f"evidence?{urlencode(asked | {'tab': number})}")
            else:
                self._ask(kind, f"search?{urlencode({'q': choice.choice(QUERIES)})}")

    def _ask(self, kind: str, path: str, body: bytes | None = None) -> None:
        sent = urllib.request.Request(f"{self.url}api/{path}", data=body)
        sent.add_header("Content-Type", "application/json")
        began = time.monotonic()
        try:
            with urllib.request.urlopen(sent, timeout=120) as answer:
                status = str(answer.status)
                answer.read()
        except urllib.error.HTTPError as error:
            status = str(error.code)
        except (urllib.error.URLError, TimeoutError):
            status = "no answer"
        with self._lock:
            self.found[f"{kind} {status}"] += 1
            if kind == "decide":
                self.seconds.append(time.monotonic() - began)


def main() -> int:
    """Print the memory as it goes; 1 where it grows by more than the bound."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--sessions", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        document_ids = prepare(f"sqlite:///{folder}/strata.sqlite")
        server = Server(Path(folder), **ALLOCATOR)
        server.start()
        try:
            server.wait_for_model()
            held = grown(server, Load(server.url, document_ids), options)
        finally:
            server.kill()
    growth = held[-1] / held[len(held) // 2] - 1
    sys.stdout.write(f"growth in the second half: {growth:.1%}; bound {MOST_GROWTH:.0%}\n")
    return 0 if growth <= MOST_GROWTH else 1


def prepare(url: str) -> list[str]:
    """Store sixty documents, of one line up to two hundred kilobytes."""
    acts = [
        path.read_text("utf-8") for path in sorted((PROJECT_ROOT / "assets/examples").glob("*.txt"))
    ]
    store = Store.open(url)
    project_id = default_project(store, "eurovoc").project_id
    found = []
    for number in range(60):
        text = (acts[number % len(acts)] * 20)[: int(200 * 1.12**number)]
        document = Document.from_text(f"act-{number}", f"Act {number}", text)
        found.append(add_document(store, document, project_id=project_id))
    store.close()
    return found


def grown(server: Server, load: Load, options: argparse.Namespace) -> list[float]:
    """Return what the server held, at the start and every ten seconds."""
    sessions = [threading.Thread(target=load.run, args=(n,)) for n in range(options.sessions)]
    held = [megabytes(server, "VmRSS")]
    for session in sessions:
        session.start()
    for second in range(0, options.seconds, EVERY_SECONDS):
        load.is_over.wait(EVERY_SECONDS)
        held.append(megabytes(server, "VmRSS"))
        sys.stdout.write(f"{second + EVERY_SECONDS:4} s  {held[-1]:7,.0f} MB\n")
        sys.stdout.flush()
    load.is_over.set()
    for session in sessions:
        session.join()
    p95 = sorted(load.seconds)[int(0.95 * len(load.seconds))]
    sys.stdout.write(f"{dict(sorted(load.found.items()))}, decisions p95 {1000 * p95:.0f} ms\n")
    return held


if __name__ == "__main__":
    sys.exit(main())
