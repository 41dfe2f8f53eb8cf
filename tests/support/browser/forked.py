"""Servers that are forked from the process of `tests.support.processes`.

Importing takes five seconds of a core; a suite that starts some seventy servers notices.
"""

from __future__ import annotations

import inspect
import os
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from core.documents.language import MIN_LANGUAGE_CHARACTERS, identify_language
from tests.support.component_manifests import read_manifests_once
from tests.support.processes import answer, load
from tests.support.stores import empty_store

# No page: it registers its components with the server that is running.
NEEDED = (
    "alembic.command",
    "core.api",
    "core.clinical.suggester",
    "core.documents.batches.batch",
    "core.documents.fetching.reading",
    "core.export.export",
    "core.review.keys",
    "core.review.store.store",
    "core.serving.importing",
    "core.suggest.similar",
    "httptools",
    "itsdangerous.url_safe",
    "pages.serving",
    "pandas",
    "PIL.Image",
    "plotly.graph_objects",
    "sklearn.feature_extraction.text",
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
NEEDED_BY_MODELS = ("core.suggest.registry",)


def prepare(request: dict[str, Any]) -> None:
    """Import what the server needs that is asked for."""
    _prepare_all()
    if not request["fake"]:
        load(NEEDED_BY_MODELS)


@cache
def _prepare_all() -> None:
    load(NEEDED)
    identify_language("Long enough to load what knows languages. " * MIN_LANGUAGE_CHARACTERS)
    read_manifests_once()
    empty_store()
    # Streamlit asks at its first element whether it is in a REPL; the answer looks at all modules.
    inspect.stack()


def run(request: dict[str, Any], asking: TextIO) -> None:
    """Answer with the id of this process, and be the server from here on."""
    from core.serving.registry import Registry
    from tests.support.fakes import load_nothing_ahead

    answer(asking, os.getpid())
    log = os.open(Path(request["home"]) / "server.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, log), (2, log)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(request["environment"])
    load_nothing_ahead(Registry)
    if request["fake"]:
        from tests.support.browser import fake_server

        fake_server.prepare(Path(request["home"]))
    else:
        from tests.support.models import forked_worker

        forked_worker.install()
    from streamlit_app import app

    app.run(config={"server.port": request["port"]})
    os._exit(0)
