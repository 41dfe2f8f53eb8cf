"""The Reconciliation Service API 0.2, in the shapes of its specification's examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.api.v1.entities import candidates, values
from core.api.v1.named import label_language
from core.serving.session import Session
from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from tests.support.rest import URI, below

TYPE = {"id": "Concept", "name": "Concept"}


def asked(client: TestClient, session: Session, **fields: object) -> Any:
    form = {name: json.dumps(value) for name, value in fields.items()}
    answer = client.post(below(session, "/reconcile"), data=form)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_manifest_says_where_everything_is(
    rest_client: TestClient, rest_session: Session
) -> None:
    service = f"http://localhost:8501{below(rest_session, '/reconcile')}"
    manifest = rest_client.get(below(rest_session, "/reconcile")).json()
    assert manifest["versions"] == ["0.2"] and manifest["defaultTypes"] == [TYPE]
    assert manifest["schemaSpace"] == "http://www.w3.org/2004/02/skos/core#"
    assert manifest["view"] == {"url": "{{id}}"}
    places = [*manifest["suggest"].values(), manifest["extend"]["propose_properties"]]
    for place in places:
        assert place["service_url"] == service
        path = f"{place['service_url']}{place['service_path']}"
        assert rest_client.get(path, params={"prefix": "a"}).status_code == 200


def test_a_batch_of_queries_has_a_result_for_each(
    rest_client: TestClient, rest_session: Session
) -> None:
    queries = {
        "q0": {"query": "Herring", "type": "Concept", "limit": 3, "type_strict": "should"},
        "q1": {"query": "catch limit"},
        "q2": {"query": "xyzzy"},
    }
    found = asked(rest_client, rest_session, queries=queries)
    assert list(found) == ["q0", "q1", "q2"] and found["q2"] == {"result": []}
    assert found["q0"]["result"][0] == {
        "id": f"{URI}102",
        "name": "herring",
        "description": "AGRICULTURE AND FOOD › fisheries › herring",
        "score": 100.0,
        "match": True,
        "type": [TYPE],
    }
    assert found["q1"]["result"][0]["id"] == f"{URI}101" and found["q1"]["result"][0]["match"]


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_a_label_of_two_concepts_matches_none_however_few_are_asked_for(
    tmp_path: Path, limit: int
) -> None:
    hierarchy = Hierarchy(
        [Concept(f"sole-{n}", f"u:{n}", None, {"en": "sole"}) for n in range(2)],
        vocabulary_id="v",
        version="1",
    )
    index = VocabularyIndex.build(hierarchy, tmp_path / "v.sqlite")
    found = candidates({"query": "sole"}, Vocabulary(hierarchy, index), language="en", limit=limit)
    index.close()
    assert [(one["score"], one["match"]) for one in found] == [(100.0, False)] * min(limit, 2)


def test_what_is_only_alike_is_no_match(rest_client: TestClient, rest_session: Session) -> None:
    found = asked(rest_client, rest_session, queries={"q": {"query": "tickets for travels"}})["q"][
        "result"
    ]
    assert found and not any(one["match"] for one in found)
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True) and all(0 < score < 100 for score in scores)


def test_properties_of_the_row_tell_candidates_apart(
    rest_client: TestClient, rest_session: Session
) -> None:
    def result(value: object) -> dict[str, Any]:
        query = {"query": "herring", "properties": [{"pid": "broader", "v": value}]}
        found = asked(rest_client, rest_session, queries={"q": query})["q"]["result"][0]
        return dict(found)

    assert result("Fisheries")["match"] and result({"id": f"{URI}m1"})["match"]
    assert result(["honey", "fisheries"])["match"]
    other = result("foodstuffs")
    assert (other["score"], other["match"]) == (50.0, False)
    assert result("")["match"] and result([])["match"] and result([" ", "fisheries"])["match"]


def test_a_limit_may_be_written_with_a_point(
    rest_client: TestClient, rest_session: Session
) -> None:
    found = asked(rest_client, rest_session, queries={"q": {"query": "fish", "limit": 1.0}})
    assert len(found["q"]["result"]) == 1


@pytest.mark.parametrize("uri", [f"{URI}102", f"{URI.replace('https', 'http')}102", f"{URI}102/"])
def test_a_uri_is_its_concept(rest_client: TestClient, rest_session: Session, uri: str) -> None:
    found = asked(rest_client, rest_session, queries={"q": {"query": uri}})["q"]["result"]
    assert (found[0]["id"], found[0]["match"]) == (f"{URI}102", True)


def test_another_type_has_no_candidates(rest_client: TestClient, rest_session: Session) -> None:
    for wanted in ("Q5", ["Q5"]):
        query = {"query": "herring", "type": wanted}
        assert asked(rest_client, rest_session, queries={"q": query}) == {"q": {"result": []}}


def test_queries_come_by_address_as_well(rest_client: TestClient, rest_session: Session) -> None:
    queries = json.dumps({"q0": {"query": "sole"}})
    found = rest_client.get(below(rest_session, "/reconcile"), params={"queries": queries}).json()
    assert found["q0"]["result"][0]["name"] == "sole"


def test_concepts_are_suggested_as_one_types(
    rest_client: TestClient, rest_session: Session
) -> None:
    path = below(rest_session, "/reconcile/suggest/entity")
    found = rest_client.get(path, params={"prefix": "herr"}).json()["result"]
    assert found[0] == {
        "id": f"{URI}102",
        "name": "herring",
        "description": "AGRICULTURE AND FOOD › fisheries › herring",
        "notable": [TYPE],
    }
    behind = rest_client.get(path, params={"prefix": "herr", "cursor": len(found)}).json()
    assert behind == {"result": []}
    assert rest_client.get(path).status_code == 400


def test_properties_are_proposed_and_suggested(
    rest_client: TestClient, rest_session: Session
) -> None:
    path = below(rest_session, "/reconcile")
    proposed = rest_client.get(f"{path}/properties", params={"type": "Concept", "limit": 2}).json()
    assert proposed["type"] == "Concept" and len(proposed["properties"]) == 2
    found = rest_client.get(f"{path}/suggest/property", params={"prefix": "broad"}).json()
    assert found == {"result": [{"id": "broader", "name": "broader concepts"}]}


def test_a_table_is_extended_by_what_is_known(
    rest_client: TestClient, rest_session: Session
) -> None:
    wanted = {
        "ids": [f"{URI}102", f"{URI}m1", "https://example.org/none"],
        "properties": [
            {"id": "broader"},
            {"id": "altLabel", "settings": {"language": "en"}},
            {"id": "P1"},
        ],
    }
    found = asked(rest_client, rest_session, extend=wanted)
    assert found["meta"] == [
        {"id": "broader", "name": "broader concepts"},
        {"id": "altLabel", "name": "other labels"},
        {"id": "P1", "name": "P1"},
    ]
    assert found["rows"][f"{URI}102"] == {
        "broader": [{"id": f"{URI}m1", "name": "fisheries"}],
        "altLabel": [{"str": "Clupea"}],
        "P1": [],
    }
    assert found["rows"]["https://example.org/none"] == {"broader": [], "altLabel": [], "P1": []}


@pytest.mark.parametrize("language", ["", "en", "en-gb"])
def test_what_states_no_language_is_in_every_one(language: str) -> None:
    notes = {"definition": {language: ("a fish",)}}
    sole = Concept("1", "u:1", None, {language: "sole"}, {language: ("Solea",)}, notes=notes)
    hierarchy = Hierarchy([sole], vocabulary_id="v", version="1")
    assert values("altLabel", sole, hierarchy, "en") == [{"str": "Solea"}]
    assert values("definition", sole, hierarchy, "en") == [{"str": "a fish"}]


@pytest.mark.parametrize(("stated", "wanted"), [("", "en"), ("en-gb", "en"), ("en", "en-GB")])
def test_a_language_may_be_asked_for_as_another_one_or_none_is_stated(
    rest_session: Session, tmp_path: Path, stated: str, wanted: str
) -> None:
    sole = Concept("1", "u:1", None, {stated: "sole"})
    hierarchy = Hierarchy([sole], vocabulary_id="v", version="1")
    index = VocabularyIndex.build(hierarchy, tmp_path / "v.sqlite")
    assert label_language(rest_session, Vocabulary(hierarchy, index), wanted) == wanted
    index.close()


@pytest.mark.parametrize(
    "form",
    [
        {"queries": "{"},
        {"queries": "[]"},
        {"queries": '{"q0": {}}'},
        {"queries": '{"q0": {"query": "a", "limit": 0}}'},
        {"queries": json.dumps({str(n): {"query": "a"} for n in range(51)})},
        {"queries": '{"q0": {"query": "\\ud800"}}'},
        {"extend": "[" * 100_000},
        {"extend": '{"ids": ["a"]}'},
        {
            "extend": '{"ids": ["a"], "properties": [{"id": "broader", "settings": {"language": "xx"}}]}'
        },
    ],
)
def test_what_is_no_query_is_refused(
    rest_client: TestClient, rest_session: Session, form: dict[str, str]
) -> None:
    answer = rest_client.post(below(rest_session, "/reconcile"), data=form)
    assert answer.status_code == 400 and answer.json()["detail"].endswith(
        (".", "not supported by vocabulary, which has en")
    )
