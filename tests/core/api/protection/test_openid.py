"""Sign-in by OpenID Connect, against a real provider on this machine."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlencode

import pytest
from sqlalchemy import select

from core.api.protection import openid, people
from core.api.protection.openid import COOKIE, OpenId, place_here
from core.api.protection.people import EveryGate
from core.errors import ConfigError
from core.review.people.accounts import add_account, close_account
from core.review.store.store import Store
from core.review.store.tables import audit_event
from core.settings import OpenIdSettings, Settings
from tests.support.asgi import Answer, ask, run
from tests.support.openid_provider import Provider, gate_of, provider
from tests.support.people import COOKIE as SIGNED_IN

JO = {"preferred_username": "Jo"}


def begun(gate: EveryGate, place: str = "") -> tuple[str, str]:
    """The address at the provider, and the cookie that goes along."""
    answer = run(ask(gate, "/sign-in", query=urlencode({"openid": place})))
    assert answer.status == 303, answer.text
    assert "HttpOnly" in answer.cookies[0] and "SameSite=lax" in answer.cookies[0]
    return answer.headers["location"], answer.cookies[0].partition(";")[0]


def back(gate: EveryGate, query: str, cookie: str) -> Answer:
    return run(ask(gate, "/sign-in", query=query, headers={"cookie": cookie}))


def come(gate: EveryGate, elsewhere: Provider, place: str = "", **claims: object) -> Answer:
    """The answer to somebody whom the provider has let in with these claims."""
    elsewhere.knows("17", **claims)
    address, cookie = begun(gate, place)
    return back(gate, elsewhere.lets_in(address, "17"), cookie)


def is_refused(answer: Answer, status: int = 401) -> bool:
    signed_in = any(cookie.startswith(f"{SIGNED_IN}=") for cookie in answer.cookies)
    return answer.status == status and not signed_in


def test_who_has_an_account_of_the_name_is_signed_in(
    gate: EveryGate, team: Store, elsewhere: Provider
) -> None:
    answer = come(gate, elsewhere, "documents?project=2", **JO)
    assert (answer.status, answer.headers["location"]) == (303, "./documents?project=2")
    (cookie,) = (one for one in answer.cookies if one.startswith(f"{SIGNED_IN}="))
    headers = {"cookie": cookie.partition(";")[0]}
    assert run(ask(gate, "/", headers=headers)).text == "inside 2 ['2']"
    with team.read() as connection:
        last = connection.execute(select(audit_event)).mappings().all()[-1]
    assert (last["person_id"], last["kind"], last["detail"]) == (2, "signed in", {"by": "openid"})
    out = run(ask(gate, "/", method="POST", body=[b"sign_out_everywhere=1"], headers=headers))
    assert out.status == 200 and run(ask(gate, "/", headers=headers)).status == 401


def test_the_page_for_signing_in_leads_there_and_back_to_where_one_was(gate: EveryGate) -> None:
    page = run(ask(gate, "/documents", query="project=2&q=a"))
    assert page.status == 401 and "Sign in with 127.0.0.1:" in page.text
    assert 'href="./sign-in?openid=.%2Fdocuments%3Fproject%3D2%26q%3Da"' in page.text


def test_the_provider_is_asked_for_a_code_with_a_challenge(gate: EveryGate) -> None:
    address, cookie = begun(gate)
    asked = {name: value[0] for name, value in parse_qs(address.partition("?")[2]).items()}
    kept = {name: value[0] for name, value in parse_qs(cookie.partition("=")[2].strip('"')).items()}
    digest = hashlib.sha256(kept["code_verifier"].encode()).digest()
    assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert (asked["code_challenge_method"], asked["response_type"]) == ("S256", "code")
    assert (asked["state"], asked["nonce"]) == (kept["state"], kept["nonce"])
    assert asked["redirect_uri"] == "http://localhost:8501/sign-in"
    assert "shared" not in address + cookie


def test_a_token_that_is_not_for_this_sign_in_is_refused(
    gate: EveryGate, elsewhere: Provider
) -> None:
    others: tuple[dict[str, object], ...] = (
        {"aud": "another client"},
        {"aud": ["another client", "third"]},
        {"nonce": "another"},
        {"iss": "https://elsewhere.example"},
        {"exp": time.time() - 3600},
        {"iat": time.time() + 3600},
        {"azp": "another client"},
    )
    for claims in others:
        assert is_refused(come(gate, elsewhere, **JO, **claims)), claims
    assert come(gate, elsewhere, **JO).status == 303


def test_a_token_that_another_has_signed_is_refused(gate: EveryGate, elsewhere: Provider) -> None:
    begun(gate)
    metadata = gate._by_name._openid._app.server_metadata  # type: ignore[union-attr]
    with provider() as another:
        metadata["jwks_uri"] = f"{another.issuer}/jwks"
        assert is_refused(come(gate, elsewhere, **JO))


@pytest.mark.parametrize("name", ["none", "HS256"])
def test_a_token_that_nobody_has_signed_is_refused(
    gate: EveryGate, elsewhere: Provider, name: str
) -> None:
    address, cookie = begun(gate)
    metadata = gate._by_name._openid._app.server_metadata  # type: ignore[union-attr]
    nonce, state = (parse_qs(address)[key][0] for key in ("nonce", "state"))
    now = int(time.time())
    claims = {"iss": elsewhere.issuer, "aud": "strata", "sub": "1", "nonce": nonce} | JO
    parts = ({"alg": name}, claims | {"iat": now, "exp": now + 60})
    written = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in parts]
    token = ".".join(part.rstrip("=") for part in [*written, ""])
    with answering({"id_token": token, "access_token": "x", "token_type": "Bearer"}) as endpoint:
        metadata["token_endpoint"] = endpoint
        metadata["id_token_signing_alg_values_supported"] = ["RS256", name]
        assert is_refused(back(gate, f"code=1&state={state}", cookie))


@contextmanager
def answering(content: dict[str, str]) -> Iterator[str]:
    """The address of a server that always answers with this."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/token"
        finally:
            server.shutdown()
            thread.join()


