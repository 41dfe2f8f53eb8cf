"""What may be missed or odd as the page asks for it, with the fake model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.documents.document import Document
from core.review.hints import TEXTS
from core.review.store.arrivals import add_document
from core.review.store.rules import NEVER_SUGGESTED, set_rule
from core.serving.session import Session
from tests.support.measured_hints import keep_measured

pytestmark = pytest.mark.usefixtures("measured_hints")


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


def test_what_is_undecided_and_what_was_not_suggested(client: TestClient, hinted_act: str) -> None:
    found = asked(client, hinted_act)
    assert found["odd"] == []
    assert set(found["missed"]) == {"101", "102", "201"}
    decide(client, ("accept", "101"), ("reject", "102"), ("add", "104"))
    assert asked(client, hinted_act) == {"missed": ["201"], "odd": ["104"]}


def test_what_a_rule_hides_is_not_missed(
    shared: Session, client: TestClient, hinted_act: str
) -> None:
    set_rule(shared.server.store(), shared.project_id(), "102", NEVER_SUGGESTED, shared.person_id())
    assert set(asked(client, hinted_act)["missed"]) == {"101", "201"}


def test_each_kind_is_shown_only_where_it_is_worth_it(
    client: TestClient, hinted_act: str, measured_hints: Path
) -> None:
    decide(client, ("accept", "101"), ("add", "104"))
    keep_measured(measured_hints, {TEXTS: {"missed": [0.4, 0.1], "odd": [0.9, 0.1]}})
    assert asked(client, hinted_act) == {"missed": [], "odd": ["104"]}
    keep_measured(measured_hints, {TEXTS: {"missed": [0.9, 2.9], "odd": [0.4, 0.1]}})
    assert asked(client, hinted_act) == {"missed": [], "odd": []}


def test_a_document_that_was_not_read_yet_has_none(shared: Session, client: TestClient) -> None:
    unread = Document.from_text("act", "On herring", "Herring.")
    add_document(shared.server.store(), unread, project_id=shared.project_id())
    assert asked(client, "act") == {"missed": [], "odd": []}


def test_a_document_has_to_be_named_and_there(client: TestClient) -> None:
    assert client.get("/api/hints").status_code == 400
    assert client.get("/api/hints", params={"document": "x" * 256}).status_code == 400
    assert client.get("/api/hints", params={"document": "nowhere"}).status_code == 404
