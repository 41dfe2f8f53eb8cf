"""The description in OpenAPI: of all routes, and true of their answers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from core import __version__
from core.serving.session import Session

EXAMPLES = 20  # for each operation, of what it allows and of what it does not

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
)


def test_it_describes_all_routes(rest_client: TestClient, rest_app: Starlette) -> None:
    described = rest_client.get("/v1/openapi.json").json()
    assert described["openapi"].startswith("3.1") and described["info"]["version"] == __version__
    assert described["servers"] == [{"url": "http://localhost:8501/v1"}]
    operations = {
        (f"/v1{path}", method.upper())
        for path, methods in described["paths"].items()
        for method in methods
    }
    served = {
        (route.path, method)
        for route in rest_app.routes
        if isinstance(route, Route) and route.path.startswith("/v1/")
        for method in route.methods or ()
        if "PUT" not in (route.methods or ()) and method != "HEAD"
    }
    assert operations == served


def test_its_schemas_are_schemas(rest_client: TestClient) -> None:
    from jsonschema import Draft202012Validator  # at the top, it would take seconds of each process

    described = rest_client.get("/v1/openapi.json").json()
    for schema in described["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_schemathesis_finds_it_true(rest_app: Starlette, rest_session: Session) -> None:
    schemathesis: Any = pytest.importorskip(
        "schemathesis", reason="schemathesis is not installed: pip install -r requirements-dev.txt"
    )
    schema = schemathesis.openapi.from_asgi("/v1/openapi.json", rest_app)
    schemathesis.checks.load_all_checks()
    checks = schemathesis.checks.CHECKS.get_by_names(CHECKS)
    n_asked = 0
    for operation in (found.ok() for found in schema.get_all_operations()):
        for mode in schemathesis.GenerationMode:
            n_asked += _ask_at_random(operation, mode, checks, str(rest_session.project_id()))
    assert n_asked > 10 * EXAMPLES


def _ask_at_random(operation: Any, mode: Any, checks: Any, project_id: str) -> int:
    """Ask for what the description allows, or not, of a project that there is every second time."""
    asked = 0

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def holds(case: Any) -> None:
        nonlocal asked
        asked += 1
        if asked % 2 and "project_id" in (case.path_parameters or {}):
            case.path_parameters["project_id"] = project_id
        case.call_and_validate(checks=checks)

    with suppress(Unsatisfiable):  # there may be nothing to send that is not allowed
        holds()
    return asked
