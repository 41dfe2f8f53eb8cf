"""The check of codes as the desk asks for it, and how it stops a finish."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.api import check
from core.clinical.joined import JoinedHierarchy
from core.documents.document import Document
from core.review.decisions.decided import ACCEPTED, Decision
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.serving.session import Session
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.clinical_fakes import DOCUMENT, decide, hierarchy, on
from tests.support.clinical_fakes import client as client  # a fixture
from tests.support.clinical_fakes import shared as shared  # a fixture
from tests.support.fakes import fake_session

DRAINAGE = "0W9930Z"


def findings(client: TestClient) -> list[tuple[str, str]]:
    answer = client.get("/api/check", params={"document": DOCUMENT})
    assert answer.status_code == 200, answer.text
    return [(one["severity"], one["kind"]) for one in answer.json()["findings"]]


def test_findings_come_with_their_codes_and_the_note(client: TestClient) -> None:
    decide(client, on("accept", "E10.9"), on("accept", "E11.9"))
    answer = client.get("/api/check", params={"document": DOCUMENT}).json()
    first = answer["findings"][0]
    assert (first["severity"], first["kind"]) == ("warning", "excludes1")
    assert sorted(first["concept_ids"]) == ["E10.9", "E11.9"]
    assert first["note"] == "Excludes1: type 2 diabetes mellitus (E11.-)"
    assert first["sentence"].startswith("E10.9 and E11.9 are coded together only where")


def test_an_open_category_stops_the_finish_until_a_code_is_accepted(client: TestClient) -> None:
    answer = decide(client, on("hold", "E11"), {"action": "finish"})
    (refused,) = answer["receipts"]["tab"]["refused"]
    assert refused["code"] == "not allowed"
    assert refused["reason"].startswith("This cannot be finished yet. E11 is still open")
    assert answer["status"] == "in progress"
    assert findings(client) == [("error", "open"), ("warning", "empty")]
    marked = on("present", "E11.65", value="N")
    answer = decide(client, on("accept", "E11.65"), marked, {"action": "finish"}, first=3)
    assert answer["receipts"]["tab"]["refused"] == []
    assert answer["status"] == "finished"
    assert findings(client) == []


def another(shared: Session) -> str:
    """Another encounter, which is on the page now."""
    document = Document.from_text("b", "Encounter of another", "An invented note.")
    return add_document(shared.server.store(), document, project_id=shared.project_id())


def test_a_finish_that_an_earlier_page_left_is_checked_too(
    client: TestClient, shared: Session
) -> None:
    answer = decide(client, on("hold", "E11"), {"action": "finish"}, here=another(shared))
    assert [one["code"] for one in answer["receipts"]["tab"]["refused"]] == ["not allowed"]


def test_the_rules_of_codes_hold_for_what_an_earlier_page_left(
    client: TestClient, shared: Session
) -> None:
    actions = (on("accept", "E11"), on("hold", "E11.9"), on("accept", "gone"))
    answer = decide(client, *actions, here=another(shared))
    refused = answer["receipts"]["tab"]["refused"]
    assert [(one["sequence"], one["code"]) for one in refused] == [(1, "category"), (2, "a code")]


def test_an_order_and_marks_reach_the_page(client: TestClient) -> None:
    ordered = {"action": "order", "value": ["I10", "J18.1"]}
    marked = on("present", "I10", value="Y")
    answer = decide(client, on("accept", "J18.1"), on("accept", "I10"), ordered, marked)
    decisions = answer["decisions"]
    assert {key: (one["place"], one["present"]) for key, one in decisions.items()} == {
        "I10": (1, "Y"),
        "J18.1": (2, ""),
    }


@pytest.mark.parametrize(("asked", "status"), [({}, 400), ({"document": "gone"}, 404)])
def test_a_question_that_cannot_be_answered_gets_a_sentence(
    client: TestClient, asked: dict[str, str], status: int
) -> None:
    answer = client.get("/api/check", params=asked)
    assert answer.status_code == status
    assert "document" in answer.json()["problem"]


def test_a_document_of_another_vocabulary_is_not_checked(
    client: TestClient, shared: Session
) -> None:
    other = default_project(shared.server.store(), "stw").project_id
    foreign = add_document(
        shared.server.store(), Document.from_text("b", "Fish", ""), project_id=other
    )
    answer = client.get("/api/check", params={"document": foreign})
    assert answer.status_code == 409
    assert "Another vocabulary is in use" in answer.json()["problem"]


def test_a_librarian_finishes_without_any_check(tmp_path: Path) -> None:
    place = fake_session(tmp_path)
    document = Document.from_text("act", "On herring", "Herring.")
    document_id = add_document(place.server.store(), document, project_id=place.project_id())
    client = TestClient(Starlette(routes=api.routes(place.server)))
    assert client.get("/api/check", params={"document": document_id}).json() == {
        "findings": [],
        "nodes": [],
    }
    operations = [{"sequence": 1, "action": "finish"}]
    batch = {"client": "tab", "document_id": document_id, "operations": operations}
    client.post("/api/decisions", json={"batches": [batch], "document": document_id})
    asked = client.get("/api/decisions", params={"document": document_id})
    assert asked.json()["status"] == "finished"
    place.server.close()


def test_a_remedy_comes_with_the_codes_that_it_adds(client: TestClient) -> None:
    decide(client, on("accept", "N18.4"), on("accept", "I10"), on("present", "I10", value="Y"))
    answer = client.get("/api/check", params={"document": DOCUMENT}).json()
    (found,) = [one for one in answer["findings"] if one["kind"] == "combined"]
    assert found["source"] == "Guidelines I.C.9.a"
    assert found["remedy"] == {
        "words": "Replace I10 by I12.9",
        "remove": ["I10"],
        "add": ["I12.9"],
        "order": ["I12.9", "N18.4"],
        "present": {"I12.9": "Y"},
    }
    assert "I12.9" in [node["id"] for node in answer["nodes"]]


def test_a_remedy_leaves_the_procedures_of_a_further_system_in_the_order() -> None:
    joined = JoinedHierarchy(hierarchy(), [_procedures()])
    decided = {
        code: Decision(
            concept_id=code,
            state=ACCEPTED,
            added=False,
            main=False,
            action="accept",
            probability=None,
            rank=None,
            source=None,
            person="A coder",
            decided_at=datetime.now(UTC),
            place=place,
        )
        for place, code in enumerate(("J18.1", DRAINAGE, "N18.4", "I10"), start=1)
    }
    (combined,) = (one for one in check.findings(decided, joined) if one.kind == "combined")
    assert combined.remedy is not None
    assert combined.remedy.order == ("J18.1", "I12.9", "N18.4", DRAINAGE)


def _procedures() -> Hierarchy:
    label = {"en": "Drainage of Right Pleural Cavity with Drainage Device"}
    return Hierarchy(
        [Concept(DRAINAGE, f"urn:{DRAINAGE}", DRAINAGE, label)],
        vocabulary_id="icd10pcs",
        version="2026",
    )


def test_nothing_is_proposed_from_notes_that_are_not_looked_through_yet(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(client, on("accept", "E11.65"))
    said = client.get("/api/check", params={"document": DOCUMENT}).json()["findings"]
    assert any("Y? a chronic" in one["sentence"] for one in said)
    monkeypatch.setattr(check, "wait_until_loaded", lambda *_: "loading")
    said = client.get("/api/check", params={"document": DOCUMENT}).json()["findings"]
    assert not any("Y? a chronic" in one["sentence"] for one in said)
