"""The codes below a category, and what the card of a code says, as the routes answer."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from core.api import concept
from core.review.store.rules import NEVER_ASSIGNED, set_rule
from core.serving.session import Session
from tests.support.clinical_fakes import client as client  # a fixture
from tests.support.clinical_fakes import shared as shared  # a fixture


def asked(client: TestClient, route: str, concept_id: str) -> dict[str, Any]:
    answer = client.get(f"/api/{route}", params={"id": concept_id})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_codes_below_a_category_come_with_what_is_between(client: TestClient) -> None:
    found = asked(client, "below", "E11")
    assert found["rows"] == ["E11.65", "E11.9"]
    assert (found["complete"], found["n_codes"]) == (True, 2)
    nodes = {one["id"]: one["assignable"] for one in found["nodes"]}
    assert nodes["E11.6"] is False
    assert nodes["E11.65"] is True


def test_too_many_codes_are_looked_for_step_by_step(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concept, "MAX_CODES", 2)
    found = asked(client, "below", "E08-E13")
    assert found["rows"] == ["E10", "E11"]
    assert (found["complete"], found["n_codes"]) == (False, 3)


def test_what_is_never_assigned_is_not_offered(shared: Session, client: TestClient) -> None:
    set_rule(
        shared.server.store(), shared.project_id(), "E11.6", NEVER_ASSIGNED, shared.person_id()
    )
    assert asked(client, "below", "E11")["rows"] == ["E11.9"]


def test_nothing_is_below_a_code_or_what_is_not_there(client: TestClient) -> None:
    assert asked(client, "below", "E11.9")["rows"] == []
    assert client.get("/api/below", params={"id": "Q00"}).status_code == 404


def test_the_card_of_a_code_has_the_instructions_of_its_category(client: TestClient) -> None:
    card = asked(client, "concept", "E11.9")
    assert card["code"] == "E11.9"
    (told,) = card["instructions"]
    assert (told["kind"], told["id"]) == ("excludes1", "E11")
    assert asked(client, "concept", "E11")["instructions"] == []
