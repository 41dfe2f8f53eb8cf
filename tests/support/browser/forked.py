"""A process that has imported what every server needs, and forks one for each test.

Importing takes three seconds of a core; a suite that starts some seventy servers notices.
`python -m tests.support.browser.forked` reads one request a line, as JSON, and answers with a process id.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner

from core.documents.language import MIN_LANGUAGE_CHARACTERS, identify_language
from core.settings import PROJECT_ROOT
from tests.support.processes import load
from tests.support.stores import empty_store

# No page: it registers its components with the server that is running.
NEEDED = (
    "alembic.command",
    "core.api",
    "core.documents.batches.batch",
    "core.export.export",
    "core.review.store.store",
    "core.suggest.similar",
    "httptools",
    "itsdangerous.url_safe",
    "pages.serving",
    "pandas",
    "PIL.Image",
    "plotly.graph_objects",
    "sklearn",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "streamlit.material_icon_names",
    "streamlit.web.bootstrap",
    "streamlit.web.server.starlette.starlette_app",
    "tests.support.clinical_fakes",
    "tests.support.fakes",
    "tests.support.files.generated",
    "uvicorn",
    "uvicorn.protocols.http.httptools_impl",
    "uvloop",
    "websockets.server",
)
NEEDED_BY_MODELS = "core.suggest.registry"


class Nursery:
    """Asks the process for servers; one for a whole run of tests."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.browser.forked"],
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.asking = threading.Lock()

    def start(self, home: Path, port: int, environment: dict[str, str], *, fake: bool) -> int:
        """A server, with the fake model or the bundle of `environment`; its process id."""
        request = {"home": str(home), "port": port, "environment": environment, "fake": fake}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with self.asking:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            return int(self.process.stdout.readline())


@cache
def nursery() -> Nursery:
    """The one of this process; it ends with it, when nobody holds its input any more."""
    return Nursery()


def main() -> None:
    load(NEEDED)
    identify_language("Long enough to load what knows languages. " * MIN_LANGUAGE_CHARACTERS)
    found = manifest_scanner.scan_component_manifests()
    # No package comes or goes during a run of tests: reading what all of them are takes long.
    manifest_scanner.scan_component_manifests = lambda *_, **__: found  # type: ignore[assignment]
    empty_store()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever is killed is gone, and no zombie
    for line in sys.stdin:
        request = json.loads(line)
        if not request["fake"]:
            load([NEEDED_BY_MODELS])
        if (child := os.fork()) == 0:
            _serve(request)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


def _serve(request: dict[str, Any]) -> None:
    """Be the server from here on."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log = os.open(Path(request["home"]) / "server.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, log), (2, log)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["fake"]:
        from tests.support.browser import fake_server

        database = Path(request["home"]) / "strata.sqlite"
        if not database.exists() and "STRATA_DATABASE_URL" not in os.environ:
            shutil.copy(empty_store(), database)

        fake_server.prepare(Path(request["home"]))
    from streamlit_app import app

    app.run(config={"server.port": request["port"]})
    os._exit(0)


if __name__ == "__main__":
    main()
