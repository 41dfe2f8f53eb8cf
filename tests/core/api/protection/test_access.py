"""Who may use a server that answers other machines, and how one signs in."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from core.api.protection import attempts
from core.api.protection import sign_in as forms
from core.api.protection.access import WRONG, AccessGate
from core.api.protection.access_key import KEY_FILE, access_key, is_loopback
from core.api.protection.attempts import ATTEMPTS, MOST_WAITING, TOO_OFTEN, Attempts
from core.api.protection.bodies import TOO_SLOW
from core.api.protection.sign_in import MOST_FORMS
from core.api.protection.signed_out import SIGNED_IN_SECONDS, SIGNED_OUT_FILE, SignedOutCookies
from core.errors import ConfigError
from core.paths import PROJECT_ROOT
from core.settings import Settings
from tests.support.asgi import Answer, ask, connect, run, websocket_scope
from tests.support.site_requests import NO_PAGES, PAGES, SOCKET

KEY = "correct horse battery staple"
ELSEWHERE = ("10.0.0.5", 8501)
BEARER = {"authorization": f"Bearer {KEY}"}


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await PlainTextResponse("inside")(scope, receive, send)


def gate(key: str | None = KEY, file: Path | None = None) -> AccessGate:
    return AccessGate(inside, key=key, signed_out=SignedOutCookies(file))


def sign_in(own: AccessGate, key: str, path: str = "/", **more: str) -> Answer:
    body = urlencode({"access_key": key}).encode()
    return run(
        ask(own, path, method="POST", query=more.pop("query", ""), headers=more, body=[body])
    )


def settings(home: Path, **more: object) -> Settings:
    return replace(Settings(home, "sqlite://", home, "en"), **more)  # type: ignore[arg-type]


def test_no_route_answers_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    own, paths = gate(), (*PAGES, *NO_PAGES, "/favicon.png", "//evil.example/")
    monkeypatch.setattr(attempts, "ATTEMPTS", 2.0 * len(paths))  # more would be looked at slowly
    for path in paths:
        for headers in ({}, {"authorization": f"Bearer {KEY}x"}):
            refused = run(ask(own, path, headers=headers))
            assert refused.status == 401 and "inside" not in refused.text, path
        assert run(ask(own, path, headers=BEARER)).text == "inside", path


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD"])
def test_no_upload_is_taken_without_the_key(method: str) -> None:
    own, path = gate(), "/_stcore/upload_file/session/file"
    assert run(ask(own, path, method=method)).status == 401
    assert run(ask(own, path, method=method, headers=BEARER)).text == "inside"


def test_no_websocket_is_opened_without_the_key() -> None:
    own = gate()
    assert run(connect(own, SOCKET)).status == 403
    assert run(connect(own, SOCKET, headers={"cookie": f"{own.cookie}=1.2"})).status == 403
    assert run(connect(own, SOCKET, headers=BEARER)).status == 101


def test_who_signs_in_comes_back_to_the_page_with_a_cookie() -> None:
    own = gate()
    page = run(ask(own, "/documents", query="project=2"))
    assert page.status == 401 and 'type="password"' in page.text
    answer = sign_in(own, KEY, "/documents", query="project=2")
    assert (answer.status, answer.headers["location"]) == (303, "./documents?project=2")
    (cookie,) = answer.cookies
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Secure" not in cookie
    assert KEY not in cookie
    signed_in = {"cookie": f"_streamlit_xsrf=2|a|b|3; {cookie.partition(';')[0]}"}
    assert run(ask(own, "/documents", headers=signed_in)).text == "inside"
    assert run(connect(own, SOCKET, headers=signed_in)).status == 101
    assert run(ask(gate(KEY + "!"), "/", headers=signed_in)).status == 401


def test_behind_tls_the_cookie_stays_there() -> None:
    answer = sign_in(gate(), KEY, origin="https://localhost:8501")
    assert "Secure" in answer.cookies[0]


@pytest.mark.parametrize("path", ["//evil.example", "//evil.example/a", "/sign-in", "/"])
def test_signing_in_leads_to_no_other_server(path: str) -> None:
    location = sign_in(gate(), KEY, path).headers["location"]
    assert location.startswith("./") and "//" not in location


def test_a_wrong_key_is_said_so_and_more_of_them_are_looked_at_one_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, waited = 1000.0, []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(time, "monotonic", lambda: now)
    own = gate()
    own._attempts = Attempts(wait)
    for _ in range(int(ATTEMPTS)):
        answer = sign_in(own, "guess")
        assert (answer.status, WRONG in answer.text) == (401, True)
    assert waited == []
    assert sign_in(own, "guess").status == 401
    assert sign_in(own, KEY).status == 303, "who has the key waits, and is not locked out"
    assert waited == [1.0, 2.0]
    for _ in range(MOST_WAITING - 1):  # the right key gave its turn back
        assert sign_in(own, "guess").status == 401
    assert waited[-1] == MOST_WAITING
    for given in ("guess", KEY):
        answer = sign_in(own, given)
        assert (answer.status, TOO_OFTEN in answer.text) == (429, True)
    assert run(ask(own, "/api/health", headers=BEARER)).status == 429
    now += 1.0
    assert sign_in(own, KEY).status == 303


def test_attempts_of_one_address_are_not_those_of_another() -> None:
    async def wait(_: float) -> None:
        return

    async def taken() -> bool:
        attempts = Attempts(wait)
        n_taken = int(ATTEMPTS) + MOST_WAITING
        assert all([await attempts.take("10.0.0.1") for _ in range(n_taken)])
        assert not await attempts.take("10.0.0.1")
        return await attempts.take("10.0.0.2")

    assert run(taken())


@pytest.mark.parametrize(
    "token", ["", "1", "1.", "9" * 11 + ".00", "²." + "0" * 64, "9" * 5000 + ".x", "1.é"]
)
def test_a_cookie_that_was_not_given_out_opens_nothing(token: str) -> None:
    own = gate()
    assert run(ask(own, "/api/health", headers={"cookie": f"{own.cookie}={token}"})).status == 401


def test_a_cookie_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    own = gate()
    cookie = {"cookie": sign_in(own, KEY).cookies[0].partition(";")[0]}
    later = time.time() + SIGNED_IN_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert run(ask(own, "/", headers=cookie)).status == 401


def test_one_can_sign_out() -> None:
    own = gate()
    assert "Sign out" in run(ask(own, "/sign-in", headers=BEARER)).text
    answer = run(ask(own, "/sign-in", method="POST", body=[b"sign_out=1"]))
    assert "Max-Age=0" in answer.cookies[0] and "signed out" in answer.text


def test_signing_out_ends_the_cookie_and_what_it_has_opened() -> None:
    own, sent = gate(), []
    cookies = [{"cookie": sign_in(own, KEY).cookies[0].partition(";")[0]} for _ in range(2)]
    messages = iter([{"type": "websocket.connect"}, *[{"type": "websocket.receive"}] * 3])
    seen = []

    async def opened(_scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        seen.extend([(await receive())["type"] for _ in range(2)])
        await send({"type": "websocket.send", "text": "before"})
        await ask(gate_of_all, "/", method="POST", headers=cookies[0], body=[b"sign_out=1"])
        await send({"type": "websocket.send", "text": "after"})
        seen.append((await receive())["type"])

    async def receive() -> Message:
        return next(messages)

    async def send(message: Message) -> None:
        sent.append(message.get("text") or message["type"])

    gate_of_all, own.app = own, opened
    scope = websocket_scope(SOCKET, cookies[0])
    run(own(scope, receive, send))
    assert seen == ["websocket.connect", "websocket.receive", "websocket.disconnect"]
    assert sent == ["websocket.accept", "before", "websocket.close"]
    own.app = inside
    assert run(connect(own, SOCKET, headers=cookies[0])).status == 403
    assert run(ask(own, "/", headers=cookies[0])).status == 401
    assert run(ask(own, "/", headers=cookies[1])).text == "inside", "of another browser"


def test_who_has_signed_out_stays_so_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / SIGNED_OUT_FILE
    own = gate(file=file)
    cookies = [{"cookie": sign_in(own, KEY).cookies[0].partition(";")[0]} for _ in range(2)]
    run(ask(own, "/", method="POST", headers=cookies[0], body=[b"sign_out=1"]))
    restarted = gate(file=file)
    assert run(ask(restarted, "/", headers=cookies[0])).status == 401
    assert run(ask(restarted, "/", headers=cookies[1])).text == "inside", "of another browser"


@pytest.mark.parametrize("body", [b"", b"\xff", b"x" * 9000, b"access_key=", b"access_key=%ff"])
def test_an_odd_form_signs_nobody_in(body: bytes) -> None:
    assert run(ask(gate(), "/", method="POST", body=[body])).status == 401


def test_a_form_that_does_not_arrive_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forms, "FORM_SECONDS", 0.02)
    slow = ask(gate(), "/", method="POST", body=[b"access_key=c"], unfinished=True)
    answer = run(slow)
    assert (answer.status, TOO_SLOW in answer.text) == (408, True)


def test_who_has_gone_before_the_form_was_whole_has_tried_no_key() -> None:
    own = gate()

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def nobody(_: Message) -> None: ...

    for _ in range(3 * MOST_WAITING):
        scope = websocket_scope("/") | {"type": "http", "method": "POST"}
        run(own(scope, gone, nobody))
    assert sign_in(own, KEY).status == 303


def test_of_many_forms_that_do_not_arrive_the_oldest_give_way_and_who_has_the_key_comes_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forms, "FORM_SECONDS", 600.0)
    own, n_more = gate(), 30

    async def besieged() -> tuple[int, int]:
        unfinished = [
            asyncio.create_task(ask(own, "/", method="POST", body=[b"a"], unfinished=True))
            for _ in range(MOST_FORMS + n_more)
        ]
        await asyncio.sleep(0.05)
        body = [urlencode({"access_key": KEY}).encode()]
        signed_in = await ask(own, "/", method="POST", body=body)
        ended = [task for task in unfinished if task.done()]
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)
        assert {task.result().status for task in ended} == {408}
        return signed_in.status, len(ended)

    assert run(besieged()) == (303, n_more)


def test_without_a_key_this_machine_alone_is_answered() -> None:
    own = gate(None)
    assert run(ask(own, "/api/health")).text == "inside"
    assert run(ask(own, "/api/health", server=ELSEWHERE)).status == 403
    assert run(connect(own, SOCKET, server=ELSEWHERE)).status == 403


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        (None, False),
        ("", False),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.4", False),
        ("localhost.evil.example", False),
    ],
)
def test_an_address_is_of_this_machine_or_is_not(address: str | None, is_here: bool) -> None:
    assert is_loopback(address) == is_here


def test_on_localhost_no_key_is_asked_for_unless_there_is_one(tmp_path: Path) -> None:
    assert access_key(settings(tmp_path, makes_access_key=True), "localhost") is None
    assert access_key(settings(tmp_path, access_key=KEY), "localhost") == KEY
    (tmp_path / KEY_FILE).write_text(f"{KEY}\n")
    assert access_key(settings(tmp_path), "localhost") == KEY


def test_elsewhere_a_server_without_a_key_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Set STRATA_ACCESS_KEY"):
        access_key(settings(tmp_path), "0.0.0.0")
    with pytest.raises(ConfigError, match="shorter than 16"):
        access_key(settings(tmp_path, access_key="secret"), "0.0.0.0")
    (tmp_path / KEY_FILE).write_text("\n")
    for address in ("0.0.0.0", "localhost"):
        with pytest.raises(ConfigError, match="shorter than 16"):
            access_key(settings(tmp_path, makes_access_key=True), address)
    assert access_key(settings(tmp_path, access_key=KEY), None) == KEY


def test_a_key_is_made_printed_once_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = settings(tmp_path / "home", makes_access_key=True)
    key = access_key(place, "0.0.0.0")
    assert key is not None and len(key) >= 32
    assert key in capsys.readouterr().out
    assert stat.S_IMODE((place.home / KEY_FILE).stat().st_mode) == 0o600
    assert access_key(place, "0.0.0.0") == key
    assert capsys.readouterr().out == ""


def test_the_program_says_in_a_sentence_why_it_does_not_start(tmp_path: Path) -> None:
    program = (
        "from streamlit import config; config.set_option('server.address', '0.0.0.0'); "
        "import streamlit_app"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=PROJECT_ROOT,
        env=os.environ | {"STRATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Strata would answer other machines here"), done.stderr
    assert len(done.stderr.splitlines()) == 1
