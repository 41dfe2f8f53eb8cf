"""A server over a large store: `nice python -m tests.bench.scale --keep /tmp/large`.

The store is filled once, by SQL, into the folder that `--keep` names. Then every page is drawn and
every route is asked a few times, as one person does, and the slowest answer counts. At the end a
backup is made, and the memory that it takes is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

from core.model.bundle.cards import read_card
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.serving.setup import own_vocabulary
from core.settings import Settings
from tests.bench.load import ALLOCATOR
from tests.bench.memory import megabytes
from tests.bench.tab import Tab
from tests.support.browser.server import Server

MOST_SECONDS, MOST_BACKUP_MB = 1.0, 300.0
TIMES, LONG_SECONDS = 3, 10.0
N_SUGGESTIONS = 10
PAGES = ("", "documents", "vocabulary", "models", "insights", "export", "settings")
TEXT = "The fishing quota for herring and sole is laid down for each year. " * 12

NUMBERS = """
WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n + 1 < :documents)
INSERT INTO number SELECT n FROM counted
"""
DOCUMENTS = """
INSERT INTO document (document_id, project_id, title, fingerprint, text_fingerprint, n_characters,
    batch, created_at, updated_at, finished_at, version)
SELECT printf('act-%06d', n), :project, printf('Act %d on herring', n), printf('%064d', n),
    printf('%064d', n), :length, CASE WHEN n % 4 = 0 THEN printf('batch %d', n / 5000) END,
    datetime('2024-01-01', n || ' minutes'), datetime('2024-01-01', n || ' minutes'),
    CASE WHEN n % 3 = 0 THEN datetime('2024-06-01', n || ' minutes') END, (n + 1) * :each
FROM number
"""
PARTS = """
INSERT INTO document_part (document_id, position, kind, text)
SELECT printf('act-%06d', n), 0, 'text', printf('Act %d. ', n) || :text FROM number
"""
RUNS = """
INSERT INTO prediction_run (run_id, document_id, created_at, bundle_hash, vocabulary_version,
    settings, branch_probability, n_suggestions, n_tokens, n_tokens_read, n_windows, seconds)
SELECT n + 1, printf('act-%06d', n), datetime('2024-01-01', n || ' minutes'), :bundle, '4.21',
    '{}', '{}', :suggestions, 200, 200, 1, 0.1 FROM number
"""
SUGGESTIONS = """
INSERT INTO suggestion (run_id, concept_id, rank, probability, branch_probability, source, uri,
    pref_label)
SELECT n.n + 1, c.concept_id, k.n + 1, 0.9 - 0.08 * k.n, 0.9, 'guided', 'x', c.concept_id
FROM number n JOIN number k ON k.n < :suggestions
JOIN concept c ON c.n = (n.n * 7 + k.n * 13) % :concepts
"""
EVENTS = """
INSERT INTO decision_event (event_id, client_id, sequence, position, document_id, person_id, action,
    concept_id, decided_at, run_id, rank)
SELECT n.n * :each + k.n + 1, printf('tab-%06d', n.n), k.n + 1, n.n * :each + k.n + 1,
    printf('act-%06d', n.n), :person, CASE WHEN k.n % 3 = 2 THEN 'reject' ELSE 'accept' END,
    c.concept_id, datetime('2024-03-01', n.n || ' minutes'), n.n + 1, k.n + 1
FROM number n JOIN number k ON k.n < :each
JOIN concept c ON c.n = (n.n * 7 + k.n * 13) % :concepts
"""
DECISIONS = """
INSERT OR IGNORE INTO decision (document_id, concept_id, event_id, state, added)
SELECT document_id, concept_id, event_id, CASE action WHEN 'accept' THEN 'accepted' ELSE 'rejected' END,
    0 FROM decision_event
