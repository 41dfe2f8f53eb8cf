"""The routes that say why, and what the shelf behind them keeps."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.api import evidence
from core.documents.document import Document, fingerprint
from core.errors import BundleError, ModelStoppedError
from core.review.store.arrivals import add_document
from core.review.store.predictions import save_prediction
from core.serving.choosing import wait_until_loaded
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from core.suggest.evidence.explanation_cache import ExplanationCache, about_bytes
from core.suggest.protocol import Suggester
from core.suggest.suggestions import asking
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from tests.support.api_evidence import HERRING_ACT
from tests.support.fakes import (
    EmptySuggester,
    FakeExplanation,
    FakePredictor,
    fake_session,
    hierarchy,
)
from tests.support.named_codes import named_codes


def test_passages_are_told_with_their_places_as_code_points(evidence_client: TestClient) -> None:
    answer = evidence_client.get(
        "/api/evidence", params={"document": "act", "concept": "101,102"}
    ).json()
    quota, fishing = answer["concepts"]["101"]["passages"]
    assert (quota["field"], quota["text"], quota["share"]) == ("title", "quota", 0.75)
    places = [(quota["field"], quota["start"], quota["end"]), *map(tuple, quota["others"])]
    assert [
        (HERRING_ACT.title if f == "title" else HERRING_ACT.text)[a:b] for f, a, b in places
    ] == ["quota"] * 3
    assert fishing["others"] == []
    assert set(answer["concepts"]["101"]["sources"]) == {"fake"}
    assert [one["text"] for one in answer["concepts"]["102"]["passages"]] == ["herring"]


def test_without_a_passage_the_probability_falls(evidence_client: TestClient) -> None:
    asked = {"document": "act", "concept": "101", "field": "title", "start": "10", "end": "15"}
    one = evidence_client.get("/api/without", params=asked).json()
    everywhere = evidence_client.get("/api/without", params=asked | {"everywhere": "1"}).json()
    assert one["before"] == everywhere["before"]
    assert everywhere["probability"] < one["probability"] < one["before"]


def test_a_place_tells_the_suggestions_that_it_speaks_for(evidence_client: TestClient) -> None:
    place = {"document": "act", "field": "text", "start": "15", "end": "22"}
    assert HERRING_ACT.text[15:22] == "herring"
    assert evidence_client.get("/api/support", params=place).json() == {"concepts": ["102"]}
    nothing = place | {"start": "0", "end": "3"}
    assert evidence_client.get("/api/support", params=nothing).json() == {"concepts": []}
    assert evidence_client.get("/api/support", params=place | {"field": "?"}).status_code == 400


@pytest.mark.parametrize(
    ("asked", "status", "sentence"),
    [
        ({"document": "act"}, 400, "1 to 300"),
        ({"document": "act", "concept": ",".join(map(str, range(301)))}, 400, "1 to 300"),
        ({"concept": "101"}, 400, "document"),
        ({"document": "gone", "concept": "101"}, 404, ""),
        ({"document": "act", "concept": "d1"}, 404, "does not know it"),
    ],
)
def test_what_cannot_be_answered_gets_a_sentence(
    evidence_client: TestClient, asked: dict[str, str], status: int, sentence: str
) -> None:
    answer = evidence_client.get("/api/evidence", params=asked)
    assert answer.status_code == status
    assert sentence in answer.json()["problem"]


@pytest.mark.parametrize(
    "place",
    [
        {"field": "body", "start": "0", "end": "2"},
        {"field": "title", "start": "0", "end": "99"},
        {"field": "text", "start": "4", "end": "4"},
        {"field": "text", "start": "-1", "end": "4"},
        {"field": "text", "start": "1" * 30, "end": "2" * 30},
        {"field": "text"},
    ],
)
def test_a_place_that_is_none_is_refused(
    evidence_client: TestClient, place: dict[str, str]
) -> None:
    answer = evidence_client.get(
        "/api/without", params={"document": "act", "concept": "101"} | place
    )
    assert answer.status_code == 400
    assert "field" in answer.json()["problem"]


def test_an_unknown_concept_is_not_found(evidence_client: TestClient) -> None:
    place = {"field": "title", "start": "0", "end": "2"}
    answer = evidence_client.get(
        "/api/without", params={"document": "act", "concept": "zz"} | place
    )
    assert answer.status_code == 404


def test_a_model_that_failed_to_load_is_a_sentence(tmp_path: Path) -> None:
    def load(_: Path) -> Suggester:
        raise BundleError("The bundle is gone.")

    fake = fake_session(tmp_path)
    shared = Session(Server(fake.settings, load))
    add_document(shared.server.store(), HERRING_ACT, project_id=shared.project_id())
    client = TestClient(Starlette(routes=evidence.routes(shared.server)))
    wait_until_loaded(shared, 20)
    answer = client.get("/api/evidence", params={"document": "act", "concept": "101"})
    assert (answer.status_code, answer.json()["problem"]) == (503, "The bundle is gone.")
    shared.server.close()
    fake.server.close()


def test_an_id_may_have_a_comma_and_a_per_cent_sign(tmp_path: Path) -> None:
    """As those that are words of a URI: `…/Washington,_D.C.`"""
    ids = ["herring,_salted", "sole%2C", "quota"]
    words = zip(ids, ("herring", "sole", "quota"), strict=True)
    concepts = [Concept(i, f"https://e.org/{i}", None, {"en": label}) for i, label in words]
    vocabulary = Hierarchy(concepts, vocabulary_id="tiny", version="1")
    fake = fake_session(tmp_path)
    shared = Session(Server(fake.settings, lambda _: FakePredictor(vocabulary)))
    add_document(shared.server.store(), HERRING_ACT, project_id=shared.project_id())
    client = TestClient(Starlette(routes=evidence.routes(shared.server)))
    wait_until_loaded(shared, 20)
    written = "herring%2C_salted,sole%252C,quota"
    answer = client.get("/api/evidence", params={"document": "act", "concept": written})
    assert list(answer.json()["concepts"]) == ids
    shared.server.close()
    fake.server.close()


def test_what_another_model_suggested_is_not_explained_by_this_one(tmp_path: Path) -> None:
    shared = fake_session(tmp_path)
    add_document(shared.server.store(), HERRING_ACT, project_id=shared.project_id())
    older = FakePredictor(hierarchy(), version=7).suggest(HERRING_ACT)
    save_prediction(shared.server.store(), "act", older, settings={})
    client = TestClient(Starlette(routes=evidence.routes(shared.server)))
    place = {"document": "act", "field": "title", "start": "0", "end": "2"}
    wait_until_loaded(shared, 20)
    for path in ("/api/evidence", "/api/without", "/api/support"):
        answer = client.get(path, params=place | {"concept": "101"})
        assert (answer.status_code, answer.json()["problem"]) == (409, evidence.OTHER_MODEL)
    assert shared.server.queue.submit(HERRING_ACT, shared.project_id()).finished.wait(20)
    asked = {"document": "act", "concept": "101"}
    assert client.get("/api/evidence", params=asked).status_code == 200
    shared.server.close()


def test_another_suggester_elsewhere_is_no_other_model(tmp_path: Path) -> None:
    shared = fake_session(tmp_path)
    add_document(shared.server.store(), HERRING_ACT, project_id=shared.project_id())
    alone = FakePredictor(hierarchy()).suggest(HERRING_ACT)
    asked = replace(alone, bundle_hash=asking(alone.bundle_hash, "0123456789ab"))
    save_prediction(shared.server.store(), "act", asked, settings={})
    client = TestClient(Starlette(routes=evidence.routes(shared.server)))
    wait_until_loaded(shared, 20)
    answer = client.get("/api/evidence", params={"document": "act", "concept": "101"})
    assert answer.status_code == 200
    shared.server.close()


class CountingPredictor(FakePredictor):
    def __init__(self, version: int = 1) -> None:
        super().__init__(hierarchy(), version=version)
        self.explained: list[str] = []
        self.at_work = threading.Lock()

    def explain(self, document: Document) -> FakeExplanation:
        assert self.at_work.acquire(blocking=False), "two at a time"
        self.explained.append(document.document_id)
        self.at_work.release()
        return super().explain(document)


def text(name: str) -> Document:
    return Document.from_text(name, name, "text")


def test_a_document_is_explained_once_until_its_text_or_the_model_changes() -> None:
    model, newer = CountingPredictor(1), CountingPredictor(2)
    cache, other = ExplanationCache(model), ExplanationCache(newer)
    first = cache.explanation(text("a"))
    assert cache.explanation(Document.from_text("other id", "a", "text")) is first
    assert cache.explanation(Document.from_text("a", "a", "texts")) is not first
    assert other.explanation(text("a")) is not first
    assert cache.explanation(text("a")) is first  # one model does not evict another's
    assert (model.explained, newer.explained) == (["a", "a"], ["a"])
    assert (len(cache), len(other)) == (2, 1)


def test_the_cache_is_bounded_and_keeps_what_was_asked_for_last() -> None:
    model = CountingPredictor()
    cache = ExplanationCache(model, max_explanations=2)
    for name in "abac":
        cache.explanation(text(name))
    assert len(cache) == 2
    cache.explanation(text("a"))
    assert model.explained == ["a", "b", "c"]


def test_the_cache_is_bounded_by_bytes_and_keeps_the_one_that_is_in_use() -> None:
    model = CountingPredictor()
    long = [Document.from_text(name, name, name * 30_000) for name in "ab"]
    assert about_bytes(long[0]) > 15_000_000
    cache = ExplanationCache(model, max_bytes=20_000_000)
    for document in (text("c"), text("d"), *long):
        cache.explanation(document)
    assert len(cache) == 1
    cache.explanation(text("c"))
    assert (len(cache), model.explained) == (2, ["c", "d", "a", "b", "c"])
    assert about_bytes(Document.from_text("", "", "a" * 10**6)) < 21_000_000


def test_many_at_once_make_one_explanation_one_after_the_other() -> None:
    model = CountingPredictor()
    cache = ExplanationCache(model)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: cache.explanation(text("ab"[n % 2])), range(16)))
    assert sorted(model.explained) == ["a", "b"]


def test_evidence_is_kept_when_its_explanation_is_not() -> None:
    model = CountingPredictor()
    cache = ExplanationCache(model, max_explanations=1)
    first = cache.evidence(text("a"), ["102"])
    assert first and cache.evidence(text("b"), ["102"])
    assert cache.evidence(text("a"), ["102"]) == first
    assert model.explained == ["a", "b"]


def test_evidence_is_bounded_by_bytes() -> None:
    model = CountingPredictor()
    cache = ExplanationCache(model, max_explanations=1, max_evidence_bytes=0)
    for name in "aba":
        assert cache.evidence(text(name), ["102"])
    assert model.explained == ["a", "b", "a"]


def test_a_fingerprint_tells_title_from_text() -> None:
    assert fingerprint(Document.from_text("", "a", "bc")) != fingerprint(
        Document.from_text("", "ab", "c")
    )


def coded_session(home: Path) -> Session:
    """Codes without a model: names in the text are what is suggested."""
    codes = named_codes()
    bundle = home / "bundle"
    bundle.mkdir()
    LabelSpace(codes).save(bundle / "label_space.jsonl")
    settings = Settings(home, f"sqlite:///{home}/strata.sqlite", bundle, "en")
    return Session(Server(settings, lambda _: EmptySuggester(codes)))


def coded_evidence(home: Path, text: str, *codes: str) -> dict[str, Any]:
    """What is answered of codes of a note, by code."""
    shared = coded_session(home)
    note = Document.from_text("note", "Visit", text)
    add_document(shared.server.store(), note, project_id=shared.project_id())
    reading = shared.server.queue.submit(note, shared.project_id())
    assert reading.finished.wait(60)
    assert reading.prediction is not None, reading.problem
    client = TestClient(Starlette(routes=evidence.routes(shared.server)))
    asked = {"document": "note", "concept": ",".join(codes)}
    found: dict[str, Any] = client.get("/api/evidence", params=asked).json()["concepts"]
    shared.server.close()
    return found


def test_what_is_denied_is_said_with_its_passage(tmp_path: Path) -> None:
    found = coded_evidence(tmp_path, "No pneumonia. Cough, later no cough.", "J18.9", "R05", "I10")
    (denied,) = found["J18.9"]["passages"]
    assert denied["assertions"] == [{"status": "negated", "cue": "No"}]
    assert denied["is_name"] is True
    (cough,) = found["R05"]["passages"]
    assert cough["assertions"] == [None, {"status": "negated", "cue": "no"}]
    assert "I10" not in found


def test_a_lasting_disease_is_not_called_historical_where_a_note_lists_it(tmp_path: Path) -> None:
    text = (
        "Past Medical History:\nHypertension\nPneumonia\n\nHospital Course:\nResolved hypertension."
    )
    found = coded_evidence(tmp_path, text, "I10", "J18.9")
    (listed,) = found["I10"]["passages"]
    assert listed["assertions"] == [None, {"status": "historical", "cue": "Resolved"}]
    (over,) = found["J18.9"]["passages"]
    assert over["assertions"] == [{"status": "historical", "cue": "Past Medical History"}]


def test_a_librarian_is_told_nothing_of_what_is_denied(tmp_path: Path) -> None:
    shared = fake_session(tmp_path)
    act = Document.from_text("act", "Quota", "There is no herring.")
    add_document(shared.server.store(), act, project_id=shared.project_id())
    client = TestClient(Starlette(routes=evidence.routes(shared.server)))
    wait_until_loaded(shared, 20)
    answer = client.get("/api/evidence", params={"document": "act", "concept": "102"}).json()
    shared.server.close()
    assert "assertions" not in answer["concepts"]["102"]["passages"][0]


def test_evidence_is_asked_for_again_when_the_process_of_the_model_has_ended(
    tmp_path: Path,
) -> None:
    class StoppedPredictor(FakePredictor):
        def explain(self, document: Document) -> FakeExplanation:
            raise ModelStoppedError("It has ended.")

    place = fake_session(tmp_path)
    server = Server(place.settings, lambda _: StoppedPredictor(hierarchy()))
    session = Session(server)
    add_document(session.server.store(), HERRING_ACT, project_id=session.project_id())
    assert wait_until_loaded(session, 10) == "ready"
    asked = {"document": HERRING_ACT.document_id, "concept": "102"}
    answer = TestClient(Starlette(routes=evidence.routes(server))).get(
        "/api/evidence", params=asked
    )
    assert (answer.status_code, answer.json()) == (503, {"problem": "It has ended."})
    assert answer.headers["Retry-After"] == "1"
    server.close()
