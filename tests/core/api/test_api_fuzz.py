"""Every route, asked at random with a fixed seed, answers with JSON and never with a failure."""

from __future__ import annotations

import io
import json
import zipfile
from itertools import product
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from tests.support.asgi import Answer, ask, run
from tests.support.hostile import HOSTILE_BODIES, texts, values
from tests.support.site_requests import NO_PAGES

OFTEN = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
GET_PATHS = tuple(path for path in NO_PAGES if path.startswith("/api/"))
NAMES = (
    "project",
    "document",
    "concept",
    "id",
    "lang",
    "q",
    "limit",
    "divisions",
    "after",
    "field",
    "start",
    "end",
    "everywhere",
    "tab",
    "who",
    "kind",
    "since",
    "until",
)
queries = st.dictionaries(st.sampled_from(NAMES), texts, max_size=6).map(
    lambda asked: urlencode(asked, quote_via=quote)
) | st.binary(max_size=30).map(lambda raw: f"document={quote(raw)}&id={quote(raw)}&q={quote(raw)}")

operations = st.fixed_dictionaries(
    {},
    optional={
        "sequence": st.integers(1, 9) | values,
        "action": st.sampled_from(
            ["accept", "reject", "add", "undo", "finish", "reopen", "back_off", "hold", "note"]
        )
        | values,
        "concept_id": st.sampled_from(["102", "d1", "zz"]) | values,
        "at": values,
        "group": values,
        "note": values,
        "date": values,
        "place": values,
        "rank": values,
        "probability": values,
    },
)
batches = st.fixed_dictionaries(
    {
        "client": st.just("c" * 24) | values,
        "document_id": st.just("act") | values,
        "operations": st.lists(operations | values, max_size=3) | values,
    }
)
messages = st.fixed_dictionaries(
    {"batches": st.lists(batches | values, max_size=2) | values},
    optional={
        "document": st.just("act") | values,
        "after": values,
        "lang": values,
        "project": values,
    },
)


def check(answer: Answer, asked: object) -> None:
    """JSON, with a sentence where it is refused, or a whole file; no failure of the server."""
    if answer.headers["content-type"] == "application/zip":
        assert zipfile.ZipFile(io.BytesIO(answer.body)).testzip() is None
        return
    if answer.headers.get("content-disposition", "").startswith("attachment"):
        assert answer.status == 200 and answer.body, asked
        return
    found = answer.json()
    assert isinstance(found, dict), asked
    assert answer.status < 500, (asked, found)
    if answer.status >= 400:
        assert found["problem"].strip(), asked


def sent(reading_app: Starlette, body: bytes) -> Answer:
    headers = {"content-type": "application/json"}
    return run(ask(reading_app, "/api/decisions", method="POST", headers=headers, body=[body]))


def test_every_route_that_reads_is_asked_here(reading_app: Starlette) -> None:
    reading = {
        route.path
        for route in reading_app.routes
        if "GET" in (getattr(route, "methods", None) or ())
        and getattr(route, "path", "").startswith("/api/")
    }
    assert reading == set(GET_PATHS)


@pytest.mark.parametrize("path", GET_PATHS)
def test_a_route_answers_whatever_is_asked(reading_app: Starlette, path: str) -> None:
    @settings(OFTEN, max_examples=30)
    @given(query=queries)
    def asked(query: str) -> None:
        check(run(ask(reading_app, path, query=query)), (path, query))

    asked()


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 30, "٣", "-" + "9" * 17, "0x1", "1e3", ""])
def test_a_number_that_is_none_is_no_failure(reading_app: Starlette, number: str) -> None:
    place = {"document": "act", "concept": "102", "field": "title", "start": "0", "end": "2"}
    paths = ("/api/search", "/api/decisions", "/api/without", "/api/support")
    for name, path in product(("limit", "after", "start", "end", "project"), paths):
        query = place | {"q": "herring", name: number}
        check(run(ask(reading_app, path, query=query)), (path, query))


@OFTEN
@given(message=messages)
def test_a_message_of_any_form_is_answered(reading_app: Starlette, message: object) -> None:
    check(sent(reading_app, json.dumps(message).encode()), message)


@settings(OFTEN, max_examples=50)
@given(body=st.binary(max_size=40))
def test_a_body_that_is_no_message_is_refused(reading_app: Starlette, body: bytes) -> None:
    check(sent(reading_app, body), body)


def test_a_hostile_body_is_refused_or_answered(reading_app: Starlette) -> None:
    for body in HOSTILE_BODIES:
        check(sent(reading_app, body), body[:60])


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/api/decisions", {}),
        ("/api/check", {}),
        ("/api/drg", {}),
        ("/api/hints", {}),
        ("/api/evidence", {"concept": "102"}),
        ("/api/without", {"concept": "102", "field": "title", "start": "0", "end": "2"}),
        ("/api/support", {"field": "title", "start": "0", "end": "2"}),
    ],
)
def test_an_unknown_document_is_not_found(
    reading_app: Starlette, path: str, asked: dict[str, str]
) -> None:
    answer = run(ask(reading_app, path, query=asked | {"document": "gone"}))
    assert answer.status == 404
    assert "no" in answer.json()["problem"]
