"""Who may ask, how much and how often; and that nothing answers unless it is switched on."""

from __future__ import annotations

import time
from base64 import b64encode
from itertools import product
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.api.protection import attempts
from core.api.protection.access import AccessGate
from core.api.protection.program_keys import LEARN, READ, ProgramKeys
from core.api.v1 import messages
from core.api.v1.named import MOST_CHARACTERS
from core.api.v1.operations import Rate
from core.serving.session import Session
from core.serving.workers import TOO_MANY, BusyError, Pool
from tests.support.asgi import ask, run
from tests.support.fakes import fake_session
from tests.support.rest import ACCESS_KEY, ORIGIN, below
from tests.support.site_requests import NO_PAGES

V1 = [path for path in NO_PAGES if path.startswith("/v1/")]

BOTH = "GET, HEAD, POST"


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_nothing_answers_unless_it_is_switched_on(reading_app: Starlette) -> None:
    for path, method in product([*V1, "/v1", "/v1/none"], ["GET", "POST", "PUT", "DELETE"]):
        answer = run(ask(reading_app, path, method=method))
        assert answer.status == 404 and "STRATA_REST=1" in answer.json()["detail"], (path, method)


def test_an_unknown_address_has_a_sentence(rest_client: TestClient) -> None:
    answer = rest_client.get("/v1/none")
    assert answer.status_code == 404 and "openapi.json" in answer.json()["detail"]


def test_a_method_that_an_address_does_not_have_is_refused(rest_app: Starlette) -> None:
    for path, method in product(V1, ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]):
        answer = run(ask(rest_app, path, method=method))
        assert answer.status == 405, (path, method)
        assert answer.headers["allow"] in ("GET, HEAD", "POST", BOTH)


def test_no_route_answers_without_a_key(
    kept_client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "ATTEMPTS", 2.0 * len(V1))  # more would be looked at slowly
    for path in V1:
        assert kept_client.get(path).status_code == 401, path
        assert kept_client.get(path, headers=bearer("strata-none")).status_code == 401, path


def test_the_access_key_opens_everything(kept_client: TestClient, rest_session: Session) -> None:
    assert kept_client.get("/v1/projects", headers=bearer(ACCESS_KEY)).status_code == 200
    learned = kept_client.post(below(rest_session, "/learn"), json=[], headers=bearer(ACCESS_KEY))
    assert learned.status_code == 204


def test_a_key_to_read_does_not_teach(
    kept_client: TestClient, program_keys: ProgramKeys, rest_session: Session
) -> None:
    key, teaching = program_keys.make("catalogue", [READ]), program_keys.make("b", [READ, LEARN])
    path = below(rest_session, "/learn")
    assert kept_client.get("/v1/projects", headers=bearer(key)).status_code == 200
    refused = kept_client.post(path, json=[], headers=bearer(key))
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "This key does not allow to learn.",
    )
    assert kept_client.post(path, json=[], headers=bearer(teaching)).status_code == 204


def test_a_key_may_be_the_password_of_an_address(
    kept_client: TestClient, program_keys: ProgramKeys
) -> None:
    key = program_keys.make("annif-client", [READ])
    for pair in (f"key:{key}", f"{key}:", f"any:{ACCESS_KEY}"):
        basic = b64encode(pair.encode()).decode()
        answer = kept_client.get("/v1/projects", headers={"Authorization": f"Basic {basic}"})
        assert answer.status_code == 200
    for wrong in ("!", b64encode(b"key:none").decode(), b64encode(b"\xff").decode()):
        answer = kept_client.get("/v1/projects", headers={"Authorization": f"Basic {wrong}"})
        assert answer.status_code == 401


def test_a_revoked_key_opens_nothing(kept_client: TestClient, program_keys: ProgramKeys) -> None:
    key = program_keys.make("catalogue", [READ])
    assert kept_client.get("/v1/projects", headers=bearer(key)).status_code == 200
    program_keys.revoke(program_keys.listed()[0].key_id)
    assert kept_client.get("/v1/projects", headers=bearer(key)).status_code == 401


@pytest.mark.parametrize("path", ["/", "/api/health", "//v1/projects", "/v1x", "/_stcore/health"])
def test_a_programs_key_opens_no_page_and_no_other_route(
    rest_app: Starlette, program_keys: ProgramKeys, path: str
) -> None:
    key = program_keys.make("catalogue", [READ, LEARN])
    gate = AccessGate(rest_app, key=ACCESS_KEY, program_keys=program_keys)
    assert run(ask(gate, path, headers=bearer(key))).status == 401


