"""How routes answer: JSON, worked out in a thread of its own, and a sentence where it fails."""

from __future__ import annotations

import logging
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.errors import StrataError

_LOG = logging.getLogger(__name__)


def route(path: str, answer: Callable[[Request], JSONResponse]) -> Route:
    """A GET route; what Strata raises on purpose becomes a `problem` with status 500."""

    async def endpoint(request: Request) -> JSONResponse:
        return await run_in_threadpool(_answered, answer, request)

    return Route(path, endpoint)


def problem(sentence: str, status: int) -> JSONResponse:
    """What is wrong, for a person."""
    return JSONResponse({"problem": sentence}, status_code=status)


def _answered(answer: Callable[[Request], JSONResponse], request: Request) -> JSONResponse:
    try:
        return answer(request)
    except StrataError as error:
        _LOG.exception("%s failed", request.url.path)
        return problem(str(error), 500)
