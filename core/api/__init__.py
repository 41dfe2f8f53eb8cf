"""Routes for the browser and for programs: search, concepts, and how the server is.

Answers are JSON. A route never raises: what is wrong is said under `problem`, with a status.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api import below, check, concept, decisions, evidence, search
from core.api.answers import route
from core.api.shared import Shared

__all__ = ["Shared", "routes"]


def routes(shared: Shared) -> list[Route]:
    """Return the routes of the API over the shared objects of one server."""

    def health(_: Request) -> JSONResponse:
        answer = dict(shared.health())
        return JSONResponse(answer, status_code=200 if answer["state"] != "failed" else 503)

    owners = (search, concept, below, decisions, check, evidence)
    return [
        route("/api/health", health),
        *(route for owner in owners for route in owner.routes(shared)),
    ]
