"""Routes of the tree: what another session decided, and nodes of concepts that were looked up."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import problem, route
from core.api.shared import Shared
from core.review.outline import outline
from core.review.rules import read_rules
from core.review.standing import standing

MAX_ID_CHARACTERS = 255


def routes(shared: Shared) -> list[Route]:
    """`/api/decisions` and `/api/outline`."""
    return [
        route("/api/decisions", lambda request: _decisions(request, shared)),
        route("/api/outline", lambda request: _outline(request, shared)),
    ]


def _decisions(request: Request, shared: Shared) -> JSONResponse:
    """What holds on a document, with the nodes of it; `decisions` is null where nothing is new."""
    document_id = request.query_params.get("document", "")
    after = request.query_params.get("after", "-1")
    if not document_id or not after.removeprefix("-").isdecimal():
        return problem("Ask for a document, and after which version.", 400)
    vocabulary = shared.vocabulary()
    hierarchy = vocabulary.hierarchy if vocabulary else None
    now = standing(shared.store(), document_id, hierarchy=hierarchy, after=int(after))
    if now is None:
        return JSONResponse({"version": int(after), "status": None, "decisions": None})
    nodes = outline(now.decisions, hierarchy=hierarchy, language=_language(request))
    return JSONResponse(now.facts | {"nodes": nodes})


def _outline(request: Request, shared: Shared) -> JSONResponse:
    """A concept and all that is above it, as the tree draws them."""
    concept_id = request.query_params.get("id", "")[:MAX_ID_CHARACTERS]
    vocabulary = shared.vocabulary()
    if vocabulary is None or concept_id not in vocabulary.hierarchy:
        return problem("The vocabulary has no such concept.", 404)
    rules = read_rules(shared.store(), shared.project_id())
    nodes = outline(
        [concept_id], hierarchy=vocabulary.hierarchy, language=_language(request), rules=rules
    )
    return JSONResponse({"nodes": nodes})


def _language(request: Request) -> str:
    return request.query_params.get("lang", "en")[:20]
