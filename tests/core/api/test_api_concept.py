"""The routes behind the concept card and the vocabulary tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.api.concept import described, in_order
from core.documents.document import Document
from core.review.decisions.operations import Operation
from core.review.decisions.recording import record
from core.review.guidance import set_note
from core.review.store.arrivals import add_document
from core.review.store.people import HIDE_TITLES, set_preference
from core.review.store.rules import set_rule
from core.serving.session import Session
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support import fakes
from tests.support.fakes import fake_session
from tests.support.waiting import wait_until


def concept(client: TestClient, concept_id: str) -> dict[str, Any]:
    answer = client.get("/api/concept", params={"id": concept_id})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def narrower(client: TestClient, concept_id: str = "") -> list[dict[str, Any]]:
    answer = client.get("/api/narrower", params={"id": concept_id} if concept_id else {})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["concepts"])


def test_a_concept_is_described_with_all_its_paths(reading_client: TestClient) -> None:
    found = concept(reading_client, "103")
    assert (found["label"], found["uri"]) == ("sea fish", "https://example.org/103")
    assert [[step["label"] for step in path] for path in found["paths"]] == [
        ["AGRICULTURE AND FOOD", "fisheries", "sea fish"],
        ["AGRICULTURE AND FOOD", "foodstuffs", "sea fish"],
    ]
    assert found["n_narrower"] == 1
    assert concept(reading_client, "102")["alt"] == {"en": ["Clupea"]}
    assert concept(reading_client, "m1")["assignable"] is False


def test_the_tree_opens_one_step_at_a_time(reading_client: TestClient) -> None:
    assert [(row["id"], row["n_narrower"]) for row in narrower(reading_client)] == [
        ("d1", 2),
        ("d2", 1),
    ]
    assert [row["label"] for row in narrower(reading_client, "m1")] == [
        "fishing quota",
        "herring",
        "sea fish",
    ]
    assert narrower(reading_client, "104") == []


@pytest.mark.parametrize("path", ["/api/concept", "/api/narrower"])
def test_what_is_not_there_is_said_in_a_sentence(reading_client: TestClient, path: str) -> None:
    answer = reading_client.get(path, params={"id": "<img>" * 1000})
    assert answer.status_code == 404
    assert "There is no concept" in answer.json()["problem"]
    assert len(answer.json()["problem"]) < 200


def test_notes_related_and_replacing_concepts_are_told() -> None:
    new = Concept("new", "u:new", "1", {"en": "new", "fr": "neuf"}, related=("z", "é", "old"))
    old = Concept("old", "u:old", None, {"en": "old"}, deprecated=True, replaced_by=("new",))
    others = [Concept(i, f"u:{i}", None, {"en": i}) for i in ("z", "é")]
    noted = Concept("n", "u:n", None, {"en": "n"}, notes={"scopeNote": {"en": ("Use it.",)}})
    hierarchy = Hierarchy([new, old, noted, *others], vocabulary_id="v", version="1")
    assert described(new, hierarchy, "fr")["label"] == "neuf"
    assert [one["id"] for one in described(new, hierarchy, "en")["related"]] == ["é", "z"]
    told = described(old, hierarchy, "en")
    assert (told["deprecated"], told["paths"]) == (True, [])
    assert told["replaced_by"] == [{"id": "new", "label": "new"}]
    assert described(noted, hierarchy, "en")["notes"] == {"scopeNote": {"en": ["Use it."]}}


@pytest.mark.parametrize(
    ("vocabulary_id", "coded", "order"),
    [
        ("icd10cm", True, ["9", "10", "10.1"]),  # as in its book
        ("ward-list", True, ["10", "10.1", "9"]),  # by code
        ("eurovoc", False, ["10.1", "10", "9"]),  # by label
    ],
)
def test_what_has_codes_stands_in_their_order(
    vocabulary_id: str, coded: bool, order: list[str]
) -> None:
    labels = {"9": "c", "10": "b", "10.1": "a"}
    concepts = [
        Concept(
            i, f"u:{i}", i if coded else None, {"en": label}, broader=("10",) if "." in i else ()
        )
        for i, label in labels.items()
    ]
    hierarchy = Hierarchy(concepts, vocabulary_id=vocabulary_id, version="1")
    assert in_order(labels, hierarchy, "en") == order


def test_what_was_decided_and_ruled_here_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = fake_session(tmp_path)
    store, project_id, person_id = shared.server.store(), shared.project_id(), shared.person_id()
    act = Document.from_text("", "On sole", "Sole is a fish.")
    document_id = add_document(store, act, project_id=project_id)
    operations = [Operation(1, "accept", "104"), Operation(2, "reject", "201")]
    record(
        store,
        document_id=document_id,
        person_id=person_id,
        client_id="c",
        operations=operations,
        concept_ids=fakes.hierarchy(),
    )
    set_rule(store, project_id, "m3", "never_assigned", person_id)
    set_rule(store, project_id, "102", "never_suggested", person_id)
    client = TestClient(Starlette(routes=api.routes(shared.server)))
    used = concept(client, "104")["usage"]
    assert (used["accepted"], used["rejected"]) == (1, 0)
    above = concept(client, "103")["usage"]
    assert (above["accepted"], above["branch"], used["branch"]) == (0, 1, 1)
    assert used["documents"] == [{"id": document_id, "title": "On sole", "state": "accepted"}]
    set_preference(store, person_id, HIDE_TITLES, True)
    (listed,) = concept(client, "104")["usage"]["documents"]
    assert listed["title"] == f"Document {document_id}"
    assert concept(client, "303")["rules"] == ["below_never_assigned"]
    rows = {row["id"]: row for row in [*narrower(client, "m1"), *narrower(client)]}
    assert (rows["103"]["n_documents"], rows["103"]["n_branch"]) == (0, 1)
    assert (rows["d1"]["n_branch"], rows["d2"]["n_branch"]) == (1, 0)
    assert rows["102"]["rules"] == ["never_suggested"]
    monkeypatch.setattr("core.api.concept.LARGE", 0)
    client = TestClient(Starlette(routes=api.routes(shared.server)))
    # Counted in the background.
    wait_until(lambda: any(row["n_branch"] for row in narrower(client)))
    shared.server.close()


def test_a_note_of_the_project_is_told(shared: Session, client: TestClient) -> None:
    assert concept(client, "102")["advice"] == ""
    set_note(shared.server.store(), shared.project_id(), "102", "Not sprat.", 1)
    assert concept(client, "102")["advice"] == "Not sprat."
