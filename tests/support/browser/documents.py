"""The table of documents, and what fills it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from core.documents.document import Document
from core.review.decisions.recording import Operation, record
from core.review.store.arrivals import add_document
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.store import Store
from pages.adding.start import examples
from tests.support.browser.server import Server

TABLE = ".shelf[data-ready=true]"


TABLE_ROWS = f"{TABLE} tbody tr"


def fill_with(server: Server, *titles: str) -> None:
    """Documents in the store of a server, older first; their ids are `a0`, `a1` …"""
    documents = [Document.from_text(f"a{n}", title, "herring") for n, title in enumerate(titles)]
    keep(server, *documents, batches=[f"week {n % 2}" for n in range(len(documents))])


def keep(
    server: Server,
    *documents: Document,
    vocabulary: str = "tiny",
    batches: Sequence[str] = (),
) -> None:
    """Documents in the store of a server, in the project that a vocabulary has by itself."""
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    project_id = default_project(store, vocabulary).project_id
    for document, batch in zip_longest(documents, batches):
        add_document(store, document, project_id=project_id, batch=batch)
    store.close()


def keep_indexed(server: Server, title: str, text: str, *concept_ids: str) -> None:
    """A finished document with these accepted concepts in the store of a server."""
    keep(server, Document.from_text(title, title, text))
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    actions = [*(("add", concept_id) for concept_id in concept_ids), ("finish", "")]
    record(
        store,
        document_id=title,
        person_id=default_person(store).person_id,
        client_id=f"indexed-{title}"[:60],
        operations=[Operation(n, *one) for n, one in enumerate(actions, start=1)],
    )
    store.close()


def keep_example(server: Server, name: str) -> str:
    """An example in the store of a server, as if somebody had opened it; its address."""
    document_id = f"example-{name}"
    clinical = "STRATA_FAKE_VOCABULARY" in server.environment
    found = {example.document_id: example for example in examples(clinical=clinical)}
    vocabulary = server.environment.get("STRATA_FAKE_VOCABULARY", "tiny")
    keep(server, found[document_id].document(), vocabulary=vocabulary)
    return f"?document={document_id}"
