"""The table of documents, and what fills it."""

from __future__ import annotations

from core.documents.document import Document
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.browser.server import Server

TABLE = ".shelf[data-ready=true]"


TABLE_ROWS = f"{TABLE} tbody tr"


def fill_with(server: Server, *titles: str) -> None:
    """Documents in the store of a server, older first; their ids are `a0`, `a1` …"""
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    project_id = default_project(store, "tiny").project_id
    for number, title in enumerate(titles):
        document = Document.from_text(f"a{number}", title, "herring")
        add_document(store, document, project_id=project_id, batch=f"week {number % 2}")
    store.close()
