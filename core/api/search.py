"""`/api/search`: concepts by what a person types."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import asked_language, loaded_vocabulary, of_document_here, problem, route
from core.api.counts import ProjectCounts
from core.errors import StoreError
from core.review.reports.outline import outline
from core.review.reports.used import Used, used_in
from core.review.store.predictions import suggested_concepts
from core.review.store.rules import Rules
from core.serving.server import Server
from core.serving.session import Session
from core.serving.vocabularies import Vocabulary
from core.suggest.related import suggested_for, wants_related, with_related
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.hits import SearchHit, Why, is_certain
from core.vocabulary.search.vocabulary_index import MAX_QUERY_CHARACTERS

_LOG = logging.getLogger(__name__)

MAX_HITS = 100
DEFAULT_HITS = 20
MAX_DIGITS = 9
PATIENCE_SECONDS = 0.05  # a search waits so long for what is looked up anew


def routes(server: Server) -> list[Route]:
    """Return `/api/search?q=&lang=&limit=&divisions=1&related=1&document=`; divisions are left out
    unless asked for, and what the model suggests for the words unless `related` asks for it, which
    takes longer. Without a query it is what was used here recently and often.

    With `document`, what is suggested for it comes before other hits that are as good, and nothing is
    found for one of another project: its page must not offer what the document cannot be given.
    """
    return [route(server, "/api/search", partial(_answer, ProjectCounts()))]


def _answer(counts: ProjectCounts, session: Session, request: Request) -> JSONResponse:
    document_id = request.query_params.get("document")
    if document_id:
        session = of_document_here(session, document_id)
    served = loaded_vocabulary(session)
    limit = request.query_params.get("limit", str(DEFAULT_HITS))
    is_number = limit.isdecimal() and len(limit) <= MAX_DIGITS
    if not is_number or not 0 < int(limit) <= MAX_HITS:
        return problem(f"limit is a number from 1 to {MAX_HITS}, not {limit[:20]!r}.", 400)
    used = _used(session, counts)
    return _search(session, request.query_params, served, int(limit), used)


def _search(
    session: Session, asked: Mapping[str, str], served: Vocabulary, limit: int, used: Used
) -> JSONResponse:
    """Answer one query with what may be assigned, and all nodes that a tree needs to show it."""
    query = asked.get("q", "")[:MAX_QUERY_CHARACTERS]
    language = asked_language(asked)
    divisions = asked.get("divisions") == "1"
    suggested = _suggested(session, asked.get("document"))
    hits = served.index.search(
        query,
        language=language,
        limit=limit,
        divisions=divisions,
        frequencies=used.frequencies,
        learned=used.after(query),
        suggested=suggested,
    )
    if not query.strip() and not divisions:
        offered = [i for i in used.offered() if i in served.index]
        hits = [served.index.hit(i, language, Why.USED) for i in offered][:limit]
    model = session.project.suggester
    may_be_related = model is not None and not divisions and wants_related(query, hits)
    if asked.get("related") == "1" and model is not None and may_be_related:
        related = suggested_for(query, model, served.index)
        hits = with_related(hits, related, served.index, language=language, limit=limit)
    rules, hierarchy = session.rules(), served.hierarchy
    return JSONResponse(
        {
            "hits": [_hit(hit, hierarchy, language, rules) for hit in hits],
            "certain": is_certain(query, hits, language=language),
            "may_be_related": may_be_related,
            "withdrawn": _withdrawn(query, hits, served, language),
        }
    )


def _withdrawn(
    query: str, hits: Sequence[SearchHit], served: Vocabulary, language: str
) -> dict[str, Any] | None:
    """Return the withdrawn concept that was typed, and what to use instead of it.

    None where there is none, and where another concept is called so now.
    """
    old = served.index.withdrawn(query)
    if old is None or any(hit.why is Why.EXACT for hit in hits):
        return None
    hierarchy = served.hierarchy
    instead = [hierarchy[i].label(language) for i in hierarchy.replacements(old.concept_id)]
    return {"label": old.label(language), "instead": instead}


def _used(session: Session, counts: ProjectCounts) -> Used:
    """Return what is used in the project; nothing where the store cannot say, as search needs none.

    A search asks at each key. So it is looked up anew beside the search, which soon goes on with
    what was known; only the first of a project waits for it.
    """
    served = session.project
    count = counts.of(
        served, "used", lambda: used_in(session.store(), served.project_id), first_at_once=True
    )
    wait([count.found], None if count.former is None else PATIENCE_SECONDS)
    used: Used | None = count.newest()
    if used is None:
        _LOG.error("what is used could not be looked up", exc_info=count.found.exception())
    return used or Used()


def _suggested(session: Session, document_id: str | None) -> list[str]:
    """Return what is suggested for the open document; nothing where the store cannot say."""
    if not document_id:
        return []
    try:
        return suggested_concepts(session.store(), document_id)
    except StoreError:
        _LOG.exception("what is suggested for a document could not be looked up")
        return []


def _hit(hit: SearchHit, hierarchy: Hierarchy, language: str, rules: Rules) -> dict[str, Any]:
    return {
        "concept_id": hit.concept_id,
        "label": hit.label,
        "matched": hit.shown,
        "language": hit.language,
        "mended": hit.mended,
        "why": hit.why.value,
        "notation": hit.notation,
        "code": hit.notation if hierarchy.has_codes else None,
        "path": hit.path,
        "nodes": outline([hit.concept_id], hierarchy=hierarchy, language=language, rules=rules),
    }
