"""The search box learns: what was used here, what was typed for it, and what is related."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from core.api.counts import ProjectCounts
from core.documents.document import Document
from core.errors import StoreError
from core.review.store.arrivals import add_document
from core.review.store.tables import decision_event
from core.serving.choosing import use_version, wait_until_loaded
from core.serving.session import Session
from tests.support.files.skos_files import PREFIXES
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("fresh_use")


def decide(client: TestClient, document_id: str, *operations: dict[str, Any]) -> None:
    numbered = [{"sequence": n, **operation} for n, operation in enumerate(operations, start=1)]
    batch = {"client": "c1", "document_id": document_id, "operations": numbered}
    body = {"document": document_id, "batches": [batch]}
    answer = client.post("/api/decisions", json=body)
    assert answer.status_code == 200, answer.text


def hits(client: TestClient, query: str, **more: str) -> list[tuple[str, str]]:
    answer = client.get("/api/search", params={"q": query, **more})
    return [(hit["concept_id"], hit["why"]) for hit in answer.json()["hits"]]


def test_what_was_typed_before_accepting_finds_the_concept_from_then_on(
    client: TestClient, document_id: str, shared: Session
) -> None:
    assert hits(client, "silver darlings") == []
    typed = {"query": ["Silver darlings"]}
    decide(client, document_id, {"action": "add", "concept_id": "102", "value": typed})
    assert hits(client, "silver DARLINGS") == [("102", "exact")]
    with shared.server.store().read() as connection:
        assert connection.execute(select(decision_event.c.value)).scalar() == typed


def test_what_is_taken_back_is_no_name_any_more(client: TestClient, document_id: str) -> None:
    typed = {"query": ["silver darlings"]}
    decide(
        client,
        document_id,
        {"action": "add", "concept_id": "102", "value": typed},
        {"action": "clear", "concept_id": "102"},
    )
    assert hits(client, "silver darlings") == []


@pytest.mark.parametrize("value", [{"query": 7}, {"query": ["\x00"]}, "query", {"query": []}])
def test_words_that_cannot_be_kept_never_hold_up_a_decision(
    client: TestClient, document_id: str, value: object
) -> None:
    decide(client, document_id, {"action": "add", "concept_id": "102", "value": value})
    assert hits(client, "")[0] == ("102", "used")


def test_the_same_decision_may_come_again_without_its_words(
    client: TestClient, document_id: str
) -> None:
    add = {"action": "add", "concept_id": "102"}
    decide(client, document_id, {**add, "value": {"query": ["silver darlings"]}})
    decide(client, document_id, add)
    assert hits(client, "silver darlings") == [("102", "exact")]


def test_an_empty_box_offers_what_was_used_here(client: TestClient, document_id: str) -> None:
    assert hits(client, "") == []
    decide(
        client,
        document_id,
        {"action": "add", "concept_id": "102"},
        {"action": "add", "concept_id": "301"},
    )
    assert hits(client, "") == [("301", "used"), ("102", "used")]
    assert hits(client, "", divisions="1") == []


def test_what_the_model_suggests_is_asked_for_apart(client: TestClient, shared: Session) -> None:
    wait_until_loaded(shared, 10)
    answer = client.get("/api/search", params={"q": "herring"}).json()
    assert answer["may_be_related"] is True
    plain = hits(client, "herring")
    more = hits(client, "herring", related="1")
    assert more[: len(plain)] == plain
    assert {why for _, why in more[len(plain) :]} <= {"related"}


def test_what_is_suggested_for_the_open_document_comes_first_in_its_search(
    client: TestClient, shared: Session
) -> None:
    train = Document.from_text("train", "On a high-speed train", "The high-speed train is late.")
    document_id = add_document(shared.server.store(), train, project_id=shared.project_id())
    assert wait_until_loaded(shared, 20) == "ready"
    assert shared.server.queue.submit(train, shared.project_id()).finished.wait(20)
    assert [concept_id for concept_id, _ in hits(client, "h")] == ["201", "102", "303"]
    here = [concept_id for concept_id, _ in hits(client, "h", document=document_id)]
    assert here[0] == "303"
    assert hits(client, "honey", document=document_id)[0] == ("201", "exact")


def test_a_withdrawn_term_is_told_with_what_to_use_instead(
    client: TestClient, shared: Session
) -> None:
    body = (
        PREFIXES
        + '<https://x.org/tiny> a skos:ConceptScheme ; owl:versionInfo "2" .'
        + '<https://x.org/n> a skos:Concept ; skos:prefLabel "Nitrate"@en ; owl:deprecated true ;'
        + " dct:isReplacedBy <https://x.org/e> ; skos:inScheme <https://x.org/tiny> ."
        + '<https://x.org/s> a skos:Concept ; skos:prefLabel "smog"@en ; owl:deprecated true .'
        + '<https://x.org/e> a skos:Concept ; skos:prefLabel "eutrophication"@en .'
    )
    shared.server.importer.start_files({"tiny.ttl": body.encode()})
    shared.server.importer.wait(60)
    use_version(shared, shared.server.versions.entries()[0].key)
    assert hits(client, "nitrate") == [("e", "withdrawn")]

    def withdrawn(query: str) -> object:
        return client.get("/api/search", params={"q": query}).json()["withdrawn"]

    assert withdrawn("nitrate") == {"label": "Nitrate", "instead": ["eutrophication"]}
    assert withdrawn("smog") == {"label": "smog", "instead": []}
    assert withdrawn("eutrophication") is None


def test_nobody_waits_for_what_is_counted_anew(shared: Session) -> None:
    counts, may_count, found = ProjectCounts(), threading.Event(), ["herring"]

    def count() -> list[str]:
        may_count.wait(30)
        return list(found)

    def known() -> object:
        return counts.of(shared.project, "found", count, first_at_once=True).newest()

    may_count.set()
    assert known() == ["herring"]
    may_count.clear()
    found.append("honey")
    assert known() == ["herring"]
    may_count.set()
    wait_until(lambda: known() == ["herring", "honey"])


def test_what_is_known_stays_where_counting_fails(shared: Session) -> None:
    counts = ProjectCounts()

    def fail() -> None:
        raise StoreError("away")

    counts.of(shared.project, "found", lambda: 1, first_at_once=True)
    again = counts.of(shared.project, "found", fail)
    wait_until(again.found.done)
    assert again.newest() == 1
    first = counts.of(shared.project, "other", fail, first_at_once=True)
    assert first.newest() is None and isinstance(first.found.exception(), StoreError)
