"""A store of coded encounters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.exports import NOTES
from tests.support.stores import open_store, send


@pytest.fixture
def coded_store(tmp_path: Path) -> Iterator[Store]:
    """An encounter with two accepted diagnoses and a procedure; and one more."""
    opened = open_store(tmp_path)
    project_id = default_project(opened, "icd9cm").project_id
    add_document(opened, Document("enc-1", "Cough", NOTES), project_id=project_id)
    decide_codes(
        opened,
        ("accept", "786.2", None),
        ("add", "99.15", None),
        ("accept", "991.5", None),
        ("order", "", ["991.5", "786.2"]),
        ("present", "991.5", "N"),
        ("performed", "99.15", "2026-02-03"),
    )
    other = Document.from_text("enc-2", "Later", "Chilblains.")
    add_document(opened, other, project_id=project_id, given=["991.5", "786"])
    yield opened
    opened.close()


def decide_codes(store: Store, *actions: tuple[str, str, object]) -> None:
    operations = [
        Operation(n, action, code, value=value)  # type: ignore[arg-type]
        for n, (action, code, value) in enumerate(actions, start=1)
    ]
    assert send(store, *operations, document_id="enc-1").refused == ()
