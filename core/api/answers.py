"""How routes answer: JSON, worked out in a thread of its own, and a sentence where it fails."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.errors import StrataError

_LOG = logging.getLogger(__name__)

MAX_BODY_BYTES = 2_000_000


def route(path: str, answer: Callable[[Request], JSONResponse]) -> Route:
    """Return a GET route; what Strata raises on purpose becomes a `problem` with status 500."""

    async def endpoint(request: Request) -> JSONResponse:
        return await run_in_threadpool(_answered, answer, request)

    return Route(path, endpoint)


def post_route(path: str, answer: Callable[[dict[str, Any]], JSONResponse]) -> Route:
    """Return a POST route for JSON objects, sent by a page of this server and by no other."""

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
        return await run_in_threadpool(_answered, lambda _: answer(content), request)

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


def _answered(answer: Callable[[Request], JSONResponse], request: Request) -> JSONResponse:
    try:
        return answer(request)
    except StrataError as error:
        _LOG.exception("%s failed", request.url.path)
        return problem(str(error), 500)
