"""A real server under many sessions: `nice python -m tests.bench.load --sessions 50 --seconds 600`.

With `--people 20`, the sessions are those of so many people with roles, each signed in.

A server is started as `make run` starts it, on the shipped bundle. Each session is a tab that has a
document open: it decides, searches, asks for evidence and opens other documents, and thinks for a
second in between (`--thinking`: for so many; forty acts of 25 decisions in seven hours are one in 25).
Answers are counted by kind, the server's `/proc` says every ten seconds what it
holds, and in the end the ledger is compared with what was answered.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from core.documents.document import Document
from core.paths import PROJECT_ROOT
from core.review.jobs import running_jobs, start_job
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.bench.load_people import BenchPerson, Key, add_people, compare
from tests.bench.memory import megabytes, processes
from tests.bench.tab import Tab
from tests.support.browser.server import Server

MIX = {"decide": 80, "search": 10, "evidence": 5, "open": 5}
ARRIVING_SECONDS = 60  # within which all have opened their first document
THINKING_SHARES = (0.5, 1.5)  # of the mean
MOST_DECIDE_MS = {50: 200, 200: 600}  # p95, by number of sessions at most
MOST_GROWTH = 0.05
FLAT_AFTER_SECONDS = 60
EVERY_SECONDS = 10
N_DOCUMENTS = 120
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

    def __init__(
        self,
        server: Server,
        document_ids: Sequence[str],
        people: Sequence[BenchPerson] = (),
        thinking: float = 1.0,
    ) -> None:
        self.server = server
        self.thinking = tuple(share * thinking for share in THINKING_SHARES)
        self.document_ids = document_ids
        self.people = people
        self.settled: dict[Key, int | None] = {}
        self.is_over = asyncio.Event()
        self.statuses: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)

    async def run(self, number: int) -> None:
        """Be one session until the load is over."""
        person = self.people[number % len(self.people)] if self.people else None
        session = Session(self, number, person)
        await self._is_over_after(session.choice.uniform(0, ARRIVING_SECONDS))
        while not await self._is_over_after(session.choice.uniform(*self.thinking)):
            kind = session.next_kind()
            began = time.monotonic()
            status = await session.do(kind)
            self.seconds[kind].append(time.monotonic() - began)
            self.statuses[kind][status] += 1
        await session.tab.close()

    async def _is_over_after(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self.is_over.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def errors(self) -> int:
        """Count what was not answered as it should be."""
        return sum(n for found in self.statuses.values() for s, n in found.items() if s != "200")

    def p95_ms(self, kind: str) -> float:
        """Return within how many milliseconds 95 of 100 requests of a kind were answered."""
        return float(1000 * np.percentile(self.seconds[kind], 95))


class Session:
    """A person at a tab; everything that it does is the same in every run of the bench."""

    def __init__(self, load: Load, number: int, person: BenchPerson | None = None) -> None:
        self.number, self.person, self.settled = number, person, load.settled
        self.choice = random.Random(number)
        self.document_ids = load.document_ids
        headers = load.server.headers()
        if person is not None:
            headers |= person.headers
        self.tab = Tab(load.server.url, headers)
        self.opened = ""
        self.sequence = 0
        self.version = -1

    def next_kind(self) -> str:
        """Return what the person does next: first of all, to open a document."""
        return self.choice.choices(list(MIX), MIX.values())[0] if self.opened else "open"

    async def do(self, kind: str) -> str:
        """Do something, and return the status of the answer."""
        match kind:
            case "decide":
                return await self._decide()
            case "evidence":
                asked = {"document": self.opened, "concept": self.choice.choice(CONCEPTS)}
                path = f"api/evidence?{urlencode(asked | {'tab': self.number})}"
                return (await self.tab.ask(path))[0]
            case "search":
                query = urlencode({"q": self.choice.choice(QUERIES)})
                return (await self.tab.ask(f"api/search?{query}"))[0]
        self.opened, self.version = self.choice.choice(self.document_ids), -1
        return await self.tab.run_page(urlencode({"document": self.opened}))

    async def _decide(self) -> str:
        self.sequence += 1
        operation = {
            "sequence": self.sequence,
            "action": self.choice.choice(("accept", "reject")),
            "concept_id": self.choice.choice(CONCEPTS),
        }
        client = f"session{self.number:04}{self.opened}"
        batch = {"client": client, "document_id": self.opened, "operations": [operation]}
        message = {"document": self.opened, "after": self.version, "batches": [batch]}
        drawn_for = f"?person={self.person.person_id}" if self.person else ""
        status, answer = await self.tab.ask(f"api/decisions{drawn_for}", message)
        receipt = answer.get("receipts", {}).get(client, {})
        refused = [refusal["sequence"] for refusal in receipt.get("refused", [])]
        stored = [number for number in receipt.get("settled", []) if number not in refused]
        self.version = answer.get("version", self.version)
        for sequence in stored:
            self.settled[client, sequence] = self.person.person_id if self.person else None
        if self.person is not None and not self.person.decides:
            return "stored for a reader" if stored else status
        return status if status != "200" or stored == [self.sequence] else "not stored"


def main() -> int:
    """Print times and memory; 1 where one of them is above its bound."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--people", type=int, default=0)
    parser.add_argument("--thinking", type=float, default=1.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store_url = f"sqlite:///{folder}/strata.sqlite"
        document_ids = prepare(store_url)
        server = Server(Path(folder), **ALLOCATOR)
        server.start()
        try:
            server.wait_for_model()
            wait_until_read(store_url)
            people = prepare_people(store_url, Path(folder), options.people)
            load = Load(server, document_ids, people, options.thinking)
            held = asyncio.run(measured(load, options.sessions, options.seconds))
            with closing(Store.open(store_url)) as store:
                wrong = compare(store, load.settled)
        except (OSError, RuntimeError):
            sys.stderr.write((Path(folder) / "server.log").read_text()[-10_000:])
            raise
        finally:
            server.kill()
    sys.stdout.write(
        f"{len(load.settled):,} decisions stored; wrong in the ledger: {dict(wrong)}\n"
    )
    return verdict(load, held, options.sessions) or int(bool(wrong))


def prepare(url: str) -> list[str]:
    """Store documents of one line up to forty kilobytes, to be read at the start."""
    acts = [
        path.read_text("utf-8") for path in sorted((PROJECT_ROOT / "assets/examples").glob("*.txt"))
    ]
    with closing(Store.open(url)) as store:
        project_id = default_project(store, "eurovoc").project_id
        found = []
        for number in range(N_DOCUMENTS):
            text = (acts[number % len(acts)] * 20)[: int(200 * 1.045**number)]
            document = Document.from_text(f"act-{number}", f"Act {number}", text)
            found.append(add_document(store, document, project_id=project_id))
        start_job(store, found, project_id=project_id)
        return found


def prepare_people(url: str, home: Path, number: int) -> list[BenchPerson]:
    """Have so many people sign in; none: nobody does."""
    with closing(Store.open(url)) as store:
        project_id = default_project(store, "eurovoc").project_id
        return add_people(store, project_id, home, number) if number else []


def wait_until_read(url: str) -> None:
    """Wait until the model has read every document."""
    with closing(Store.open(url)) as store:
        project_id = default_project(store, "eurovoc").project_id
        while running_jobs(store, project_id):
            time.sleep(0.5)


async def measured(load: Load, n_sessions: int, seconds: int) -> list[float]:
    """Return what the server held, at the start and every ten seconds."""
    gc.disable()  # a pause of this process would count as one of the server
    sessions = [asyncio.create_task(load.run(number)) for number in range(n_sessions)]
    held = [megabytes(load.server, "VmRSS")]
    before, decided = used_seconds(load.server), 0
    for second in range(EVERY_SECONDS, seconds + 1, EVERY_SECONDS):
        await asyncio.sleep(EVERY_SECONDS)
        held.append(megabytes(load.server, "VmRSS"))
        decisions = load.seconds["decide"][decided:]
        decided += len(decisions)
        p95 = 1000 * np.percentile(decisions, 95) if decisions else np.nan
        sys.stdout.write(f"{second:4} s  {held[-1]:7,.0f} MB  decisions p95 {p95:5,.0f} ms\n")
        sys.stdout.flush()
    spent = (after - b for b, after in zip(before, used_seconds(load.server), strict=True))
    server, here, everybody = (used / seconds for used in spent)
    sys.stdout.write(
        f"processors: {server:.2f} by the server, {here:.2f} here, "
        f"{everybody - server - here:.2f} by others\n"
    )
    load.is_over.set()
    await asyncio.gather(*sessions)
    return held


def used_seconds(server: Server) -> tuple[float, float, float]:
    """Return the time on the processors: of a server's processes, of this one, and of all."""
    stats = [Path(f"/proc/{pid}/stat").read_text() for pid in processes(server)]
    served = sum(int(ticks) for stat in stats for ticks in stat.rpartition(")")[2].split()[11:13])
    everything = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    idle, waiting = everything[3:5]
    ticks = sum(map(int, everything[:8])) - int(idle) - int(waiting)
    second = os.sysconf("SC_CLK_TCK")
    return served / second, time.process_time(), ticks / second


def verdict(load: Load, held: Sequence[float], n_sessions: int) -> int:
    """Print what was found by kind, and return 1 where something is above its bound."""
    for kind in MIX:
        p50, p95, most = 1000 * np.percentile(load.seconds[kind], [50, 95, 100])
        sys.stdout.write(
            f"{kind:9} {len(load.seconds[kind]):7,}  p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  "
            f"max {most:6.0f} ms  {dict(load.statuses[kind])}\n"
        )
    # The mean of a minute: what one explanation takes for a moment is no growth.
    first = FLAT_AFTER_SECONDS // EVERY_SECONDS
    after = held[min(first, len(held) - 1) :]
    growth = float(np.mean(after[-first:]) / np.mean(after[:first])) - 1
    bound = next((ms for most, ms in MOST_DECIDE_MS.items() if n_sessions <= most), None)
    sys.stdout.write(
        f"errors {load.errors()} (bound 0); decisions p95 {load.p95_ms('decide'):.0f} ms "
        f"(bound {bound} ms); growth after a minute {growth:.1%} (bound {MOST_GROWTH:.0%})\n"
    )
    is_slow = bound is not None and load.p95_ms("decide") > bound
    return 1 if load.errors() or is_slow or growth > MOST_GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
