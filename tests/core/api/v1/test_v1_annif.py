"""The routes that an Annif server has, with its fields, defaults and statuses."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from starlette.testclient import TestClient

from core import __version__
from core.api.v1 import learning
from core.documents.document import Document
from core.review.decisions.recording import current
from core.review.erasure import erase_document
from core.review.reports.finished import finished_documents, finished_versions
from core.review.store.arrivals import add_document
from core.review.store.projects import archive_project, make_project
from core.review.store.rules import NEVER_ASSIGNED, NEVER_SUGGESTED, set_rule
from core.serving.learning import switch_learning
from core.serving.session import Session, listed_documents
from tests.support.rest import HERRING, URI, below
from tests.support.stores import n_events

LEARNED = {"text": HERRING, "metadata": {"title": "On herring"}, "subjects": [{"uri": f"{URI}102"}]}


def labels(answer: Mapping[str, Any]) -> list[str]:
    return [found["label"] for found in answer["results"]]


@pytest.mark.parametrize("path", ["/v1", "/v1/"])
def test_the_root_says_what_answers(rest_client: TestClient, path: str) -> None:
    assert rest_client.get(path).json() == {"title": "Strata REST API", "version": __version__}


def test_a_project_has_the_fields_that_annif_gives_one(
    rest_client: TestClient, rest_session: Session
) -> None:
    rest_client.post(below(rest_session, "/suggest"), data={"text": HERRING})  # opens it
    found = rest_client.get("/v1/projects").json()["projects"]
    assert found[0] == rest_client.get(below(rest_session)).json()
    assert found[0] | {"modification_time": None, "backend": None} == {
        "project_id": str(rest_session.project_id()),
        "name": "tiny",
        "language": "en",
        "backend": None,
        "vocab": {"vocab_id": "tiny", "languages": ["en"], "size": 14, "loaded": True},
        "vocab_language": "en",
        "is_trained": True,
        "modification_time": None,
    }
    assert rest_client.get("/v1/vocabs").json() == {"vocabs": [found[0]["vocab"]]}


def test_looking_opens_no_project(own_client: TestClient, own_session: Session) -> None:
    vocabulary = own_client.get(below(own_session)).json()["vocab"]
    assert vocabulary == {"vocab_id": "tiny", "languages": [], "size": None, "loaded": False}


def test_suggestions_are_those_of_the_page(rest_client: TestClient, rest_session: Session) -> None:
    answer = rest_client.post(below(rest_session, "/suggest"), data={"text": HERRING})
    found = answer.json()["results"]
    assert (answer.status_code, len(found)) == (200, 9)
    assert found[0] == {
        "uri": f"{URI}101",
        "label": "fishing quota",
        "notation": None,
        "score": pytest.approx(found[0]["score"]),
    }
    model = rest_session.project.suggester
    assert model is not None
    own = model.suggest(Document.from_text("", HERRING, ""), limit=300).suggestions
    assert {one.uri: one.probability for one in own} == {one["uri"]: one["score"] for one in found}


def test_limit_and_threshold_leave_suggestions_out(
    rest_client: TestClient, rest_session: Session
) -> None:
    path = below(rest_session, "/suggest")
    assert len(rest_client.post(path, data={"text": HERRING, "limit": "2"}).json()["results"]) == 2
    assert rest_client.post(path, data={"text": HERRING, "limit": "0"}).json() == {"results": []}
    sure = rest_client.post(path, data={"text": HERRING, "threshold": "0.2"}).json()["results"]
    assert sure and all(found["score"] >= 0.2 for found in sure)


def test_a_title_is_read_with_the_text(rest_client: TestClient, rest_session: Session) -> None:
    path = below(rest_session, "/suggest")
    alone = rest_client.post(path, data={"text": "1 May.", "metadata_title": "Honey"})
    assert labels(alone.json())[0] == "honey"


def test_a_text_without_words_has_no_suggestions(
    rest_client: TestClient, rest_session: Session
) -> None:
    for text in ("", " \n"):
        answer = rest_client.post(below(rest_session, "/suggest"), data={"text": text})
        assert (answer.status_code, answer.json()) == (200, {"results": []})


def test_a_batch_is_answered_in_its_order(rest_client: TestClient, rest_session: Session) -> None:
    documents = [
        {"text": "Honey.", "document_id": "b"},
        {"text": " "},
        {"text": "A travel ticket.", "metadata": {"title": "Ticket", "year": "2026"}},
    ]
    path = below(rest_session, "/suggest-batch")
    answer = rest_client.post(path, json={"documents": documents}, params={"limit": 1})
    found = answer.json()
    assert [one["document_id"] for one in found] == ["b", None, None]
    assert [labels(one) for one in found] == [["honey"], [], ["travel ticket"]]
    assert rest_client.post(path, json={"documents": []}).json() == []


def test_what_is_never_suggested_is_left_out(own_client: TestClient, own_session: Session) -> None:
    store, project_id = own_session.server.store(), own_session.project_id()
    set_rule(store, project_id, "101", NEVER_SUGGESTED, own_session.person_id())
    answer = own_client.post(below(own_session, "/suggest"), data={"text": HERRING})
    assert "fishing quota" not in labels(answer.json()) and "herring" in labels(answer.json())


def test_nothing_of_a_text_is_kept(own_client: TestClient, own_session: Session) -> None:
    own_client.post(below(own_session, "/suggest"), data={"text": HERRING})
    assert own_session.server.queue.unfinished(own_session.project_id()) == frozenset()
    assert not finished_versions(own_session.server.store(), own_session.project_id(), at_most=9)


@pytest.mark.parametrize(
    ("form", "part"),
    [
        ({}, "text="),
        ({"text": "a", "limit": "-1"}, "limit is a whole number"),
        ({"text": "a", "limit": "9" * 5000}, "limit"),
        ({"text": "a", "limit": "٣"}, "limit"),
        ({"text": "a", "limit": ""}, "limit"),
        ({"text": "a", "threshold": "2"}, "threshold is a number"),
        ({"text": "a", "threshold": "nan"}, "threshold"),
        ({"text": "a", "threshold": "1_0"}, "threshold"),
        ({"text": "a", "language": "xx"}, 'language "xx" not supported'.replace('"', "'")),
        ({"text": "a\x00\x01\x02b"}, "text"),
    ],
)
def test_what_is_wrong_is_said(
    rest_client: TestClient, rest_session: Session, form: dict[str, str], part: str
) -> None:
    answer = rest_client.post(below(rest_session, "/suggest"), data=form or {"other": "1"})
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    assert part in answer.json()["detail"] and answer.json()["title"] == "Bad Request"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/suggest-batch", {"documents": [{"text": "a"}] * 33}),
        ("/suggest-batch", {"documents": [{"document_id": "a"}]}),
        ("/suggest-batch", {"documents": [{"text": 1}]}),
        ("/suggest-batch", {"documents": [{"text": "a", "metadata": {"year": 2026}}]}),
        ("/suggest-batch", []),
        ("/learn", {}),
        ("/learn", [1]),
        ("/learn", [{"text": "a", "subjects": [{"label": "herring"}]}]),
        ("/learn", [{"text": "a", "subjects": [{"uri": "https://example.org/none"}]}]),
        ("/learn", [{"text": " ", "subjects": [{"uri": f"{URI}102"}]}]),
        ("/learn", [{"text": "a", "subjects": [{"uri": f"{URI}d1"}]}]),
    ],
)
def test_a_message_of_another_form_is_refused(
    rest_client: TestClient, rest_session: Session, path: str, body: object
) -> None:
    answer = rest_client.post(below(rest_session, path), json=body)
    assert answer.status_code == 400 and answer.json()["detail"].endswith((".", "json."))


@pytest.mark.parametrize("path", ["", "/suggest", "/suggest-batch", "/learn", "/reconcile"])
@pytest.mark.parametrize("name", ["99", "none", "1 ", "%00", "9" * 400])
def test_an_unknown_project_is_not_found(rest_client: TestClient, path: str, name: str) -> None:
    address = f"/v1/projects/{name}{path}"
    if path == "/suggest":
        answer = rest_client.post(address, data={"text": "a"})
    elif path in ("/suggest-batch", "/learn"):
        sent = {"documents": []} if path == "/suggest-batch" else []
        answer = rest_client.post(address, json=sent)
    else:
        answer = rest_client.get(address)
    assert (answer.status_code, answer.json()["title"]) == (404, "Project not found")
    assert answer.json()["detail"].endswith("not found")


def test_an_archived_project_is_not_found(own_client: TestClient, own_session: Session) -> None:
    other = make_project(own_session.server.store(), "Old", "tiny")
    archive_project(own_session.server.store(), other.project_id)
    assert own_client.get(f"/v1/projects/{other.project_id}").status_code == 404
    sent = own_client.post(f"/v1/projects/{other.project_id}/learn", json=[LEARNED])
    assert sent.status_code == 404


# ---------------------------------------------------------------------- learn


def test_a_learned_document_is_a_finished_one(own_client: TestClient, own_session: Session) -> None:
    unknown = {"uri": "https://example.org/none", "label": "none"}
    over_http = {"uri": f"{URI}201".replace("https", "http")}  # the same, for all that one knows
    subjects = [{"uri": f"{URI}102", "label": "herring"}, unknown, over_http]
    passed_over = [{"text": "No subject."}, {"subjects": subjects}]
    answer = own_client.post(
        below(own_session, "/learn"), json=[LEARNED | {"subjects": subjects}, *passed_over]
    )
    assert (answer.status_code, answer.content) == (204, b"")
    store, project_id = own_session.server.store(), own_session.project_id()
    versions = finished_versions(store, project_id, at_most=9)
    (document,) = finished_documents(store, versions, versions)
    assert document.document.title == "On herring"
    assert set(document.assigned) == {"102", "201"}
    decided = current(store, document.document.document_id)
    assert {decision.state for decision in decided.values()} == {"accepted"}


def test_what_is_never_assigned_is_not_learned(
    own_client: TestClient, own_session: Session
) -> None:
    store, project_id = own_session.server.store(), own_session.project_id()
    set_rule(store, project_id, "103", NEVER_ASSIGNED, own_session.person_id())
    forbidden = {"uri": f"{URI}104"}  # below it
    alone = {"text": "On sole.", "subjects": [forbidden]}
    answer = own_client.post(below(own_session, "/learn"), json=[alone])
    assert answer.status_code == 400 and "may be assigned" in answer.json()["detail"]
    both = LEARNED | {"subjects": [forbidden, {"uri": f"{URI}102"}]}
    assert own_client.post(below(own_session, "/learn"), json=[alone, both]).status_code == 204
    versions = finished_versions(store, project_id, at_most=9)
    (document,) = finished_documents(store, versions, versions)
    assert document.assigned == ("102",)
    assert len(listed_documents(own_session)) == 1


def test_what_is_sent_twice_is_learned_once(own_client: TestClient, own_session: Session) -> None:
    for _ in range(2):
        assert own_client.post(below(own_session, "/learn"), json=[LEARNED]).status_code == 204
    store, project_id = own_session.server.store(), own_session.project_id()
    versions = finished_versions(store, project_id, at_most=9)
    assert list(versions.values()) == [2]


def test_what_is_sent_twice_at_once_is_learned_once(
    own_client: TestClient, own_session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, add_all = Barrier(2, timeout=30), learning.add_documents

    def added(*args: Any, **more: Any) -> Any:
        outcomes = add_all(*args, **more)
        both.wait()  # so that neither has decided when the other one looks
        return outcomes

    monkeypatch.setattr(learning, "add_documents", added)
    path = below(own_session, "/learn")
    with ThreadPoolExecutor(2) as threads:
        sent = [threads.submit(own_client.post, path, json=[LEARNED]) for _ in range(2)]
        assert [one.result().status_code for one in sent] == [204, 204]
    assert n_events(own_session.server.store()) == 2


def test_what_was_erased_is_learned_when_it_comes_again(
    own_client: TestClient, own_session: Session
) -> None:
    store, project_id = own_session.server.store(), own_session.project_id()
    for _ in range(2):
        own_client.post(below(own_session, "/learn"), json=[LEARNED])
        (document_id,) = finished_versions(store, project_id, at_most=9)
        erase_document(store, document_id)


def test_a_text_that_broke_off_is_finished_when_it_comes_again(
    own_client: TestClient, own_session: Session
) -> None:
    document = Document.from_text("", "On herring", HERRING)
    add_document(own_session.server.store(), document, project_id=own_session.project_id())
    own_client.post(below(own_session, "/learn"), json=[LEARNED])
    assert finished_versions(own_session.server.store(), own_session.project_id(), at_most=9)


def test_a_text_that_people_have_decided_stays_as_it_is(
    own_client: TestClient, own_session: Session
) -> None:
    own_client.post(below(own_session, "/learn"), json=[LEARNED])
    other = LEARNED | {"subjects": [{"uri": f"{URI}201"}]}
    assert own_client.post(below(own_session, "/learn"), json=[other]).status_code == 204
    store, project_id = own_session.server.store(), own_session.project_id()
    versions = finished_versions(store, project_id, at_most=9)
    (document,) = finished_documents(store, versions, versions)
    assert document.assigned == ("102",)


def test_what_was_learned_is_suggested(own_client: TestClient, own_session: Session) -> None:
    text = "Skippers report what they catch off the western islands."
    path = below(own_session, "/suggest")
    before = own_client.post(path, data={"text": text}).json()["results"]
    sent = [{"text": f"{text} {n}", "subjects": [{"uri": f"{URI}104"}]} for n in range(12)]
    assert own_client.post(below(own_session, "/learn"), json=sent).status_code == 204
    after = own_client.post(path, data={"text": text}).json()["results"]
    score = {found["uri"]: found["score"] for found in after}[f"{URI}104"]
    assert score > {found["uri"]: found["score"] for found in before}[f"{URI}104"]


def test_a_project_that_does_not_learn_says_so(
    own_client: TestClient, own_session: Session
) -> None:
    switch_learning(own_session.server.store(), own_session.project_id(), is_on=False)
    answer = own_client.post(below(own_session, "/learn"), json=[LEARNED])
    assert (answer.status_code, answer.json()["title"]) == (403, "Learning not allowed")
    assert not finished_versions(own_session.server.store(), own_session.project_id(), at_most=9)


# ---------------------------------------------------------------------- languages


def test_a_language_is_detected_among_candidates(rest_client: TestClient) -> None:
    asked = {"text": "A quick brown fox jumped over the lazy dog.", "languages": ["fi", "en"]}
    found = rest_client.post("/v1/detect-language", json=asked).json()["results"]
    assert [one["language"] for one in found] == ["en", "fi", None]
    assert sum(one["score"] for one in found) == pytest.approx(1)


def test_a_text_without_letters_has_no_language(rest_client: TestClient) -> None:
    found = rest_client.post("/v1/detect-language", json={"text": "12", "languages": ["en"]}).json()
    assert found["results"] == [{"language": None, "score": 1.0}, {"language": "en", "score": 0.0}]


@pytest.mark.parametrize("languages", [["xxx"], [], ["en"] * 6, ["e"], "en", None])
def test_a_language_that_nobody_knows_is_refused(
    rest_client: TestClient, languages: object
) -> None:
    asked = {"text": "a", "languages": languages}
    assert rest_client.post("/v1/detect-language", json=asked).status_code == 400
