"""Routes take the project from the request: that project's vocabulary, rules and documents alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.api.answers import OTHER_PROJECT
from core.documents.document import Document
from core.review.decisions.recording import current
from core.review.store.arrivals import add_document
from core.review.store.people import set_preference
from core.review.store.projects import keep_choices, make_project
from core.review.store.rules import NEVER_ASSIGNED, set_rule
from core.serving.caller import LAST_PROJECT
from core.serving.session import Session
from core.serving.setup import WITHOUT
from core.vocabulary.conventions import ICD10CM
from tests.support import clinical_fakes
from tests.support.fakes import fake_session

ACT = Document.from_text("act", "On herring", "Herring and sole.")
NOTE = Document.from_text("note", "Visit", "Lobar pneumonia.")


@pytest.fixture
def acts(tmp_path: Path) -> Iterator[Session]:
    """A thesaurus, and beside it codes in a project of their own."""
    place = fake_session(tmp_path)
    add_document(place.store(), ACT, project_id=place.project_id())
    yield place
    place.server.close()


@pytest.fixture
def ward(acts: Session) -> Session:
    codes = clinical_fakes.hierarchy(ICD10CM)
    acts.server.versions.add(codes, file_name="codes.csv", sha256="1", report={})
    made = make_project(acts.store(), "Ward 7", ICD10CM)
    keep_choices(acts.store(), made.project_id, bundle=WITHOUT, vocabulary_choice=codes.version)
    add_document(acts.store(), NOTE, project_id=made.project_id)
    return acts.elsewhere(made.project_id)


@pytest.fixture
def client(acts: Session, ward: Session) -> TestClient:
    return TestClient(Starlette(routes=api.routes(acts.server)))


def asked(client: TestClient, route: str, **query: object) -> dict[str, Any]:
    answer = client.get(f"/api/{route}", params=query)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def hits(client: TestClient, query: str, **more: object) -> list[str]:
    return [hit["concept_id"] for hit in asked(client, "search", q=query, **more)["hits"]]


def test_each_project_searches_its_own_vocabulary(client: TestClient, ward: Session) -> None:
    here = {"project": ward.project_id()}
    assert hits(client, "herr") == hits(client, "herr", project=1) == ["102"]
    assert hits(client, "herr", **here) == []
    assert "J18.1" in hits(client, "lobar", **here)
    assert asked(client, "concept", id="J18.1", **here)["code"] == "J18.1"
    assert client.get("/api/concept", params={"id": "J18.1"}).status_code == 404
    assert asked(client, "narrower", **here)["concepts"][0]["id"] == "4"
    assert asked(client, "below", id="E11", **here)["n_codes"] == 2
    assert asked(client, "outline", id="J18.1", **here)["nodes"]


def test_the_rules_are_those_of_the_project(client: TestClient, ward: Session) -> None:
    set_rule(ward.store(), ward.project_id(), "E11.6", NEVER_ASSIGNED, ward.person_id())
    assert asked(client, "below", id="E11", project=ward.project_id())["rows"] == ["E11.9"]


def test_without_a_project_the_one_that_was_opened_last_answers(
    client: TestClient, acts: Session, ward: Session
) -> None:
    set_preference(acts.store(), acts.person_id(), LAST_PROJECT, ward.project_id())
    assert hits(client, "herr") == []
    assert hits(client, "herr", project=1) == ["102"]


@pytest.mark.parametrize("route", ["check", "evidence", "decisions", "search"])
def test_a_document_of_another_project_is_refused_with_a_sentence(
    client: TestClient, ward: Session, route: str
) -> None:
    query = {"document": "act", "project": ward.project_id(), "concept": "102", "q": "x"}
    answer = client.get(f"/api/{route}", params=query)
    assert answer.status_code == 409
    assert "another" in answer.json()["problem"].lower()


def test_another_project_of_the_same_vocabulary_is_another_project(
    client: TestClient, acts: Session
) -> None:
    second = make_project(acts.store(), "Second", "tiny")
    query = {"document": "act", "project": second.project_id}
    answer = client.get("/api/check", params=query)
    assert (answer.status_code, answer.json()["problem"]) == (409, OTHER_PROJECT)
    assert asked(client, "check", document="act") == {"findings": []}


@pytest.mark.parametrize("project", ["999", "x", "", "1 OR 1", "-1"])
def test_an_unknown_project_is_not_found(client: TestClient, project: str) -> None:
    for route in ("health", "search", "narrower", "decisions?document=act"):
        query = {"project": project} if "?" not in route else None
        path = f"/api/{route}" + (f"&project={project}" if query is None else "")
        answer = client.get(path, params=query)
        assert answer.status_code == 404, (route, answer.text)
        assert "no such project" in answer.json()["problem"]


def test_each_project_has_a_model_and_a_health_of_its_own(
    client: TestClient, acts: Session, ward: Session
) -> None:
    for session, document in ((acts, ACT), (ward, NOTE)):
        assert session.submit(document).finished.wait(30)
    first, second = (asked(client, "health", project=s.project_id()) for s in (acts, ward))
    assert (first["model"], first["state"], second["state"]) == ("fake", "ready", "ready")
    assert first["bundle_hash"] != second["bundle_hash"]
    assert first["server"] != second["server"]
    named = {"project": ward.project_id()}
    found = asked(client, "evidence", document="note", concept="J18.1", **named)["concepts"]
    assert found["J18.1"]["passages"][0]["is_name"] is True
    unnamed = asked(client, "evidence", document="note", concept="J18.1")["concepts"]
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
    client: TestClient, ward: Session
) -> None:
    answer = send(client, ward.project_id(), ("note", "J18.1"), ("act", "102"))
    assert [answer["receipts"][f"tab-{d}"]["refused"] for d in ("note", "act")] == [[], []]
    assert answer["server"] == ward.server_id
    assert set(current(ward.store(), "note")) == {"J18.1"}
    assert set(current(ward.store(), "act")) == {"102"}


def test_what_an_older_page_left_without_a_project_keeps_the_rules_of_its_own(
    client: TestClient, ward: Session
) -> None:
    answer = send(client, None, ("act", "102"), ("note", "E11"))
    (refused,) = answer["receipts"]["tab-note"]["refused"]
    assert refused["code"] == "category"  # a code has to be chosen, as its own vocabulary says
    assert set(current(ward.store(), "act")) == {"102"}