def test_clocks_may_differ_by_a_minute(gate: EveryGate, elsewhere: Provider) -> None:
    assert come(gate, elsewhere, **JO, exp=time.time() - 30).status == 303


def test_a_forged_state_is_refused(gate: EveryGate, elsewhere: Provider) -> None:
    elsewhere.knows("17", **JO)
    address, cookie = begun(gate)
    query = elsewhere.lets_in(address, "17")
    _, of_another_browser = begun(gate)
    for sent, given in [
        (query.partition("state=")[0] + "state=forged", cookie),
        (query, of_another_browser),
        (query, ""),
        (query, f"{COOKIE}=state=&nonce="),
    ]:
        answer = back(gate, sent, given)
        assert is_refused(answer) and openid.TOO_LATE in answer.text
    assert back(gate, query, cookie).status == 303
    assert is_refused(back(gate, query, cookie))  # a code works once


def test_who_has_said_no_there_is_not_signed_in(gate: EveryGate) -> None:
    address, cookie = begun(gate)
    state = parse_qs(address)["state"][0]
    answer = back(gate, f"error=access_denied&error_description=<script>&state={state}", cookie)
    assert is_refused(answer) and "did not sign you in" in answer.text
    assert "script>" not in answer.text.partition("</style>")[2]


@pytest.mark.parametrize(
    "claims",
    [
        {"preferred_username": "stranger"},
        {"preferred_username": "\N{KELVIN SIGN}im"},  # "kim" in small letters
        {"preferred_username": ["jo"]},
        {"preferred_username": ""},
        {"email": "jo@example.org"},  # not verified
        {"email": "jo@example.org", "email_verified": "true"},
        {},
    ],
    ids=str,
)
def test_who_has_no_account_of_the_name_hears_whom_to_ask(
    gate: EveryGate, team: Store, elsewhere: Provider, claims: dict[str, object]
) -> None:
    for name in ("kim", "jo@example.org"):
        add_account(team, name)
    answer = come(gate, elsewhere, **claims)
    assert is_refused(answer, 403) and people.UNKNOWN_NAME in answer.text


