"""`/api/search`: concepts by what a person types."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import of_document_here, problem, route
from core.review.reports.outline import outline
from core.review.store.rules import Rules
from core.serving.server import Server
from core.serving.session import Session
from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.hits import SearchHit, is_certain

MAX_QUERY_CHARACTERS = 200
MAX_LANGUAGE_CHARACTERS = 20
MAX_HITS = 100
DEFAULT_HITS = 20
MAX_DIGITS = 9


def routes(server: Server) -> list[Route]:
    """Return `/api/search?q=&lang=&limit=&divisions=1&document=`; divisions are left out unless asked for.

    With `document`, nothing is found for one of another project: its page must not offer what the
    document cannot be given.
    """
    return [route(server, "/api/search", _answer)]


def _answer(session: Session, request: Request) -> JSONResponse:
    document_id = request.query_params.get("document")
    if document_id:
        session = of_document_here(session, document_id)
    served = session.vocabulary()
    if served is None:
        return problem("The vocabulary is not loaded.", 503)
    return _search(request, served, session.rules())


def _search(request: Request, served: Vocabulary, rules: Rules) -> JSONResponse:
    """Answer one query with what may be assigned, and all nodes that a tree needs to show it."""
    asked = request.query_params
    query = asked.get("q", "")[:MAX_QUERY_CHARACTERS]
    language = asked.get("lang", "en")[:MAX_LANGUAGE_CHARACTERS]
    limit = asked.get("limit", str(DEFAULT_HITS))
    is_number = limit.isdecimal() and len(limit) <= MAX_DIGITS
    if not is_number or not 0 < int(limit) <= MAX_HITS:
        return problem(f"limit is a number from 1 to {MAX_HITS}, not {limit[:20]!r}.", 400)
    hierarchy = served.hierarchy
    found = served.index.search(query, language=language, limit=2 * int(limit))
    if asked.get("divisions") != "1":
        found = [hit for hit in found if hierarchy[hit.concept_id].assignable]
    hits = found[: int(limit)]
    return JSONResponse(
        {
            "hits": [_hit(hit, hierarchy, language, rules) for hit in hits],
            "certain": is_certain(query, hits, language=language),
        }
    )


def _hit(hit: SearchHit, hierarchy: Hierarchy, language: str, rules: Rules) -> dict[str, Any]:
    return {
        "concept_id": hit.concept_id,
        "label": hit.label,
        "matched": hit.matched,
        "language": hit.language,
        "mended": hit.mended,
        "notation": hit.notation,
        "code": hit.notation if hierarchy.has_codes else None,
        "path": hit.path,
        "nodes": outline([hit.concept_id], hierarchy=hierarchy, language=language, rules=rules),
    }