def test_a_server_without_an_access_key_holds_a_program_to_its_own(
    rest_app: Starlette, program_keys: ProgramKeys, rest_session: Session
) -> None:
    key, path = program_keys.make("catalogue", [READ]), below(rest_session, "/learn")

    def statuses(headers: dict[str, str]) -> tuple[int, int]:
        gate = AccessGate(rest_app, key=None, program_keys=program_keys)
        sent = {"content-type": "application/json", **headers}
        learned = ask(gate, path, method="POST", headers=sent, body=[b"[]"])
        return run(ask(gate, "/v1/projects", headers=headers)).status, run(learned).status

    assert statuses({}) == (200, 204)
    assert statuses(bearer(key)) == (200, 403)
    assert statuses(bearer("strata-none")) == (401, 401)


def test_wrong_keys_are_looked_at_slowly(kept_client: TestClient, rest_app: Starlette) -> None:
    gate = AccessGate(rest_app, key=ACCESS_KEY)
    gate._attempts._left[""] = (-attempts.MOST_WAITING, time.monotonic())
    gate._attempts._left["127.0.0.1"] = (-attempts.MOST_WAITING, time.monotonic())
    answer = run(ask(gate, "/v1/projects", headers=bearer("strata-none")))
    assert (answer.status, answer.headers["retry-after"]) == (429, "1")


# ---------------------------------------------------------------------- size and rate


def test_a_text_that_is_too_long_is_refused_with_its_length(
    rest_client: TestClient, rest_session: Session
) -> None:
    text = "a " * (MOST_CHARACTERS // 2 + 1)
    answer = rest_client.post(below(rest_session, "/suggest"), data={"text": text})
    assert answer.status_code == 413
    assert "2,000,000 characters" in answer.json()["detail"]
    assert "2,000,002" in answer.json()["detail"]
    documents = {"documents": [{"text": "short"}, {"text": text}]}
    batch = rest_client.post(below(rest_session, "/suggest-batch"), json=documents)
    assert batch.status_code == 413


def test_too_much_is_refused(
    rest_client: TestClient, rest_session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MAX_BYTES", 1000)
    form = {"text": "a" * 1000}
    answer = rest_client.post(below(rest_session, "/suggest"), data=form)
    assert (answer.status_code, answer.json()["title"]) == (413, "Payload Too Large")
    batch = rest_client.post(below(rest_session, "/learn"), json=[form])
    assert batch.status_code == 413


def test_another_content_type_is_refused(rest_client: TestClient, rest_session: Session) -> None:
    answer = rest_client.post(below(rest_session, "/suggest"), json={"text": "a"})
    assert answer.status_code == 415 and "urlencoded" in answer.json()["detail"]
    answer = rest_client.post(below(rest_session, "/learn"), data={"text": "a"})
    assert answer.status_code == 415


def test_who_asks_too_often_waits(tmp_path: Path) -> None:
    session = fake_session(tmp_path, rest=True, rest_per_minute=3)
    client = TestClient(Starlette(routes=api.routes(session.server)))
    statuses = [client.get("/v1/").status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    refused = client.get("/v1/")
    assert refused.headers["retry-after"] == "20" and "3 times a minute" in refused.json()["detail"]
    session.server.close()


def test_requests_come_back_in_a_minute() -> None:
    now = [0.0]
    rate = Rate(60, lambda: now[0])
    assert [rate.take("a") for _ in range(61)] == [0] * 60 + [1]
    assert rate.take("b") == 0
    now[0] = 2.0
    assert [rate.take("a") for _ in range(3)] == [0, 0, 1]


def test_where_many_texts_wait_one_more_is_told_so(
    rest_client: TestClient, rest_session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object, **__: object) -> None:
        raise BusyError(TOO_MANY)

    monkeypatch.setattr(Pool, "run", full)
    answer = rest_client.post(below(rest_session, "/suggest"), data={"text": "a"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["detail"] == TOO_MANY


# ---------------------------------------------------------------------- pages of other sites


def test_a_listed_site_may_ask_for_what_programs_may(kept_client: TestClient) -> None:
    sent = {"origin": ORIGIN, "sec-fetch-site": "cross-site", **bearer(ACCESS_KEY)}
    answer = kept_client.get("/v1/projects", headers=sent)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "Origin" in answer.headers["vary"]
    assert kept_client.get("/api/health", headers=sent).status_code == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1:3334", "https://127.0.0.1:3333", "null"])
def test_no_other_site_may(kept_client: TestClient, origin: str) -> None:
    sent = {"origin": origin, "sec-fetch-site": "cross-site", **bearer(ACCESS_KEY)}
    answer = kept_client.get("/v1/projects", headers=sent)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_a_browser_that_asks_before_is_told(kept_client: TestClient) -> None:
    answer = kept_client.options("/v1/projects", headers={"origin": ORIGIN})
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-headers"] == "Authorization, Content-Type"
    assert kept_client.options("/v1/projects", headers={"origin": "null"}).status_code == 403
    assert kept_client.options("/api/search", headers={"origin": ORIGIN}).status_code == 403
