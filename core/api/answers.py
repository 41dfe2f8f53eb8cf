"""How routes answer: JSON, worked out in a thread of its own, and a sentence where it fails."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.errors import (
    ModelStoppedError,
    NotAllowedError,
    StoreBusyError,
    StrataError,
    TooSlowError,
)
from core.review.store.documents import vocabulary_of
from core.roles import Right, require
from core.serving.caller import UnknownProjectError
from core.serving.server import Server
from core.serving.session import Session
from core.serving.vocabularies import Vocabulary
from core.serving.workers import BusyError, Pool

_LOG = logging.getLogger(__name__)

MAX_BODY_BYTES = 2_000_000
PROJECT = "project"  # the parameter by which a request names its project
PERSON = "person"  # where the gate notes who has signed in, and for whom a page says it was drawn
TAB = "tab"  # the one by which a page names its browser tab
MAX_TAB_CHARACTERS = 40
MAX_ID_CHARACTERS = 255
MAX_LANGUAGE_CHARACTERS = 20
BUSY_SECONDS = 1
OTHER_VOCABULARY = (
    "Another vocabulary is in use now than the one that this document is indexed with."
)
OTHER_PERSON = "Somebody else has signed in in this browser meanwhile. Reload the page."
OTHER_PROJECT = "This document is of another project than the one that was asked for."
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class CannotAnswerError(Exception):
    """A request that gets a sentence and a status for an answer.

    Args:
        retry_seconds: when to ask again; None where that would not help.
    """

    def __init__(self, sentence: str, status: int, *, retry_seconds: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_seconds = retry_seconds


def route(
    server: Server,
    path: str,
    answer: Callable[[Session, Request], Response],
    *,
    pool: Pool | None = None,
    needs: Right = Right.READ,
) -> Route:
    """Return a GET route, answered for the caller that the request names by `?project=`.

    What Strata raises on purpose becomes a `problem` with status 500.

    Args:
        pool: the threads that work the answer out; those of the server that read where none are
            named. `?tab=` names the browser tab that waits for it.
        needs: the right that it takes in the caller's project.
    """
    threads = pool or server.workers.reading

    async def endpoint(request: Request) -> Response:
        session = session_of(server, request, request.query_params.get(PROJECT))
        tab = request.query_params.get(TAB, "")[:MAX_TAB_CHARACTERS]
        call = partial(_allowed, session, request, needs, partial(answer, session, request))
        return await _run(threads, call, path=path, tab=tab)

    return Route(path, endpoint)


def post_route(
    server: Server, path: str, answer: Callable[[Session, dict[str, Any]], Response]
) -> Route:
    """Return a POST route for an object in JSON, sent by a page of this server and by no other.

    The object or the address names the caller's project. What is written asks for its right itself,
    in the project of its document.
    """

    async def endpoint(request: Request) -> Response:
        if not _is_from_here(request):
            return problem("Only pages of this server may write here.", 403)
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    return problem("That is too much for one message.", 413)
        except ClientDisconnect:
            return problem("The message ended too early.", 400)
        content = _object(bytes(body))
        if content is None:
            return problem("Send an object in JSON.", 400)
        named = content.get(PROJECT, request.query_params.get(PROJECT))
        session = session_of(server, request, named if isinstance(named, str | int) else None)
        threads = server.workers.writing
        call = partial(_allowed, session, request, Right.READ, partial(answer, session, content))
        return await _run(threads, call, path=path)

    return Route(path, endpoint, methods=["POST"])


def session_of(server: Server, request: Request, project: str | int | None) -> Session:
    """Return the session of a request: of whom the gate has let in, in the project it names."""
    return Session(server, project, person_id=request.scope.get(PERSON))


def _allowed(
    session: Session, request: Request, needs: Right, answer: Callable[[], Response]
) -> Response:
    """Answer who has the right, and is the person for whom the page was drawn that asks."""
    drawn_for = request.query_params.get(PERSON)
    if drawn_for is not None and drawn_for != str(session.signed_in):
        raise NotAllowedError(OTHER_PERSON)
    require(session.caller.role, needs)
    return answer()


def _is_from_here(request: Request) -> bool:
    """Whether a page of this server sends it.

    A form on another site cannot send JSON, and a script on another site names its own origin.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    origin = request.headers.get("origin")
    host = request.headers.get("host")
    return kind == "application/json" and (origin is None or urlsplit(origin).netloc == host)


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        content = json_value(body)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def json_value(body: bytes) -> Any:
    """Return the value that a body in JSON holds.

    Raises:
        ValueError: it holds none, or one that cannot be stored.
    """
    try:
        content = json.loads(body.decode("utf-8"), parse_constant=_refuse)
        if _ESCAPED_SURROGATE.search(body):  # one alone is no character, and cannot be stored
            json.dumps(content, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return content


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def problem(sentence: str, status: int, *, retry_seconds: int | None = None) -> JSONResponse:
    """Return what is wrong, for a person."""
    headers = {} if retry_seconds is None else {"Retry-After": str(retry_seconds)}
    return JSONResponse({"problem": sentence}, status_code=status, headers=headers)


def of_document(session: Session, document_id: str) -> Session:
    """Return the session of a document's project.

    A request that names a project is answered about documents of that project alone.

    Raises:
        CannotAnswerError: it names another one.
    """
    project = session.project_of(document_id)
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
    project = session.project_of(document_id)
    if project is not None and project.vocabulary_id != session.vocabulary_id():
        raise CannotAnswerError(OTHER_VOCABULARY, 409)
    return of_document(session, document_id)


def asked_document(session: Session, request: Request) -> tuple[Session, str]:
    """Return the session of the document that a request names, as `of_document_here`, and its id.

    Raises:
        CannotAnswerError: it names none that is stored, or one that cannot be answered about here.
    """
    document_id = request.query_params.get("document", "")
    if not 0 < len(document_id) <= MAX_ID_CHARACTERS:
        raise CannotAnswerError("Ask for a document.", 400)
    if vocabulary_of(session.store(), document_id) is None:
        raise CannotAnswerError("There is no such document.", 404)
    return of_document_here(session, document_id), document_id


def asked_language(asked: Mapping[str, str]) -> str:
    """Return the language in which the parameters of a request ask for labels."""
    return asked.get("lang", "en")[:MAX_LANGUAGE_CHARACTERS]


def loaded_vocabulary(session: Session) -> Vocabulary:
    """Return the vocabulary in use.

    Raises:
        CannotAnswerError: there is none that can be read.
    """
    vocabulary = session.vocabulary()
    if vocabulary is None:
        raise CannotAnswerError("The vocabulary is not loaded.", 503)
    return vocabulary


async def _run(pool: Pool, answer: Callable[[], Response], *, path: str, tab: str = "") -> Response:
    try:
        return await pool.run(partial(_answered, answer, path), tab=tab)
    except BusyError as error:
        return problem(str(error), 503, retry_seconds=BUSY_SECONDS)


def _answered(answer: Callable[[], Response], path: str) -> Response:
    try:
        return answer()
    except CannotAnswerError as error:
        return problem(str(error), error.status, retry_seconds=error.retry_seconds)
    except UnknownProjectError as error:
        return problem(str(error), 404)
    except NotAllowedError as error:
        return problem(str(error), 403)
    except (StoreBusyError, ModelStoppedError) as error:
        return problem(str(error), 503, retry_seconds=BUSY_SECONDS)
    except TooSlowError as error:
        return problem(str(error), 422)
    except StrataError as error:
        _LOG.exception("%s failed", path)
        return problem(str(error), 500)
    # Whatever it is, who asked hears of it; the log keeps its class (`core.logs`).
    except Exception as error:  # noqa: BLE001
        _LOG.exception("%s failed", path)
        return problem(f"The server failed to answer this ({type(error).__name__}).", 500)
