"""Routes for the browser and for programs: search the vocabulary, ask how the server is.

Answers are JSON. A route never raises: what is wrong is said under `problem`, with a status.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.errors import StrataError
from core.review.outline import outline
from core.vocabulary.concepts import Hierarchy

if TYPE_CHECKING:
    from core.vocabulary.search import SearchHit, VocabularyIndex

_LOG = logging.getLogger(__name__)

MAX_QUERY_CHARACTERS = 200
MAX_LANGUAGE_CHARACTERS = 20
MAX_HITS = 100
DEFAULT_HITS = 20

Searched = tuple["VocabularyIndex", Hierarchy]


def routes(
    searched: Callable[[], Searched | None], health: Callable[[], Mapping[str, object]]
) -> list[Route]:
    """The routes of the API.

    Args:
        searched: the index to search and its hierarchy; None while there is none.
        health: what `/api/health` answers; its `state` decides the HTTP status.
    """

    async def search(request: Request) -> JSONResponse:
        found = searched()
        if found is None:
            return _problem("The vocabulary is not loaded.", 503)
        return await run_in_threadpool(_search, request, *found)

    async def tell_health(_: Request) -> JSONResponse:
        answer = dict(health())
        return JSONResponse(answer, status_code=200 if answer["state"] != "failed" else 503)

    return [Route("/api/search", search), Route("/api/health", tell_health)]


def _search(request: Request, index: VocabularyIndex, hierarchy: Hierarchy) -> JSONResponse:
    """Answer one query with what may be assigned, and all nodes that a tree needs to show it."""
    asked = request.query_params
    query = asked.get("q", "")[:MAX_QUERY_CHARACTERS]
    language = asked.get("lang", "en")[:MAX_LANGUAGE_CHARACTERS]
    limit = asked.get("limit", str(DEFAULT_HITS))
    if not limit.isdecimal() or not 0 < int(limit) <= MAX_HITS:
        return _problem(f"limit is a number from 1 to {MAX_HITS}, not {limit[:20]!r}.", 400)
    try:
        found = index.search(query, language=language, limit=2 * int(limit))
    except StrataError as error:
        _LOG.exception("the search failed")
        return _problem(str(error), 500)
    hits = [hit for hit in found if hierarchy[hit.concept_id].assignable][: int(limit)]
    return JSONResponse({"hits": [_hit(hit, hierarchy, language) for hit in hits]})


def _hit(hit: SearchHit, hierarchy: Hierarchy, language: str) -> dict[str, Any]:
    return {
        "concept_id": hit.concept_id,
        "label": hit.label,
        "matched": hit.matched,
        "notation": hit.notation,
        "path": hit.path,
        "nodes": outline([hit.concept_id], hierarchy=hierarchy, language=language),
    }


def _problem(sentence: str, status: int) -> JSONResponse:
    return JSONResponse({"hits": [], "problem": sentence}, status_code=status)
