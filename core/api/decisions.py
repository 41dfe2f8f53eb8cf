"""Routes of the tree: decisions to be stored, those of other sessions, and nodes of concepts."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import (
    MAX_ID_CHARACTERS,
    MAX_LANGUAGE_CHARACTERS,
    asked_language,
    of_document,
    post_route,
    problem,
    route,
)
from core.api.delivery import deliver
from core.errors import StoreError
from core.review.reports.document_state import document_state, is_newer
from core.review.reports.outline import outline
from core.review.reports.summaries import FINISHED
from core.review.store.documents import vocabulary_of
from core.serving.server import Server
from core.serving.session import Session, next_document, note_present

MAX_DIGITS = 18


def routes(server: Server) -> list[Route]:
    """Return `/api/decisions`, to read and to write, and `/api/outline`."""
    return [
        post_route(server, "/api/decisions", _take),
        route(server, "/api/decisions", _decisions),
        route(server, "/api/outline", _outline),
    ]


def _decisions(session: Session, request: Request) -> JSONResponse:
    """The decisions on a document and their tree nodes; `decisions` is null where nothing is new.

    `here` names others who have it open.
    """
    document_id = request.query_params.get("document", "")
    after = request.query_params.get("after", "-1")
    if not document_id or not after.removeprefix("-").isdecimal() or len(after) > MAX_DIGITS:
        return problem("Ask for a document, and after which version.", 400)
    if vocabulary_of(session.store(), document_id) is None:
        return problem(f"There is no document {document_id[:60]!r} in the store.", 404)
    session = of_document(session, document_id)
    last_sequence = int(after)
    # A page that only asks opens no vocabulary.
    if not is_newer(session.store(), document_id, last_sequence):
        news = _nothing(last_sequence)
    else:
        news = _news(session, document_id, last_sequence, asked_language(request.query_params))
    here = note_present(session, document_id)
    return JSONResponse(news | {"server": session.server_id, "here": here})


def _news(session: Session, document_id: str, after: int, language: str) -> dict[str, Any]:
    vocabulary = session.vocabulary()
    hierarchy = vocabulary.hierarchy if vocabulary else None
    now = document_state(session.store(), document_id, hierarchy=hierarchy, after=after)
    if now is None:
        return _nothing(after)
    nodes = outline(now.decisions, hierarchy=hierarchy, language=language, rules=session.rules())
    return now.facts(session.signed_in) | {"nodes": nodes}


def _nothing(after: int) -> dict[str, Any]:
    return {"version": after, "status": None, "decisions": None}


def _take(session: Session, message: dict[str, Any]) -> JSONResponse:
    """Store decisions, and answer with their receipts and what holds now on the page's document.

    The message has `batches`, and of the page that sends it `document`, `after` (the version that
    it knows) and `lang`. `next` is the document to go on with where one was finished.
    """
    here = message.get("document")
    document_id = here if isinstance(here, str) and here else None
    language = str(message.get("lang") or "en")[:MAX_LANGUAGE_CHARACTERS]
    batches = message.get("batches")
    delivery = deliver(batches, session=session, document_id=document_id, language=language)
    answer: dict[str, Any] = {
        "receipts": delivery.receipts,
        "problem": delivery.problem,
        "document": document_id,
        "server": session.server_id,
    }
    if document_id is None:
        return JSONResponse(answer)
    after = message.get("after")
    try:
        answer |= _news(
            of_document(session, document_id),
            document_id,
            after if isinstance(after, int) else -1,
            language,
        )
        if document_id in delivery.finished and answer["status"] == FINISHED:
            following = next_document(session, document_id)
            answer |= {"finished": True, "next": following}
    except StoreError:
        pass  # the document or the store is away; the receipts and the problem stand
    return JSONResponse(answer)


def _outline(session: Session, request: Request) -> JSONResponse:
    concept_id = request.query_params.get("id", "")[:MAX_ID_CHARACTERS]
    vocabulary = session.vocabulary()
    if vocabulary is None or concept_id not in vocabulary.hierarchy:
        return problem("The vocabulary has no such concept.", 404)
    nodes = outline(
        [concept_id],
        hierarchy=vocabulary.hierarchy,
        language=asked_language(request.query_params),
        rules=session.rules(),
    )
    return JSONResponse({"nodes": nodes})
