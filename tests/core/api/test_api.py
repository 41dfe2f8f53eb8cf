"""The routes answer in JSON, whatever is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.errors import BundleError
from core.serving.choosing import wait_until_loaded
from core.serving.server import Server
from core.serving.session import Session
from core.suggest.protocol import Suggester
from tests.support.fakes import fake_session


def found(client: TestClient, **query: str) -> list[str]:
    answer = client.get("/api/search", params=query)
    assert answer.status_code == 200, answer.text
    return [hit["concept_id"] for hit in answer.json()["hits"]]


def test_a_hit_says_what_matched_and_where_it_stands(reading_client: TestClient) -> None:
    hit = reading_client.get("/api/search", params={"q": "railw"}).json()["hits"][0]
    assert (hit["label"], hit["matched"]) == ("rail transport", "railway")
    assert hit["path"] == "TRANSPORT › land transport › rail transport"
    assert [node["id"] for node in hit["nodes"]] == ["301", "d2", "m3"]


def test_what_may_not_be_assigned_is_not_offered(reading_client: TestClient) -> None:
    assert "m1" not in found(reading_client, q="fish")
    assert "101" in found(reading_client, q="fish")


def test_the_number_of_hits_can_be_chosen(reading_client: TestClient) -> None:
    assert len(found(reading_client, q="t", limit="1")) == 1


@pytest.mark.parametrize("limit", ["0", "101", "many", "-1", ""])
def test_a_wrong_number_is_refused_with_a_sentence(reading_client: TestClient, limit: str) -> None:
    answer = reading_client.get("/api/search", params={"q": "t", "limit": limit})
    assert answer.status_code == 400
    assert "from 1 to 100" in answer.json()["problem"]


def test_health_tells_the_state_of_the_model(tmp_path: Path) -> None:
    shared = fake_session(tmp_path)
    client = TestClient(Starlette(routes=api.routes(shared.server)))
    assert client.get("/api/health").json()["state"] == "loading"
    shared.server.start()
    wait_until_loaded(shared, 10)
    assert client.get("/api/health").json() == {
        "server": shared.server_id,
        "state": "ready",
        "problem": None,
        "model": "fake",
        "bundle_hash": "fake-1",
    }
    shared.server.close()


def test_without_a_vocabulary_the_search_says_so(tmp_path: Path) -> None:
    shared = fake_session(tmp_path)
    (shared.settings.bundle_dir / "label_space.jsonl").unlink()
    client = TestClient(Starlette(routes=api.routes(shared.server)))
    answer = client.get("/api/search", params={"q": "a"})
    assert answer.status_code == 503
    assert answer.json()["problem"]
    shared.server.close()


def test_a_model_that_cannot_be_loaded_makes_the_server_unhealthy(tmp_path: Path) -> None:
    def refuse(_: Path) -> Suggester:
        raise BundleError("There is no bundle.")

    shared = Session(Server(fake_session(tmp_path).settings, refuse))
    shared.server.start()
    wait_until_loaded(shared, 10)
    answer = TestClient(Starlette(routes=api.routes(shared.server))).get("/api/health")
    assert answer.status_code == 503
    assert answer.json()["problem"] == "There is no bundle."
    shared.server.close()
