"""What may be missed or odd as the page asks for it, with the fake model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.documents.document import Document
from core.review import hints
from core.review.store.arrivals import add_document
from core.review.store.rules import NEVER_SUGGESTED, set_rule
from core.serving.session import Session

HERRING = Document.from_text("act", "Herring quota: herring", "A fishing quota, and honey, honey.")


@pytest.fixture(autouse=True)
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, list[float]]]:
    """Hints are shown for the fake vocabulary; what is changed here counts from the next write."""
    kinds = {"full texts": {"missed": [0.9, 0.1], "odd": [0.9, 0.1]}}
    monkeypatch.setattr(hints, "MEASURED", tmp_path / "measured.json")
    write(kinds)
    return kinds


def write(kinds: dict[str, dict[str, list[float]]]) -> None:
    hints.MEASURED.write_text(json.dumps({"tiny": kinds, "no model": kinds}))


@pytest.fixture
def document(shared: Session) -> str:
    """A document with suggestions: fishing quota and herring 48 %, honey 42 %."""
    shared.server.queue.limit = 5
    shared.wait_until_loaded(20)
    add_document(shared.store(), HERRING, project_id=shared.project_id())
    assert shared.submit(HERRING).finished.wait(20)
    return HERRING.document_id


def asked(client: TestClient, document_id: str) -> dict[str, Any]:
    answer = client.get("/api/hints", params={"document": document_id})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def decide(client: TestClient, *decided: tuple[str, str]) -> None:
    operations = [
        {"sequence": n, "action": action, "concept_id": concept_id}
        for n, (action, concept_id) in enumerate(decided, start=1)
    ]
    batch = {"client": "tab", "document_id": "act", "operations": operations}
    answer = client.post("/api/decisions", json={"batches": [batch], "document": "act"})
    assert answer.status_code == 200, answer.text


def test_what_is_undecided_and_what_was_not_suggested(client: TestClient, document: str) -> None:
    found = asked(client, document)
    assert found["odd"] == []
    assert set(found["missed"]) == {"101", "102", "201"}
    decide(client, ("accept", "101"), ("reject", "102"), ("add", "104"))
    assert asked(client, document) == {"missed": ["201"], "odd": ["104"]}


def test_what_a_rule_hides_is_not_missed(
    shared: Session, client: TestClient, document: str
) -> None:
    set_rule(shared.store(), shared.project_id(), "102", NEVER_SUGGESTED, shared.person_id())
    assert set(asked(client, document)["missed"]) == {"101", "201"}


def test_each_kind_is_shown_only_where_it_is_worth_it(
    client: TestClient, document: str, measured: dict[str, dict[str, list[float]]]
) -> None:
    decide(client, ("accept", "101"), ("add", "104"))
    measured["full texts"]["missed"] = [0.4, 0.1]
    write(measured)
    assert asked(client, document) == {"missed": [], "odd": ["104"]}
    measured["full texts"]["odd"] = [0.9, 2.9]
    write(measured)
    assert asked(client, document) == {"missed": [], "odd": []}


def test_a_document_that_was_not_read_yet_has_none(shared: Session, client: TestClient) -> None:
    add_document(shared.store(), HERRING, project_id=shared.project_id())
    assert asked(client, "act") == {"missed": [], "odd": []}


def test_a_document_has_to_be_named_and_there(client: TestClient) -> None:
    assert client.get("/api/hints").status_code == 400
    assert client.get("/api/hints", params={"document": "x" * 256}).status_code == 400
    assert client.get("/api/hints", params={"document": "nowhere"}).status_code == 404
