"""`/api/search`: concepts by what a person types."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import problem, route
from core.api.shared import Served, Shared
from core.review.reports.outline import outline
from core.review.store.documents import vocabulary_of
from core.review.store.rules import Rules, read_rules
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.vocabulary_index import SearchHit

MAX_QUERY_CHARACTERS = 200
MAX_LANGUAGE_CHARACTERS = 20
MAX_HITS = 100
DEFAULT_HITS = 20
OTHER_VOCABULARY = (
    "Another vocabulary is in use now than the one that this document is indexed with."
)


def routes(shared: Shared) -> list[Route]:
    """Serve `/api/search?q=&lang=&limit=&divisions=1&document=`; divisions only when asked for.

    With `document`, nothing is found for one of another vocabulary than the one in use: its page
    was drawn before that came, and must not offer what the document cannot be given.
    """

    def search(request: Request) -> JSONResponse:
        served = shared.vocabulary()
        if served is None:
            return problem("The vocabulary is not loaded.", 503)
        document_id = request.query_params.get("document")
        if document_id and vocabulary_of(shared.store(), document_id) not in (
            None,
            served.hierarchy.vocabulary_id,
        ):
            return problem(OTHER_VOCABULARY, 409)
        return _search(request, served, read_rules(shared.store(), shared.project_id()))

    return [route("/api/search", search)]


def _search(request: Request, served: Served, rules: Rules) -> JSONResponse:
    """Answer one query with what may be assigned, and all nodes that a tree needs to show it."""
    asked = request.query_params
    query = asked.get("q", "")[:MAX_QUERY_CHARACTERS]
    language = asked.get("lang", "en")[:MAX_LANGUAGE_CHARACTERS]
    limit = asked.get("limit", str(DEFAULT_HITS))
    if not limit.isdecimal() or not 0 < int(limit) <= MAX_HITS:
        return problem(f"limit is a number from 1 to {MAX_HITS}, not {limit[:20]!r}.", 400)
    hierarchy = served.hierarchy
    found = served.index.search(query, language=language, limit=2 * int(limit))
    if asked.get("divisions") != "1":
        found = [hit for hit in found if hierarchy[hit.concept_id].assignable]
    hits = found[: int(limit)]
    return JSONResponse({"hits": [_hit(hit, hierarchy, language, rules) for hit in hits]})


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
