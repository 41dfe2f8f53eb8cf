"""Memory of a real server with EuroVoc open, and then ICD-10-CM as well: `make bench-memory`.

A server is started as `make run` starts it, on the shipped bundles; in a project of each, a document
is read, explained and searched, and then `/proc` says what it and the processes that it has started
hold and held at most.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from core.clinical.notation import ICD10CM
from core.documents.document import Document
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project, make_project
from core.review.store.store import Store
from core.vocabulary.versions.keeping import keep_built_in
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.browser.server import Server

MOST_MEGABYTES = (1_600, 1_800)  # with one project open, and with two
ACT = Document.from_text("act", "Fishing quotas", "The fishing quota for herring and sole. " * 200)
NOTE = Document.from_text("note", "Visit", "Lobar pneumonia, hypertension, no fever. " * 200)
ASKED = (
    (ACT, "2282", ("fishing", "agriculutre")),
    (NOTE, "J18.1", ("pneumonia", "hypertnsion")),
)


def main() -> int:
    """Print what the server holds after each project; 1 where that is more than its bound."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.memory", description=__doc__)
    parser.add_argument("--home", type=Path, default=None, help="a folder where ICD-10-CM is kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        server = Server(home, STRATA_DATABASE_URL=f"sqlite:///{folder}/strata.sqlite")
        projects = prepare(home, f"sqlite:///{folder}/strata.sqlite")
        server.start()
        try:
            peaks = [measured(server, *asking) for asking in zip(projects, ASKED, strict=True)]
        finally:
            server.kill()
    return int(any(peak >= most for peak, most in zip(peaks, MOST_MEGABYTES, strict=True)))


def prepare(home: Path, url: str) -> list[int]:
    """Keep the vocabulary and the documents; return the two projects."""
    keep_built_in(VocabularyVersions(home), ICD10CM)
    store = Store.open(url)
    acts, codes = default_project(store, "eurovoc"), make_project(store, "Codes", ICD10CM)
    for project, document in ((acts, ACT), (codes, NOTE)):
        add_document(store, document, project_id=project.project_id)
    store.close()
    return [acts.project_id, codes.project_id]


def measured(server: Server, project: int, asking: tuple[Document, str, tuple[str, ...]]) -> float:
    """Read, explain and search in a project; return what was held at most until then, in MB."""
    document, concept, queries = asking
    for query in queries:
        hits = asked(server, "search", project=project, q=query)["hits"]
        assert hits, query
    asked(server, "narrower", project=project)
    answer = asked(
        server, "evidence", project=project, document=document.document_id, concept=concept
    )
    assert answer["concepts"], concept
    health = asked(server, "health", project=project)
    assert health["state"] == "ready"
    held, peak = (megabytes(server, name) for name in ("VmRSS", "VmHWM"))
    sys.stdout.write(
        f"project {project}, {health['model']}: {held:,.0f} MB held, at most {peak:,.0f} MB\n"
    )
    return peak


def asked(server: Server, route: str, **query: object) -> dict[str, object]:
    """Return the answer of a route, asked again while the model is being loaded."""
    address = f"{server.url}api/{route}?{urlencode(query)}"
    while True:
        try:
            with urllib.request.urlopen(address, timeout=300) as got:
                answer: dict[str, object] = json.load(got)
            return answer
        except urllib.error.HTTPError as error:
            if error.code != 503 or "Retry-After" not in error.headers:
                raise
            time.sleep(float(error.headers["Retry-After"]))


def megabytes(server: Server, name: str) -> float:
    """Return a figure of the server and the processes it has started, in MB of 1,000,000 bytes."""
    return sum(_kilobytes(pid, name) for pid in processes(server)) * 1024 / 1e6


def processes(server: Server) -> list[int]:
    """Return the ids of the server's process and of those it has started."""
    assert server.process is not None
    pid: int = server.process.pid  # type: ignore[attr-defined]
    children = (path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [pid, *(int(child) for found in children for child in found)]


def _kilobytes(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)


if __name__ == "__main__":
    sys.exit(main())
