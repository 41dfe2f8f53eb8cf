"""Routes for the browser and for programs: search, concepts, and how the server is.

Answers are JSON; a backup and an export are files. A route never raises: what is wrong is said
under `problem`, with a status.

Reading order: `protection` (what each request passes), `answers` (how a route answers), then a
route a module: `search`, `concept`, `evidence`, `check`, `drg`, `hints`, `downloads`,
`export` and `audit`, `comments`, `counts` (over all documents), and `decisions`, with `delivery` (batches of decisions and their receipts).
`v1` is what programs of others ask.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api import (
    audit,
    check,
    comments,
    concept,
    decisions,
    downloads,
    drg,
    evidence,
    export,
    hints,
    search,
    second_annotations,
    v1,
)
from core.api.answers import route
from core.serving.models import LOADING
from core.serving.server import Server
from core.serving.session import Session

__all__ = ["health_of", "routes"]


def health_of(session: Session) -> dict[str, object]:
    """Return how the server is for a project; looking does not open it."""
    served = session.server.registry.peek(session.project_id())
    suggester = served.suggester if served else None
    return {
        "server": session.server_id,
        "state": served.state if served else LOADING,
        "problem": served.problem if served else None,
        "model": suggester.name if suggester else None,
        "bundle_hash": suggester.bundle_hash if suggester else None,
    }


def routes(server: Server) -> list[Route]:
    """Return the routes of the API of one server; each takes person and project of its request."""

    def health(session: Session, _: Request) -> JSONResponse:
        answer = health_of(session)
        return JSONResponse(answer, status_code=200 if answer["state"] != "failed" else 503)

    owners = (
        search, concept, decisions, comments, check, drg, hints, evidence, downloads, export, audit,
        second_annotations,
    )  # fmt: skip
    return [
        route(server, "/api/health", health),
        *(owner_routes for owner in owners for owner_routes in owner.routes(server)),
        *v1.routes(server),
    ]
