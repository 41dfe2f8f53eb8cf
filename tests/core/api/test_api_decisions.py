"""Decisions as the browser sends them, what other sessions decided, and nodes of the tree."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.documents.document import Document
from core.errors import StoreError
from core.review.decisions.recording import record
from core.review.store.arrivals import add_document
from core.review.store.backup import write_backup
from core.review.store.projects import default_project
from core.review.store.restore import read_backup
from core.review.store.rules import NEVER_ASSIGNED, set_rule
from core.serving.session import Session
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from tests.support.fakes import fake_session, hierarchy


def decide(shared: Session, document_id: str, *operations: dict[str, Any]) -> None:
    receipt = record(
        shared.server.store(),
        document_id=document_id,
        person_id=shared.person_id(),
        client_id="tab",
        operations=operations,
    )
    assert not receipt.refused


def ask(client: TestClient, path: str, **asked: object) -> dict[str, Any]:
    answer = client.get(path, params={name: str(value) for name, value in asked.items()})
    assert answer.status_code == 200, answer.text
    facts: dict[str, Any] = answer.json()
    return facts


def test_what_was_decided_comes_with_its_version_and_nodes(
    client: TestClient, shared: Session, document_id: str
) -> None:
    decide(shared, document_id, {"sequence": 1, "action": "add", "concept_id": "303"})
    news = ask(client, "/api/decisions", document=document_id, after=0)
    assert news["version"] > 0
    assert news["status"] == "in progress"
    assert news["decisions"]["303"] == {
        "state": "accepted",
        "added": True,
        "main": False,
        "backed_off": False,
        "present": "",
        "performed_on": "",
        "cited": "",
        "place": 1,
    }
    assert {node["id"] for node in news["nodes"]} == {"303", "301", "m3", "d2"}


def test_a_page_of_another_vocabulary_finds_nothing_in_the_one_in_use(
    client: TestClient, shared: Session, document_id: str
) -> None:
    assert ask(client, "/api/search", q="herr", document=document_id)["hits"]
    other = default_project(shared.server.store(), "stw").project_id
    foreign = add_document(
        shared.server.store(), Document.from_text("b", "Fish", ""), project_id=other
    )
    answer = client.get("/api/search", params={"q": "herr", "document": foreign})
    assert answer.status_code == 409
    assert "Another vocabulary is in use" in answer.json()["problem"]


def test_nothing_newer_is_told_as_nothing(
    client: TestClient, shared: Session, document_id: str
) -> None:
    decide(shared, document_id, {"sequence": 1, "action": "accept", "concept_id": "102"})
    version = ask(client, "/api/decisions", document=document_id)["version"]
    assert ask(client, "/api/decisions", document=document_id, after=version)["decisions"] is None
    decide(shared, document_id, {"sequence": 2, "action": "undo"})
    news = ask(client, "/api/decisions", document=document_id, after=version)
    assert news["decisions"] == {}
    assert news["version"] > version


def test_a_finished_document_says_so(client: TestClient, shared: Session, document_id: str) -> None:
    decide(shared, document_id, {"sequence": 1, "action": "finish", "shown": 5})
    assert ask(client, "/api/decisions", document=document_id)["status"] == "finished"


@pytest.mark.parametrize(
    "asked", [{}, {"document": "act", "after": "x"}, {"document": "act", "after": "--1"}]
)
def test_a_question_that_cannot_be_answered_gets_a_sentence(
    client: TestClient, document_id: str, asked: dict[str, str]
) -> None:
    answer = client.get("/api/decisions", params=asked)
    assert answer.status_code == 400
    assert "which version" in answer.json()["problem"]


def test_a_document_that_is_not_there_gets_a_sentence(client: TestClient) -> None:
    answer = client.get("/api/decisions", params={"document": "gone"})
    assert answer.status_code == 404
    assert "no document 'gone'" in answer.json()["problem"]


def test_a_concept_comes_with_all_that_is_above_it(client: TestClient, shared: Session) -> None:
    set_rule(shared.server.store(), shared.project_id(), "m3", NEVER_ASSIGNED, shared.person_id())
    nodes = {node["id"]: node for node in ask(client, "/api/outline", id="303")["nodes"]}
    assert set(nodes) == {"303", "301", "m3", "d2"}
    assert nodes["303"]["forbidden"]
    assert not nodes["303"]["assignable"]
    assert not nodes["d2"]["forbidden"]


def test_an_unknown_concept_is_not_found(client: TestClient) -> None:
    assert client.get("/api/outline", params={"id": "nope"}).status_code == 404


def message(document_id: str, *operations: dict[str, Any]) -> dict[str, Any]:
    batch = {"client": "tab", "document_id": document_id, "operations": list(operations)}
    return {"document": document_id, "after": -1, "lang": "en", "batches": [batch]}


ACCEPT = {"sequence": 1, "action": "accept", "concept_id": "102"}


def test_what_is_sent_is_stored_and_answered_with_what_holds_now(
    client: TestClient, shared: Session, document_id: str
) -> None:
    decide(shared, document_id, {"sequence": 9, "action": "add", "concept_id": "303"})
    sent = message(document_id, ACCEPT)
    sent["batches"][0]["client"] = "other"
    answer = client.post("/api/decisions", json=sent).json()
    assert answer["receipts"]["other"]["settled"] == [1]
    assert set(answer["decisions"]) == {"303", "102"}  # the other session's decision as well
    assert {"303", "301", "102", "m1"} <= {node["id"] for node in answer["nodes"]}
    again = client.post("/api/decisions", json=sent).json()
    assert again["receipts"] == answer["receipts"]
    assert again["version"] == answer["version"]


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "http://testserver:81", "null"])
def test_pages_of_other_servers_may_not_decide(
    client: TestClient, document_id: str, origin: str
) -> None:
    answer = client.post(
        "/api/decisions", json=message(document_id, ACCEPT), headers={"Origin": origin}
    )
    assert answer.status_code == 403
    assert ask(client, "/api/decisions", document=document_id)["decisions"] == {}


def test_a_form_may_not_decide(client: TestClient, document_id: str) -> None:
    body = json.dumps(message(document_id, ACCEPT))
    answer = client.post("/api/decisions", content=body, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 403


def test_a_page_of_this_server_may(client: TestClient, document_id: str) -> None:
    answer = client.post(
        "/api/decisions",
        json=message(document_id, ACCEPT),
        headers={"Origin": "http://testserver"},
    )
    assert answer.json()["decisions"]["102"]["state"] == "accepted"


@pytest.mark.parametrize(
    ("body", "status"), [(b"[]", 400), (b"{", 400), (b"\xff", 400), (b" " * 2_000_001, 413)]
)
def test_what_is_no_message_gets_a_sentence(client: TestClient, body: bytes, status: int) -> None:
    answer = client.post(
        "/api/decisions", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status
    assert answer.json()["problem"].endswith(".")


def test_decisions_on_a_document_that_is_gone_are_answered(client: TestClient) -> None:
    answer = client.post("/api/decisions", json=message("gone", ACCEPT)).json()
    assert answer["receipts"]["tab"]["refused"][0]["code"] == "unknown document"
    assert "decisions" not in answer


def test_news_name_concepts_in_the_language_that_is_asked_for(
    tmp_path: Path,
) -> None:
    german = {"303": "Hochgeschwindigkeitszug", "d2": "VERKEHR"}
    concepts = [
        replace(one, pref_label={**one.pref_label, "de": german.get(one.concept_id, one.label())})
        for one in map(hierarchy().__getitem__, hierarchy())
    ]
    spoken = Hierarchy(concepts, vocabulary_id="tiny", version="1")
    shared = fake_session(tmp_path)
    LabelSpace(spoken).save(shared.settings.bundle_dir / "label_space.jsonl")
    client = TestClient(Starlette(routes=api.routes(shared.server)))
    act = Document.from_text("act", "On trains", "Trains.")
    document_id = add_document(shared.server.store(), act, project_id=shared.project_id())
    decide(shared, document_id, {"sequence": 1, "action": "add", "concept_id": "303"})
    for language, label in (("de", "Hochgeschwindigkeitszug"), ("en", "high-speed train")):
        news = ask(client, "/api/decisions", document=document_id, after=0, lang=language)
        assert {node["id"]: node["label"] for node in news["nodes"]}["303"] == label
    shared.server.close()


def posted(client: TestClient, document_id: str, sequence: int) -> Any:
    operation = {"sequence": sequence, "action": "accept", "concept_id": "303"}
    batch = {"client": "tab", "document_id": document_id, "operations": [operation]}
    return client.post("/api/decisions", json={"document": document_id, "batches": [batch]})


def test_a_decision_during_a_restore_comes_again_and_is_stored_after_it(
    client: TestClient, shared: Session, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.BytesIO()
    write_backup(shared.server.store(), shared.settings.home, file)
    file.seek(0)
    answers = []

    def decide_meanwhile(*arguments: Any) -> None:
        answers.append(posted(client, document_id, 1))
        write_backup(*arguments)

    monkeypatch.setattr("core.review.store.restore.write_backup", decide_meanwhile)
    shared.server.restore(file)
    assert answers[0].status_code == 503 and answers[0].headers["Retry-After"] == "1"
    assert "is being restored" in answers[0].json()["problem"]
    again = posted(client, document_id, 1)
    assert again.json()["receipts"]["tab"]["settled"] == [1]


def test_a_restore_that_is_refused_lets_decisions_through_again(
    client: TestClient, shared: Session, document_id: str
) -> None:
    with pytest.raises(StoreError, match="no backup"):
        shared.server.restore(io.BytesIO(b"a letter"))
    assert posted(client, document_id, 1).json()["receipts"]["tab"]["settled"] == [1]


def test_a_restore_by_another_program_is_noticed(
    client: TestClient, shared: Session, document_id: str
) -> None:
    file, settings = io.BytesIO(), shared.settings
    write_backup(shared.server.store(), settings.home, file)
    before = shared.server.store()
    read_backup(file, database_url=settings.database_url, home=settings.home)
    first = posted(client, document_id, 1)
    assert first.status_code == 503 and "was restored meanwhile" in first.json()["problem"]
    assert posted(client, document_id, 1).json()["receipts"]["tab"]["settled"] == [1]
    assert shared.server.store() is not before


def test_a_locked_database_says_when_to_come_again(
    client: TestClient, shared: Session, document_id: str
) -> None:
    posted(client, document_id, 1)
    file = shared.settings.home / "strata.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as another_program:
        another_program.execute("BEGIN IMMEDIATE")
        answer = posted(client, document_id, 2)
    assert answer.status_code == 503 and answer.headers["Retry-After"]
    assert "Another program keeps the database locked" in answer.json()["problem"]
