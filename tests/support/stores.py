"""Stores for tests: real SQLite files with two documents, and short ways to decide in them."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import func, select

from core.documents.document import Document
from core.review.decisions.recording import Operation, Receipt, current, record
from core.review.store.arrivals import add_document
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.review.store.tables import decision_event, person
from core.suggest.suggestions import Prediction, Suggestion
from tests.support.postgres import NewDatabase

ACT = Document.from_text("act", "Olives", "On the marketing of olives.")
CONCEPTS = [f"c{i}" for i in range(1, 7)]


@cache
def empty_store() -> Path:
    """An empty store to copy: the migrations take longer than most tests."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(_remove, folder, made_by=os.getpid())
    Store.open(f"sqlite:///{folder}/strata.sqlite").close()
    return folder / "strata.sqlite"


def acknowledged(store: Store, client_id: str) -> int:
    """Up to which sequence everything of a client is stored; 0 for nothing."""
    own = select(decision_event.c.sequence).where(decision_event.c.client_id == client_id)
    with store.read() as connection:
        stored = set(connection.scalars(own))
    return next(number for number in count(1) if number not in stored) - 1


def begin_empty(file: Path) -> None:
    """Put an empty store where a server will look for its own, unless there is one."""
    if not file.exists():
        shutil.copy(empty_store(), file)


def _remove(folder: Path, made_by: int) -> None:
    """Remove a folder at the end of the process that made it, not of those forked from it."""
    if os.getpid() == made_by:
        shutil.rmtree(folder, ignore_errors=True)


NEW_DATABASE: list[NewDatabase] = []  # where a test is on a server, what makes its databases


@pytest.fixture(params=["sqlite", "postgresql"])
def on_both(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run a test with its stores in SQLite, and again with them on PostgreSQL."""
    if request.param == "postgresql":
        NEW_DATABASE.append(request.getfixturevalue("new_postgres"))
    yield
    NEW_DATABASE.clear()


def open_store(folder: Path) -> Store:
    """An empty store in a folder, or on a server in a test of both."""
    if NEW_DATABASE:
        return Store.open(NEW_DATABASE[0]())
    shutil.copy(empty_store(), folder / "strata.sqlite")
    return Store.open(f"sqlite:///{folder}/strata.sqlite")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Of the database behind `store`."""
    return f"sqlite:///{tmp_path}/strata.sqlite"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store, closed afterwards."""
    opened = open_store(tmp_path)
    yield opened
    opened.close()


def add(store: Store, document: Document = ACT) -> str:
    """Keep a document in the default project."""
    return add_document(store, document, project_id=default_project(store).project_id)


def accept(store: Store, document_id: str, sequence: int = 1, client_id: str = "tab") -> None:
    """Accept the first concept of a document."""
    operation = Operation(sequence, "accept", "c1")
    send(store, operation, document_id=document_id, client_id=client_id)


def open_with_documents(folder: Path, *names: str) -> Store:
    """A store with a document of each name, of which no model has read any."""
    store = open_store(folder)
    fill_with_documents(store, *names)
    return store


def fill_with_documents(store: Store, *names: str) -> None:
    """Keep a document of each name."""
    default_person(store)
    project_id = default_project(store).project_id
    for name in names or ("act", "other"):
        add_document(store, Document.from_text(name, name, f"Text {name}."), project_id=project_id)


def prediction(n_suggestions: int = 3, probability: float = 0.9) -> Prediction:
    """Suggestions c1, c2 … with falling probabilities."""
    suggestions = tuple(
        Suggestion(f"c{i}", f"http://x/{i}", f"N{i}", f"label {i}", probability / i, probability, i)
        for i in range(1, n_suggestions + 1)
    )
    return Prediction(suggestions, {"top": 0.99}, 12, 12, 1, "abc123", "4.9", 0.05, {"top": 0.1})


def denying(found: Prediction, *concept_ids: str) -> Prediction:
    """The same, where the text denies some of it."""
    rows = (replace(s, denied="negated" * (s.concept_id in concept_ids)) for s in found.suggestions)
    return replace(found, suggestions=tuple(rows))


def suggesting(*concept_ids: str) -> Prediction:
    """These concepts, the most probable first."""
    suggestions = (
        Suggestion(name, f"https://example.org/{name}", None, name, 0.9 / rank, 0.9, rank)
        for rank, name in enumerate(concept_ids, start=1)
    )
    return replace(prediction(0), suggestions=tuple(suggestions))


def send(
    store: Store,
    *operations: object,
    client_id: str = "tab",
    document_id: str = "act",
    person_id: int | None = None,
    **more: object,
) -> Receipt:
    """Record operations as a tab does."""
    me = default_person(store).person_id if person_id is None else person_id
    return record(
        store,
        document_id=document_id,
        person_id=me,
        client_id=client_id,
        operations=operations,
        **more,  # type: ignore[arg-type]
    )


def states(store: Store, document_id: str = "act") -> dict[str, str]:
    """The state of every decided concept."""
    return {key: one.state for key, one in current(store, document_id).items()}


def codes(receipt: Receipt) -> list[str]:
    """Why operations were refused."""
    return [refusal.code for refusal in receipt.refused]


def n_events(store: Store) -> int:
    """How many events are stored."""
    with store.read() as connection:
        return connection.scalar(select(func.count()).select_from(decision_event)) or 0


def colleague(store: Store) -> int:
    """Another person."""
    with store.write() as connection:
        row = {"name": "colleague", "created_at": datetime.now(UTC)}
        written = person.insert().values(row).returning(person.c.person_id)
        return int(connection.execute(written).scalar_one())
