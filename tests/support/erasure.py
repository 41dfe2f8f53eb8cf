"""A document whose words are nowhere else, and the look for them in the files of a database."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from core.clinical.stay import Identifier, Stay
from core.documents.document import Document, Part
from core.review.annotations.access import document_access
from core.review.decisions.recording import Operation
from core.review.jobs import start_job
from core.review.people.assignments import assign
from core.review.store.arrivals import Arrival, add_documents
from core.review.store.documents import set_comment, set_stay
from core.review.store.predictions import save_prediction
from core.review.store.proposed_terms import propose_term
from core.review.store.store import Store
from tests.support.stores import prediction, send

ID = "Quillwort-17"
WORDS = [f"quillwort{letter}" for letter in "abcdefghijklm"]


def is_erased(store: Store, document_id: str) -> bool:
    access = document_access(store, document_id)
    return access is not None and access.is_erased


def raw(store: Store, home: Path) -> bytes:
    """All bytes that the database keeps in files, but the write-ahead log of a server."""
    folder = home
    if store.engine.dialect.name == "postgresql":
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("CHECKPOINT")
        folder = Path(str(store.engine.url.query["host"])) / "data" / "base"
    files: Iterable[Path] = (path for path in folder.rglob("*") if path.is_file())
    return b"".join(path.read_bytes() for path in files).lower()


def found(store: Store, home: Path, words: Iterable[str]) -> list[str]:
    kept = raw(store, home)
    return [word for word in words if word.lower().encode() in kept]


def analyze(store: Store) -> None:
    """Have the planner of a server take its samples, as it does by itself at any time."""
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")


def tell(store: Store) -> Store:
    """Add a finished document of which every place that holds words holds some of its own."""
    a, b, c, d, e, f, g, h, i, j, k, long, _ = WORDS
    parts = (Part(f"Olives and {long}. " * 400, b, None, c), Part(f"More of {a} and {d}."))
    stay = Stay(date(2026, 5, 1), patient=Identifier(e, f), encounter=Identifier(g))
    arrival = Arrival(Document(ID, f"On {h}", parts, stay))
    add_documents(store, [arrival], project_id=1, batch=f"{i}.zip")
    set_comment(store, ID, f"first {j}")
    set_comment(store, ID, "second")
    set_stay(store, ID, stay, former=stay)
    propose_term(store, ID, f"term {k}", "", 1)
    start_job(store, [ID], project_id=1)
    save_prediction(store, ID, prediction(3), settings={})
    steps = [Operation(1, "accept", "c1"), Operation(2, "reject", "c2")]
    send(store, *steps, Operation(3, "finish", "", shown=3), document_id=ID)
    assign(store, [ID], [1], assigned_by=1)
    return store
