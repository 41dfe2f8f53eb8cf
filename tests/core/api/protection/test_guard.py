"""What the guard lets through, what every answer carries, and how long a body may take."""

from __future__ import annotations

import asyncio
import io

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from core.api.protection import guard
from core.api.protection.guard import Guard
from tests.support.asgi import Answer, ask, connect, run
from tests.support.logs import log as log
from tests.support.site_requests import CLOSED, NO_PAGES, PAGES, REQUESTS, SOCKET, headers_of, table

SECRET = "Patient Example"


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers everything; reads the body, and fails where the address asks for it."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    if scope["path"] == "/api/fails":
        raise RuntimeError(SECRET)
    body = await Request(scope, receive).body()
    await PlainTextResponse(body or b"inside")(scope, receive, send)


guarded = Guard(inside, hosts=["localhost", "strata.example", "*.team.example"])


def answer_to(path: str, headers: dict[str, str]) -> Answer:
    opened = connect if path == SOCKET else ask
    return run(opened(guarded, path, headers=headers))


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_answered_or_refused_on_every_route(name: str) -> None:
    for path, request, refused in table():
        if request == name:
            answer = answer_to(path, headers_of(name))
            allowed = 101 if path == SOCKET else 200
            expected = (403 if path == SOCKET else refused) if refused else allowed
            assert answer.status == expected, path
            assert path == SOCKET or ("problem" in answer.text) == bool(refused)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("strata.example", 200),
        ("Strata.Example.:443", 200),
        ("one.team.example", 200),
        ("team.example", 400),
        ("127.0.0.1:8501", 200),
        ("[::1]", 200),
        ("[::2]:8501", 400),
        ("[::1", 400),
        ("localhost:port", 400),
        ("me@localhost", 400),
        ("localhost/x", 400),
    ],
)
def test_the_server_answers_under_its_own_names(host: str, status: int) -> None:
    assert answer_to("/api/health", {"host": host}).status == status


def test_every_answer_says_that_no_other_site_may_use_it() -> None:
    for path in (*PAGES, *NO_PAGES, *CLOSED, "/api/fails"):
        for name in ("a program", "a script elsewhere"):
            headers = answer_to(path, headers_of(name)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert "unsafe-eval" not in headers["content-security-policy"]


def test_what_may_hold_text_of_documents_is_kept_nowhere() -> None:
    for path in (*PAGES, *NO_PAGES):
        kept = not path.startswith(("/api/", "/v1/", "/media/", "/_stcore/"))
        headers = answer_to(path, headers_of("a page of ours")).headers
        assert (headers.get("cache-control") != "no-store") == kept


def test_below_a_base_path_pages_and_routes_are_told_apart() -> None:
    below = Guard(inside, hosts=["localhost"], base_path="/strata/")
    link = headers_of("a link elsewhere")
    assert run(ask(below, "/strata/documents", headers=link)).status == 200
    assert run(ask(below, "/strata/api/health", headers=link)).status == 403
    assert run(ask(below, "/strata/_stcore/metrics")).status == 404


@pytest.mark.parametrize("path", ["/api/decisions", "/_stcore/upload_file/session/file"])
def test_a_body_that_does_not_arrive_ends_the_request(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "PIECE_SECONDS", 0.02)
    sent = {"content-length": "9000"}
    slow = ask(guarded, path, method="POST", headers=sent, body=[b"x" * 10], unfinished=True)
    answer = run(asyncio.wait_for(slow, 60))
    assert (answer.status, answer.headers["connection"]) == (408, "close")


def test_a_body_in_pieces_has_its_time_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", -1.0)
    sent = {"transfer-encoding": "chunked"}
    whole = ask(guarded, "/api/decisions", method="POST", headers=sent, body=[b"a", b"b"])
    assert run(whole).status == 408


def test_a_body_that_arrives_is_answered_and_the_line_stays_open() -> None:
    sent = {"content-length": "2"}
    whole = ask(guarded, "/api/decisions", method="POST", headers=sent, body=[b"a", b"b"])
    answer = run(whole)
    assert (answer.text, "connection" in answer.headers) == ("ab", False)


def test_a_failure_is_a_sentence_and_the_log_does_not_quote_it(
    log: io.StringIO,
) -> None:
    answer = answer_to("/api/fails", {})
    assert answer.status == 500
    assert answer.json() == {"problem": "The server failed to answer this (RuntimeError)."}
    assert "RuntimeError" in log.getvalue() and SECRET not in log.getvalue()
