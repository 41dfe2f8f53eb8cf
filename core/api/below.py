"""`/api/below`: what can be assigned below a category, for those who look for the right code."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import problem, route
from core.review.reports.outline import outline
from core.review.store.rules import Rules
from core.serving.server import Server
from core.serving.session import Session
from core.vocabulary.concepts import Hierarchy

MAX_ID_CHARACTERS = 2_000  # a URI, where two end alike
MAX_LANGUAGE_CHARACTERS = 20
MAX_CODES = 120  # more than these are looked for one step at a time


def routes(server: Server) -> list[Route]:
    """Return `/api/below?id=&lang=`."""
    return [route(server, "/api/below", _below)]


def _below(session: Session, request: Request) -> JSONResponse:
    """The codes below a category, or, where they are many, the categories of its next level.

    `rows` are ids in the order of the codes, `complete` is whether they are all codes there are,
    and `n_codes` how many that is.
    """
    asked = request.query_params
    concept_id = asked.get("id", "")[:MAX_ID_CHARACTERS]
    language = asked.get("lang", "en")[:MAX_LANGUAGE_CHARACTERS]
    served = session.vocabulary()
    if served is None or concept_id not in served.hierarchy:
        return problem("The vocabulary has no such concept.", 404)
    hierarchy = served.hierarchy
    rules = session.rules()
    codes = assignable_below(concept_id, hierarchy, rules)
    complete = len(codes) <= MAX_CODES
    rows = codes if complete else sorted(hierarchy.narrower(concept_id))
    nodes = outline(rows, hierarchy=hierarchy, language=language, rules=rules)
    answer = {"nodes": nodes, "rows": rows, "complete": complete, "n_codes": len(codes)}
    return JSONResponse(answer)


def assignable_below(concept_id: str, hierarchy: Hierarchy, rules: Rules) -> list[str]:
    """Return what may be assigned below a concept, in the order of the codes."""
    return sorted(
        below
        for below in hierarchy.descendants(concept_id)
        if hierarchy[below].assignable and not rules.forbids(below, hierarchy)
    )
