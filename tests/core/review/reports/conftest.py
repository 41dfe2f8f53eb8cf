"""A store in which concepts were used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.documents import remove_document
from core.review.store.predictions import save_prediction
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.stores import add, open_with_documents, send, suggesting


@pytest.fixture
def used_store(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path, "one", "two", "three", "removed")
    for number, (name, action) in enumerate(
        [("one", "accept"), ("two", "reject"), ("three", "add"), ("removed", "accept")], start=1
    ):
        send(opened, Operation(number, action, "c1"), document_id=name)
    send(opened, Operation(5, "exclude", "c2"), document_id="one")
    send(opened, Operation(6, "accept", "c3"), document_id="one")
    send(opened, Operation(7, "clear", "c3"), document_id="one")
    remove_document(opened, "removed")
    elsewhere = default_project(opened, "another").project_id
    add_document(opened, Document.from_text("elsewhere", "x", "y"), project_id=elsewhere)
    send(opened, Operation(8, "accept", "c1"), document_id="elsewhere")
    yield opened
    opened.close()


@pytest.fixture
def project(store: Store) -> int:
    for name in ("a", "b", "c", "d"):  # d is the newest
        add(store, Document.from_text(name, f"On {name} 100% Wool", f"text {name}"))
    return default_project(store).project_id


@pytest.fixture
def project_id(store: Store) -> int:
    """A project without documents."""
    return default_project(store, "tiny").project_id


@pytest.fixture(scope="session")
def sea() -> Hierarchy:
    """Sea > fish > cod; land > wheat."""
    broader = {"sea": (), "fish": ("sea",), "cod": ("fish",), "land": (), "wheat": ("land",)}
    return Hierarchy(
        [
            Concept(name, f"https://example.org/{name}", None, {"en": name}, {}, above)
            for name, above in broader.items()
        ],
        vocabulary_id="sea",
        version="1",
    )


@pytest.fixture
def read(store: Store, project: int) -> Store:
    """Cod in a, c and d, third in c; wheat in b; the newest of the project first: d, c, b, a."""
    assert project
    for name, those in {"a": "cod", "b": "wheat", "c": "wheat land cod", "d": "cod"}.items():
        save_prediction(store, name, suggesting(*those.split()), settings={})
    return store