def test_a_verified_address_is_a_name(
    team: Store, gate: EveryGate, elsewhere: Provider, tmp_path: Path
) -> None:
    add_account(team, "jo@example.org")
    verified = {"email": "Jo@Example.org", "email_verified": True}
    assert come(gate, elsewhere, **verified).status == 303
    by_address = gate_of(team, elsewhere, tmp_path, claim="email")
    assert come(by_address, elsewhere, **verified, preferred_username="me").status == 303
    assert is_refused(come(by_address, elsewhere, email="jo@example.org"), 403)


def test_a_closed_account_stays_out(gate: EveryGate, team: Store, elsewhere: Provider) -> None:
    close_account(team, "jo")
    assert is_refused(come(gate, elsewhere, **JO), 403)
    with team.read() as connection:
        last = connection.execute(select(audit_event)).mappings().all()[-1]
    assert (last["person_id"], last["kind"]) == (2, "sign-in refused")


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        ("./documents?project=2", "./documents?project=2"),
        ("annotate", "./annotate"),
        ("", "./"),
        ("https://evil.example", "./"),
        ("//evil.example", "./"),
        ("/\\evil.example", "./"),
        ("..//evil.example", "./"),
        ("javascript:alert(1)", "./"),
        ("documents?a=b\r\nx: y", "./"),
        ("documents?a=\\", "./"),
    ],
)
def test_one_comes_back_to_a_page_of_this_server(place: str, kept: str) -> None:
    assert place_here(place) == kept


def test_a_place_in_the_cookie_leads_nowhere_else(gate: EveryGate, elsewhere: Provider) -> None:
    elsewhere.knows("17", **JO)
    address, cookie = begun(gate)
    forged = cookie.replace("place=.%2F", "place=%2F%2Fevil.example")
    assert forged != cookie
    answer = back(gate, elsewhere.lets_in(address, "17"), forged)
    assert (answer.status, answer.headers["location"]) == (303, "./")


def test_a_provider_that_does_not_answer_is_named(team: Store, tmp_path: Path) -> None:
    gate = gate_of(team, Provider("http://127.0.0.1:9"), tmp_path)
    answer = run(ask(gate, "/sign-in", query="openid="))
    assert answer.status == 503 and "127.0.0.1:9 does not answer" in answer.text
    assert is_refused(back(gate, "code=1&state=a", f"{COOKIE}=state=a&nonce=b&code_verifier=c"))


def test_the_secret_may_stand_in_a_file(
    team: Store, elsewhere: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / openid.SECRET_FILE).write_text("from a file\n")
    own = OpenId(OpenIdSettings(elsewhere.issuer, "strata"), tmp_path)
    assert own._app.client_secret == "from a file"
    with pytest.raises(ConfigError, match=openid.SECRET_FILE):
        OpenId(OpenIdSettings(elsewhere.issuer, "strata"), tmp_path / "elsewhere")
    monkeypatch.setenv("STRATA_OIDC_ISSUER", "http://login.example.org")
    with pytest.raises(ConfigError, match="begins with https"):
        Settings.from_env()
    monkeypatch.setenv("STRATA_OIDC_ISSUER", "https://login.example.org")
    with pytest.raises(ConfigError, match="STRATA_OIDC_CLIENT_ID"):
        Settings.from_env()
    monkeypatch.setenv("STRATA_OIDC_CLIENT_ID", "strata")
    assert Settings.from_env().openid == OpenIdSettings("https://login.example.org", "strata")
