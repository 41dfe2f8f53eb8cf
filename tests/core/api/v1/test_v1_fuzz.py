"""Every route for programs, asked at random with a fixed seed, has a sentence and never fails."""

from __future__ import annotations

import json
from itertools import product
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Route

from tests.support.asgi import Answer, ask, run
from tests.support.hostile import HOSTILE_BODIES, texts, values
from tests.support.site_requests import NO_PAGES

SEEDED = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
PROJECT = "/v1/projects/1"
GET_PATHS = (
    *("/v1", "/v1/", "/v1/openapi.json", "/v1/vocabs", "/v1/projects", PROJECT),
    *(f"{PROJECT}/reconcile{path}" for path in ("", "/suggest/entity", "/suggest/property")),
    f"{PROJECT}/reconcile/properties",
)
POST_PATHS = {
    f"{PROJECT}/suggest": FORM,
    f"{PROJECT}/suggest-batch": JSON,
    f"{PROJECT}/learn": JSON,
    "/v1/detect-language": JSON,
    f"{PROJECT}/reconcile": FORM,
}
NAMES = (
    *("text", "limit", "threshold", "language", "metadata_title", "prefix", "cursor"),
    *("queries", "extend", "type", "project"),
)
query_json = st.dictionaries(
    texts,
    st.fixed_dictionaries(
        {"query": texts | values},
        optional={
            "limit": values,
            "type": values,
            "properties": st.lists(
                st.fixed_dictionaries({"pid": st.just("broader") | values, "v": values}), max_size=2
            )
            | values,
        },
    )
    | values,
    max_size=3,
).map(json.dumps)
extend_json = st.fixed_dictionaries(
    {"ids": st.lists(texts, max_size=3) | values, "properties": values}
).map(json.dumps)
fields = st.dictionaries(st.sampled_from(NAMES), texts | query_json | extend_json, max_size=5)
forms = fields.map(lambda asked: urlencode(asked, quote_via=quote).encode())
documents = st.fixed_dictionaries(
    {"text": texts | values},
    optional={
        "document_id": texts | values,
        "metadata": st.dictionaries(st.just("title") | texts, texts | values, max_size=2) | values,
        "subjects": st.lists(
            st.fixed_dictionaries({"uri": st.just("https://example.org/102") | texts | values})
            | values,
            max_size=2,
        )
        | values,
    },
)
several = st.lists(documents | values, max_size=3)
languages = st.lists(st.sampled_from(["en", "fi", "xx"]) | texts | values, max_size=3) | values
json_bodies = (
    several
    | st.fixed_dictionaries({"documents": several | values})
    | st.fixed_dictionaries({"text": texts | values, "languages": languages})
    | values
).map(lambda value: json.dumps(value).encode())


def check(answer: Answer, asked: object) -> None:
    """JSON that is no failure, with a sentence where it is refused."""
    assert answer.status < 500, (asked, answer.text)
    if answer.status == 204:
        assert not answer.body
    elif answer.status >= 400:
        assert answer.headers["content-type"] == "application/problem+json", asked
        assert answer.json()["detail"].strip(), asked
    else:
        assert answer.json() is not None


def test_every_route_for_programs_is_asked_here_and_stands_in_the_table(
    rest_app: Starlette,
) -> None:
    own = [route for route in rest_app.routes if isinstance(route, Route)]
    served = {
        (route.path.replace("{project_id}", "1"), "POST" in (route.methods or ()))
        for route in own
        if route.path.startswith("/v1") and route.methods and "PUT" not in route.methods
    }
    asked = {(path, False) for path in GET_PATHS} | {(path, True) for path in POST_PATHS}
    assert served == asked
    in_table = {path for path in NO_PAGES if path.startswith("/v1/")}
    assert in_table == {path for path, _ in asked} - {"/v1"}


@pytest.mark.parametrize("path", GET_PATHS)
def test_a_route_answers_whatever_is_asked(rest_app: Starlette, path: str) -> None:
    @settings(SEEDED, max_examples=25)
    @given(query=fields.map(lambda asked: urlencode(asked, quote_via=quote)))
    def asked(query: str) -> None:
        check(run(ask(rest_app, path, query=query)), (path, query))

    asked()


@pytest.mark.parametrize("path", POST_PATHS)
def test_a_route_answers_whatever_is_sent(rest_app: Starlette, path: str) -> None:
    kind = POST_PATHS[path]

    @SEEDED
    @given(body=(forms if kind == FORM else json_bodies) | st.binary(max_size=30))
    def sent(body: bytes) -> None:
        headers = {"content-type": kind}
        answer = ask(rest_app, path, method="POST", headers=headers, body=[body], query="limit=1")
        check(run(answer), (path, body))

    sent()


@pytest.mark.parametrize("path", POST_PATHS)
def test_a_hostile_body_is_refused_or_answered(rest_app: Starlette, path: str) -> None:
    for kind, body in product((FORM, JSON, "text/plain"), HOSTILE_BODIES):
        headers = {"content-type": kind}
        answer = run(ask(rest_app, path, method="POST", headers=headers, body=[body]))
        check(answer, (path, kind, body[:60]))


@pytest.mark.parametrize("raw", ["%ff", "a=%ff", "limit=%ff", "&" * 500, "prefix=%ed%a0%80"])
def test_an_address_that_is_no_text_is_refused(rest_app: Starlette, raw: str) -> None:
    for path in GET_PATHS:
        check(run(ask(rest_app, path, query=raw)), (path, raw))
