"""How routes answer: JSON, worked out in a thread of its own, and a sentence where it fails."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.errors import StrataError
from core.review.store.projects import project_of
from core.serving.caller import UnknownProjectError
from core.serving.server import Server
from core.serving.session import Session

_LOG = logging.getLogger(__name__)

MAX_BODY_BYTES = 2_000_000
PROJECT = "project"  # the parameter by which a request names its project
OTHER_VOCABULARY = (
    "Another vocabulary is in use now than the one that this document is indexed with."
)
OTHER_PROJECT = "This document is of another project than the one that was asked for."


class CannotAnswerError(Exception):
    """A request that gets a sentence and a status for an answer."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


def route(server: Server, path: str, answer: Callable[[Session, Request], JSONResponse]) -> Route:
    """Return a GET route, answered for the caller that the request names by `?project=`.

    What Strata raises on purpose becomes a `problem` with status 500.
    """

    async def endpoint(request: Request) -> JSONResponse:
        session = Session(server, request.query_params.get(PROJECT))
        return await run_in_threadpool(_answered, partial(answer, session, request), path)

    return Route(path, endpoint)


def post_route(
    server: Server, path: str, answer: Callable[[Session, dict[str, Any]], JSONResponse]
) -> Route:
    """Return a POST route for an object in JSON, sent by a page of this server and by no other.

    The object or the address names the caller's project.
    """

    async def endpoint(request: Request) -> JSONResponse:
        if not _is_from_here(request):
            return problem("Only pages of this server may write here.", 403)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                return problem("That is too much for one message.", 413)
        try:
            content = json.loads(body)
        except ValueError:
            content = None
        if not isinstance(content, dict):
            return problem("Send an object in JSON.", 400)
        named = content.get(PROJECT, request.query_params.get(PROJECT))
        session = Session(server, named if isinstance(named, str | int) else None)
        return await run_in_threadpool(_answered, partial(answer, session, content), path)

    return Route(path, endpoint, methods=["POST"])


def _is_from_here(request: Request) -> bool:
    """Whether a page of this server sends it.

    A form on another site cannot send JSON, and a script on another site names its own origin.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    origin = request.headers.get("origin")
    host = request.headers.get("host")
    return kind == "application/json" and (origin is None or urlsplit(origin).netloc == host)


def problem(sentence: str, status: int) -> JSONResponse:
    """Return what is wrong, for a person."""
    return JSONResponse({"problem": sentence}, status_code=status)


def of_document(session: Session, document_id: str) -> Session:
    """Return the session of a document's project.

    A request that names a project is answered about documents of that project alone.

    Raises:
        CannotAnswerError: it names another one.
    """
    project = project_of(session.store(), document_id)
    if project is None or project.project_id == session.project_id():
        return session
    if session.named is None:
        return session.elsewhere(project.project_id)
    raise CannotAnswerError(OTHER_PROJECT, 409)


def of_document_here(session: Session, document_id: str) -> Session:
    """Return the session of a document's project, which has the vocabulary of the session's own.

    Raises:
        CannotAnswerError: it has another one, or the request names another project.
    """
    project = project_of(session.store(), document_id)
    if project is not None and project.vocabulary_id != session.vocabulary_id():
        raise CannotAnswerError(OTHER_VOCABULARY, 409)
    return of_document(session, document_id)


def _answered(answer: Callable[[], JSONResponse], path: str) -> JSONResponse:
    try:
        return answer()
    except CannotAnswerError as error:
        return problem(str(error), error.status)
    except UnknownProjectError as error:
        return problem(str(error), 404)
    except StrataError as error:
        _LOG.exception("%s failed", path)
        return problem(str(error), 500)
