"""Routes take the project from the request: that project's vocabulary, rules and documents alone."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from core.api.answers import OTHER_PROJECT
from core.review.decisions.recording import current
from core.review.store.people import set_preference
from core.review.store.projects import make_project
from core.review.store.rules import NEVER_ASSIGNED, set_rule
from core.serving.caller import LAST_PROJECT
from core.serving.session import Session
from tests.core.api.conftest import PROJECT_ACT, PROJECT_NOTE


def asked(client: TestClient, route: str, **query: object) -> dict[str, Any]:
    answer = client.get(f"/api/{route}", params=query)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def hits(client: TestClient, query: str, **more: object) -> list[str]:
    return [hit["concept_id"] for hit in asked(client, "search", q=query, **more)["hits"]]


def test_each_project_searches_its_own_vocabulary(
    projects_client: TestClient, ward: Session
) -> None:
    here = {"project": ward.project_id()}
    assert hits(projects_client, "herr") == hits(projects_client, "herr", project=1) == ["102"]
    assert hits(projects_client, "herr", **here) == []
    assert "J18.1" in hits(projects_client, "lobar", **here)
    assert asked(projects_client, "concept", id="J18.1", **here)["code"] == "J18.1"
    assert projects_client.get("/api/concept", params={"id": "J18.1"}).status_code == 404
    assert asked(projects_client, "narrower", **here)["concepts"][0]["id"] == "4"
    assert asked(projects_client, "below", id="E11", **here)["n_codes"] == 2
    assert asked(projects_client, "outline", id="J18.1", **here)["nodes"]


def test_the_rules_are_those_of_the_project(projects_client: TestClient, ward: Session) -> None:
    set_rule(ward.server.store(), ward.project_id(), "E11.6", NEVER_ASSIGNED, ward.person_id())
    assert asked(projects_client, "below", id="E11", project=ward.project_id())["rows"] == ["E11.9"]


def test_without_a_project_the_one_that_was_opened_last_answers(
    projects_client: TestClient, acts: Session, ward: Session
) -> None:
    set_preference(acts.server.store(), acts.person_id(), LAST_PROJECT, ward.project_id())
    assert hits(projects_client, "herr") == []
    assert hits(projects_client, "herr", project=1) == ["102"]


@pytest.mark.parametrize("route", ["check", "evidence", "decisions", "search"])
def test_a_document_of_another_project_is_refused_with_a_sentence(
    projects_client: TestClient, ward: Session, route: str
) -> None:
    query = {"document": "act", "project": ward.project_id(), "concept": "102", "q": "x"}
    answer = projects_client.get(f"/api/{route}", params=query)
    assert answer.status_code == 409
    assert "another" in answer.json()["problem"].lower()


def test_another_project_of_the_same_vocabulary_is_another_project(
    projects_client: TestClient, acts: Session
) -> None:
    second = make_project(acts.server.store(), "Second", "tiny")
    query = {"document": "act", "project": second.project_id}
    answer = projects_client.get("/api/check", params=query)
    assert (answer.status_code, answer.json()["problem"]) == (409, OTHER_PROJECT)
    assert asked(projects_client, "check", document="act") == {"findings": [], "nodes": []}


@pytest.mark.parametrize("project", ["999", "x", "", "1 OR 1", "-1"])
def test_an_unknown_project_is_not_found(projects_client: TestClient, project: str) -> None:
    for route in ("health", "search", "narrower", "decisions?document=act"):
        query = {"project": project} if "?" not in route else None
        path = f"/api/{route}" + (f"&project={project}" if query is None else "")
        answer = projects_client.get(path, params=query)
        assert answer.status_code == 404, (route, answer.text)
        assert "no such project" in answer.json()["problem"]


def test_each_project_has_a_model_and_a_health_of_its_own(
    projects_client: TestClient, acts: Session, ward: Session
) -> None:
    for session, document in ((acts, PROJECT_ACT), (ward, PROJECT_NOTE)):
        assert session.server.queue.submit(document, session.project_id()).finished.wait(30)
    first, second = (asked(projects_client, "health", project=s.project_id()) for s in (acts, ward))
    assert (first["model"], first["state"], second["state"]) == ("fake", "ready", "ready")
    assert first["bundle_hash"] != second["bundle_hash"]
    assert first["server"] != second["server"]
    named = {"project": ward.project_id()}
    found = asked(projects_client, "evidence", document="note", concept="J18.1", **named)[
        "concepts"
    ]
    assert found["J18.1"]["passages"][0]["is_name"] is True
    unnamed = asked(projects_client, "evidence", document="note", concept="J18.1")["concepts"]
    assert unnamed == found  # of the document's own project


def send(client: TestClient, project: int | None, *documents: tuple[str, str]) -> dict[str, Any]:
    """Accept a concept on each document, as a page of a project does, in one message."""
    batches = [
        {
            "client": f"tab-{document}",
            "document_id": document,
            "operations": [{"sequence": 1, "action": "accept", "concept_id": concept}],
        }
        for document, concept in documents
    ]
    message: dict[str, Any] = {"batches": batches, "document": documents[0][0], "after": -1}
    if project is not None:
        message["project"] = project
    answer = client.post("/api/decisions", json=message)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_decisions_are_stored_in_the_project_of_their_document_whatever_the_tab_shows(
    projects_client: TestClient, ward: Session
) -> None:
    answer = send(projects_client, ward.project_id(), ("note", "J18.1"), ("act", "102"))
    assert [answer["receipts"][f"tab-{d}"]["refused"] for d in ("note", "act")] == [[], []]
    assert answer["server"] == ward.server_id
    assert set(current(ward.server.store(), "note")) == {"J18.1"}
    assert set(current(ward.server.store(), "act")) == {"102"}


def test_what_an_older_page_left_without_a_project_keeps_the_rules_of_its_own(
    projects_client: TestClient, ward: Session
) -> None:
    answer = send(projects_client, None, ("act", "102"), ("note", "E11"))
    (refused,) = answer["receipts"]["tab-note"]["refused"]
    assert refused["code"] == "category"  # a code has to be chosen, as its own vocabulary says
    assert set(current(ward.server.store(), "act")) == {"102"}
