"""`/v1` beside Annif's own server, on the same acts in the same run: `python -m tests.bench.rest`.

Both servers are started as their documentation says, Strata on the shipped EuroVoc bundle, Annif on
a project that is trained here on the same corpus with one of its backends. One act at a time is sent
to one and then to the other, so that what else the machine does meets both; then several clients
send them at once, and batches of 32. It measures speed alone: the two do not compute the same.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from core.serving.setup import own_vocabulary
from core.settings import PROJECT_ROOT
from tests.support.browser.server import Server

DATA = PROJECT_ROOT.parent / "shared" / "data" / "eurlex"
BUNDLE = PROJECT_ROOT / "assets" / "models" / "eurovoc"
BACKENDS = {
    "tfidf": "backend=tfidf\nanalyzer=snowball(english)\nlimit=100\n",
    "omikuji": "backend=omikuji\nanalyzer=snowball(english)\nlimit=100\n",
}
CLIENTS, BATCH = 4, 32
START_SECONDS = 300
PROJECT = "eurovoc"


def main() -> int:
    """Print a table of latency and throughput."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rest", description=__doc__)
    parser.add_argument("--annif", type=Path, required=True, help="an environment with Annif")
    parser.add_argument("--backend", choices=BACKENDS, default="tfidf")
    parser.add_argument("--acts", type=Path, default=DATA / "dev.jsonl.gz")
    parser.add_argument("--corpus", type=Path, default=DATA / "train.jsonl.gz")
    parser.add_argument("--number", type=int, default=64, help="of acts of each kind")
    parser.add_argument("--kept", type=Path, help="a folder for Annif's project, trained once")
    options = parser.parse_args()
    with ExitStack() as opened:
        home = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        folder = options.kept or home / "annif"
        if not (folder / "projects.cfg").exists():
            prepare_annif(options.annif, folder, options.backend, options.corpus)
        annif = opened.enter_context(annif_server(options.annif, folder))
        strata = opened.enter_context(strata_server(home / "strata"))
        servers = {"Strata": f"{strata}v1/projects/1", "Annif": f"{annif}v1/projects/{PROJECT}"}
        sys.stdout.write(f"Annif with {options.backend}; {options.number} acts of each kind\n\n")
        sys.stdout.write(f"| | {' | '.join(servers)} |\n| --- | --- | --- |\n")
        for kind, wanted in (("titles", is_title), ("full texts", is_full)):
            texts = list(islice(read_texts(options.acts, wanted), options.number))
            for row in measured(kind, texts, list(servers.values())):
                sys.stdout.write(f"| {' | '.join(row)} |\n")
                sys.stdout.flush()
    return 0


# ---------------------------------------------------------------------- acts


def is_title(act: dict[str, str]) -> bool:
    """Whether only the title of an act is known."""
    return not act["text"] and bool(act["title"])


def is_full(act: dict[str, str]) -> bool:
    """Whether the text of an act is known."""
    return bool(act["text"])


def read_texts(path: Path, wanted: Callable[[dict[str, str]], bool]) -> Iterator[str]:
    """Title and text of the acts of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            act = json.loads(line)
            if wanted(act):
                yield f"{act['title']}\n\n{act['text']}".strip()


# ---------------------------------------------------------------------- servers


def prepare_annif(environment: Path, folder: Path, backend: str, corpus: Path) -> None:
    """Load the vocabulary and train a project."""
    folder.mkdir(parents=True, exist_ok=True)
    hierarchy = own_vocabulary(BUNDLE)
    rows = (f"<{hierarchy[i].uri}>\t{hierarchy[i].label('en')}" for i in hierarchy)
    (folder / "vocabulary.tsv").write_text("\n".join(rows), "utf-8")
    (folder / "projects.cfg").write_text(
        f"[{PROJECT}]\nname=EuroVoc\nlanguage=en\nvocab=eurovoc\n{BACKENDS[backend]}", "utf-8"
    )
    with (
        gzip.open(corpus, "rt", encoding="utf-8") as lines,
        (folder / "corpus.tsv").open("w", encoding="utf-8") as table,
    ):
        for act in map(json.loads, lines):
            text = " ".join(f"{act['title']} {act['text']}".split())
            known = [i for i in map(str, act["eurovoc_concepts"]) if i in hierarchy]
            if text and known:
                table.write(f"{text}\t{' '.join(f'<{hierarchy[i].uri}>' for i in known)}\n")
    for arguments in (
        ("load-vocab", "--language", "en", "eurovoc", "vocabulary.tsv"),
        ("train", "--jobs", "1", PROJECT, "corpus.tsv"),
    ):
        subprocess.run([environment / "bin" / "annif", *arguments], cwd=folder, check=True)


@contextmanager
def annif_server(environment: Path, folder: Path) -> Iterator[str]:
    """Annif's server, as its documentation starts it, in one process."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [environment / "bin" / "uvicorn", "annif:create_app", "--factory"]
    with (folder / "annif.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port), "--log-level", "warning"],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/v1/projects")
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def strata_server(home: Path) -> Iterator[str]:
    """Strata on the shipped bundle, as `make run` starts it."""
    server = Server(home, STRATA_REST="1", STRATA_REST_PER_MINUTE="1000000")
    server.start()
    try:
        server.wait_for_model()
        yield server.url
    finally:
        server.kill()


def wait_for(address: str) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=10):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < deadline, address
            time.sleep(0.2)


# ---------------------------------------------------------------------- measuring


def measured(kind: str, texts: Sequence[str], servers: Sequence[str]) -> Iterator[list[str]]:
    """Yield rows of the table for acts of one kind."""
    for server in servers:  # what is done only once
        suggest(server, texts[0])
        suggest_batch(server, texts[:2])
    seconds: list[list[float]] = [[] for _ in servers]
    for text in texts:
        for server, own in zip(servers, seconds, strict=True):
            began = time.perf_counter()
            suggest(server, text)
            own.append(time.perf_counter() - began)
    for name, share in (("half within", 50), ("95 % within", 95)):
        cells = [f"{1000 * np.percentile(own, share):.0f} ms" for own in seconds]
        yield [f"{kind}, one at a time, {name}", *cells]
    rates = [f"{len(texts) / many(server, texts):.1f}" for server in servers]
    yield [f"{kind}, {CLIENTS} clients, documents a second", *rates]
    batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    rates = []
    for server in servers:
        began = time.perf_counter()
        for batch in batches:
            suggest_batch(server, batch)
        rates.append(f"{len(texts) / (time.perf_counter() - began):.1f}")
    yield [f"{kind}, batches of {BATCH}, documents a second", *rates]


def many(server: str, texts: Sequence[str]) -> float:
    """The seconds in which several clients have all texts answered."""
    began = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as threads:
        list(threads.map(lambda text: suggest(server, text), texts))
    return time.perf_counter() - began


def suggest(server: str, text: str) -> None:
    """Ask for the suggestions of one text."""
    asked = urllib.request.Request(f"{server}/suggest", urlencode({"text": text}).encode())
    with urllib.request.urlopen(asked, timeout=300) as answer:
        assert json.load(answer)["results"] is not None


def suggest_batch(server: str, texts: Sequence[str]) -> None:
    """Ask for those of several."""
    body = json.dumps({"documents": [{"text": text} for text in texts]}).encode()
    sent = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{server}/suggest-batch", body, sent)
    with urllib.request.urlopen(asked, timeout=600) as answer:
        assert len(json.load(answer)) == len(texts)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    sys.exit(main())
