"""A server over a large store: `nice python -m tests.bench.scale --keep /tmp/large`.

The store is filled once, by SQL, into the folder that `--keep` names. Then every page is drawn, what
can be chosen on it is chosen, and every route is asked a few times, as one person does, and the
slowest answer counts. At the end come the files: a backup and an export by their routes, `core
backup` and `core restore`, with the memory that they take.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from functools import partial
from pathlib import Path

from core.model.bundle.cards import read_card
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.serving.setup import own_vocabulary
from core.settings import Settings
from tests.bench import scale_steps as steps
from tests.bench.drawn_tab import DrawnTab, until_counted
from tests.bench.load import ALLOCATOR
from tests.bench.memory import megabytes
from tests.support.browser.server import Server

MOST_SECONDS, MOST_FILE_MB = 1.0, 300.0
TIMES, LONG_SECONDS = 3, 10.0
MOST_COUNTING_SECONDS, LONGEST_FILE_SECONDS = 600.0, 1_800.0
CHUNK_BYTES = 1 << 20
N_SUGGESTIONS = 10
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
SELECT n.n + 1, c.concept_id, k.n + 1, 0.9 / (1 + k.n), 0.9, 'guided', 'x', c.concept_id
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
    parser.add_argument("--pages", action="store_true", help="pages and routes, without files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.keep or Path(folder)
        fill(home, options.documents, options.decisions // options.documents)
        server = Server(home, **ALLOCATOR)
        server.start()
        try:
            server.wait_for_model()
            slow = asyncio.run(measured(server, f"act-{options.documents // 2:06}"))
            large = [] if options.pages else files_sent(server)
        finally:
            server.kill()
        large += [] if options.pages else backed_up(home)
    sys.stdout.write(f"above their bounds: {', '.join([*slow, *large]) or 'none'}\n")
    return 1 if slow or large else 0


def fill(home: Path, n_documents: int, n_each: int, *, n_suggestions: int = N_SUGGESTIONS) -> None:
    """Fill a new store; one that is there stays as it is.

    Args:
        n_each: decisions on each document.
        n_suggestions: for each document; so many of the first as there are decisions are decided.
    """
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
        "suggestions": n_suggestions,
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
    """Draw every page and ask every route, and return what took too long or went wrong."""
    tab = DrawnTab(server.url, server.headers())
    wrong = []
    direct = [*steps.decision_steps(tab, document_id), *steps.route_steps(tab, document_id)]
    for step in direct:
        wrong += await _slowest(server, step)
    for step in steps.page_steps(tab, document_id):
        wrong += await _slowest(server, step)
        for sentence in tab.wrong:
            sys.stdout.write(f"  {sentence}\n")
        if step.counts:
            seconds = await until_counted(tab, MOST_COUNTING_SECONDS)
            sys.stdout.write(f"  counted in the background in {seconds:.0f} s\n")
            wrong += await _slowest(server, steps.Step(f"{step.name}, counted", tab.again))
    await tab.close()
    return wrong


async def _slowest(server: Server, step: steps.Step) -> list[str]:
    """Print what something took at most; its name where that is too long, or went wrong."""
    seconds, statuses = [], set()
    for _ in range(TIMES):
        if step.prepare is not None:
            statuses.add(await step.prepare())
        began = time.monotonic()
        statuses.add(await step.ask())
        seconds.append(time.monotonic() - began)
        if seconds[-1] > LONG_SECONDS:
            break
    sys.stdout.write(
        f"{step.name:34} {max(seconds):7.2f} s  {min(seconds):7.2f} s at best  "
        f"{megabytes(server, 'VmRSS'):7,.0f} MB  {' '.join(sorted(statuses))}\n"
    )
    sys.stdout.flush()
    return [] if max(seconds) <= MOST_SECONDS and statuses == {"200"} else [step.name]


# ---------------------------------------------------------------------- files


def files_sent(server: Server) -> list[str]:
    """Have the files of routes sent, and say which took much memory of the server."""
    large = []
    for path, query in steps.FILES.items():
        assert server.process is not None
        Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")  # type: ignore[attr-defined]
        before, began = megabytes(server, "VmRSS"), time.monotonic()
        address = urllib.request.Request(
            f"{server.url}{path[1:]}?{query}", headers=server.headers()
        )
        with urllib.request.urlopen(address, timeout=LONGEST_FILE_SECONDS) as answer:
            size = sum(map(len, iter(partial(answer.read, CHUNK_BYTES), b"")))
        more = megabytes(server, "VmHWM") - before
        large += _memory(path, size, time.monotonic() - began, more)
    return large


def backed_up(home: Path) -> list[str]:
    """Make a backup and restore it by commands; what they take more than of an empty store counts."""
    large = []
    with tempfile.TemporaryDirectory(dir=home) as folder:
        empty, restored = Path(folder, "empty"), Path(folder, "restored")
        small, whole = f"{folder}/empty.zip", f"{folder}/strata.zip"
        baseline, _ = _peak(empty, "backup", small)
        peak, seconds = _peak(home, "backup", whole)
        large += _memory("core backup", Path(whole).stat().st_size, seconds, peak - baseline)
        baseline, _ = _peak(empty, "restore", small)
        for name in ("core restore", "core restore over it"):
            peak, seconds = _peak(restored, "restore", whole)
            size = (restored / "strata.sqlite").stat().st_size
            large += _memory(name, size, seconds, peak - baseline)
    return large


def _memory(name: str, size: int, seconds: float, more: float) -> list[str]:
    sys.stdout.write(
        f"{name}: {size / 1e6:,.0f} MB in {seconds:.0f} s, {more:,.0f} MB of memory over the baseline\n"
    )
    sys.stdout.flush()
    return [name] if more > MOST_FILE_MB else []


def _peak(home: Path, *command: str) -> tuple[float, float]:
    """Run a command over a home, and return the most memory that it held, in MB, and how long it ran."""
    began, peak = time.monotonic(), 0.0
    environment = Server(home).environment
    with subprocess.Popen(
        [sys.executable, "-m", "core", *command], env=environment, stdout=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            found = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
            peak = max([peak, *found])  # grows only, so that the last look may be early
            time.sleep(0.02)
    assert process.returncode == 0, command
    return peak * 1024 / 1e6, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