"""


def main() -> int:
    """Print how long everything takes; 1 where something is above its bound."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--decisions", type=int, default=5_000_000)
    parser.add_argument("--keep", type=Path, default=None, help="a folder where the store is kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.keep or Path(folder)
        fill(home, options.documents, options.decisions // options.documents)
        server = Server(home, **ALLOCATOR)
        server.start()
        try:
            server.wait_for_model()
            slow = asyncio.run(measured(server, f"act-{options.documents // 2:06}"))
        finally:
            server.kill()
        large = backed_up(home)
    sys.stdout.write(f"above their bounds: {', '.join([*slow, *large]) or 'none'}\n")
    return 1 if slow or large else 0


def fill(home: Path, n_documents: int, n_each: int) -> None:
    """Fill a new store; one that is there stays as it is."""
    file = home / "strata.sqlite"
    if file.exists():
        return
    part = home / "filling.sqlite"
    part.unlink(missing_ok=True)
    with closing(Store.open(f"sqlite:///{part}")) as store:
        project = default_project(store, "eurovoc").project_id
        person = default_person(store).person_id
    directory = Settings.from_env().bundle_dir
    concepts = sorted(own_vocabulary(directory))
    values = {
        "documents": n_documents,
        "each": n_each,
        "project": project,
        "person": person,
        "text": TEXT,
        "length": len(TEXT),
        "bundle": read_card(directory).bundle_hash,
        "suggestions": N_SUGGESTIONS,
        "concepts": len(concepts),
    }
    with closing(sqlite3.connect(part)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -400000")
        connection.execute("CREATE TEMP TABLE number (n INTEGER PRIMARY KEY)")
        connection.execute("CREATE TEMP TABLE concept (n INTEGER PRIMARY KEY, concept_id TEXT)")
        connection.executemany("INSERT INTO concept VALUES (?, ?)", enumerate(concepts))
        for statement in (NUMBERS, DOCUMENTS, PARTS, RUNS, SUGGESTIONS, EVENTS, DECISIONS):
            began = time.monotonic()
            used = {name: value for name, value in values.items() if f":{name}" in statement}
            connection.execute(statement, used)
            where = statement.split("INSERT", 1)[1].split("INTO ", 1)[1].split()[0]
            sys.stdout.write(f"filled {where} in {time.monotonic() - began:.0f} s\n")
            sys.stdout.flush()
        connection.commit()
    part.replace(file)


async def measured(server: Server, document_id: str) -> list[str]:
    """Draw every page and ask every route, and return what took too long."""
    tab = Tab(server.url, server.headers())
    document = urlencode({"document": document_id})
    concept = {"document": document_id, "concept": "2282"}

    def page(name: str, query: str = "") -> Callable[[], Awaitable[str]]:
        return lambda: tab.run_page(query, name)

    def route(path: str, message: object = None) -> Callable[[], Awaitable[str]]:
        async def ask() -> str:
            return (await tab.ask(f"api/{path}", message))[0]

        return ask

    pages = {f"page {name or 'annotate'}": page(name) for name in PAGES}
    pages["page annotate, a document"] = page("", document)
    routes = {
        path.partition("?")[0]: route(path)
        for path in (
            "health",
            "search?q=fish",
            "concept?id=2282",
            "narrower",
            "outline?id=2282",
            f"decisions?{document}",
            f"below?{urlencode(concept | {'id': '2282'})}",
            f"check?{document}",
            f"evidence?{urlencode(concept)}",
            f"support?{document}&field=text&start=0&end=40",
            f"without?{urlencode(concept | {'field': 'text', 'start': 0, 'end': 40})}",
        )
    }
    routes |= _deciding(route, document_id)
    slow = [
        name for name, ask in (pages | routes).items() if await _slowest(name, ask, server) is None
    ]
    await tab.close()
    return slow


def _deciding(
    route: Callable[[str, object], Callable[[], Awaitable[str]]], document_id: str
) -> dict[str, Callable[[], Awaitable[str]]]:
    """A decision, and a finish, after which the next document is looked for."""

    def message(sequence: int, action: str, concept: str | None = None) -> dict[str, object]:
        operation = {"sequence": sequence, "action": action} | (
            {"concept_id": concept} if concept else {}
        )
        client = f"scale{time.time_ns()}"
        batch = {"client": client, "document_id": document_id, "operations": [operation]}
        return {"document": document_id, "batches": [batch]}

    return {
        "decide": route("decisions", message(1, "accept", "2282")),
        "finish": route("decisions", message(1, "finish")),
        "reopen": route("decisions", message(1, "reopen")),
    }


async def _slowest(name: str, ask: Callable[[], Awaitable[str]], server: Server) -> float | None:
    """Print what something took at most; None where that is too long, or went wrong."""
    seconds, statuses = [], set()
    for _ in range(TIMES):
        began = time.monotonic()
        statuses.add(await ask())
        seconds.append(time.monotonic() - began)
        if seconds[-1] > LONG_SECONDS:
            break
    most = max(seconds)
    sys.stdout.write(
        f"{name:28} {most:7.2f} s  {min(seconds):7.2f} s at best  "
        f"{megabytes(server, 'VmRSS'):7,.0f} MB  {' '.join(sorted(statuses))}\n"
    )
    sys.stdout.flush()
    return most if most <= MOST_SECONDS else None


def backed_up(home: Path) -> list[str]:
    """Make a backup by the command, print the memory that it takes, and say where that is much."""
    with tempfile.TemporaryDirectory(dir=home) as folder:
        command = [sys.executable, "-m", "core", "backup", f"{folder}/strata.zip"]
        began, peaks = time.monotonic(), list[int]()
        environment = Server(home).environment
        with subprocess.Popen(command, env=environment) as process:
            done = threading.Event()
            watch = threading.Thread(target=_watch, args=(process.pid, peaks, done))
            watch.start()
            process.wait()
            done.set()
            watch.join()
        size = Path(folder, "strata.zip").stat().st_size
    peak = (max(peaks) - min(peaks[2:] or peaks)) / 1e6
    sys.stdout.write(
        f"backup: {size / 1e6:,.0f} MB in {time.monotonic() - began:.0f} s, "
        f"{max(peaks) / 1e6:,.0f} MB of memory at most\n"
    )
    return ["backup"] if peak > MOST_BACKUP_MB else []


def _watch(pid: int, peaks: list[int], done: threading.Event) -> None:
    """Note the memory of a process until it is over."""
    while not done.wait(0.05):
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            return
        found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS")]
        peaks += found


if __name__ == "__main__":
    sys.exit(main())
