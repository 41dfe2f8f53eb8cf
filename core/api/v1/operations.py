"""How a request of a program is answered: counted, read, checked, worked out in a thread."""

from __future__ import annotations

import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.api.answers import session_of
from core.api.protection.program_keys import EVERYTHING, READ
from core.api.v1.messages import (
    BodyKind,
    Content,
    ProblemError,
    body_of,
    query_of,
    unavailable,
    unknown_project,
)
from core.errors import DocumentError, NotAllowedError, StrataError
from core.serving.caller import UnknownProjectError
from core.serving.server import Server
from core.serving.session import Session
from core.serving.workers import BusyError, Pool

_LOG = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
PROJECT = "project_id"  # in addresses
PROBLEM_TYPE = "application/problem+json"
MOST_SENDERS = 10_000
MINUTE = 60.0
TOO_OFTEN = "This sender may ask {n} times a minute; wait {seconds} s."


@dataclass(frozen=True, slots=True)
class Call:
    """One request, read and checked.

    Attributes:
        query: fields of the address.
        content: a form as its fields, or JSON; None without a body.
        address: of the request, without its query.
    """

    session: Session
    query: Mapping[str, str]
    content: Content
    address: str


Answer = Callable[[Call], Response]


class Rate:
    """Counts the requests of each sender.

    Args:
        per_minute: how many may come at once, and in each minute from then on.
        clock: seconds.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = float(per_minute), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, sender: str) -> int:
        """Count one request; return 0, or after how many seconds the next one is answered."""
        now = self._clock()
        left, since = self._left.get(sender, (self._most, now))
        left = min(self._most, left + (now - since) * self._most / MINUTE)
        is_allowed = left >= 1
        self._left[sender] = (left - is_allowed, now)
        self._left.move_to_end(sender)
        while len(self._left) > MOST_SENDERS:
            self._left.popitem(last=False)
        return 0 if is_allowed else math.ceil((1 - left) * MINUTE / max(self._most, 1))


class Programs:
    """Makes the routes of one server, which share a count of what each program asks."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._rate = Rate(server.settings.rest_per_minute)

    def route(
        self,
        path: str,
        answer: Answer,
        *,
        body: BodyKind | None = None,
        pool: Pool | None = None,
        scope: str = READ,
    ) -> Route:
        """Return a route for GET, or, where it has a body, for POST.

        Args:
            body: of which kind; None where there is none.
            pool: the threads that work the answer out; those that read where none are named.
            scope: what a key has to allow.
        """
        threads = pool or self.server.workers.reading

        async def endpoint(request: Request) -> Response:
            try:
                self._admit(request, scope)
                sent = await body_of(request, body.media_type) if body else b""
                call = partial(self._call, request, body, sent)
                return await threads.run(partial(_answered, answer, call, path))
            except BusyError as error:
                return problem_response(unavailable(str(error)))
            except ProblemError as error:
                return problem_response(error)

        return Route(path, endpoint, methods=["GET" if body is None else "POST"])

    def _call(self, request: Request, body: BodyKind | None, sent: bytes) -> Call:
        return Call(
            session_of(self.server, request, request.path_params.get(PROJECT)),
            query_of(request),
            body.read(sent) if body else None,
            str(request.url.replace(query="")),
        )

    def _admit(self, request: Request, scope: str) -> None:
        address = request.client.host if request.client else ""
        wait = self._rate.take(request.scope.get("sender", address))
        if wait:
            sentence = TOO_OFTEN.format(n=self.server.settings.rest_per_minute, seconds=wait)
            raise ProblemError(429, "Too Many Requests", sentence, retry_seconds=wait)
        if scope not in request.scope.get("scopes", EVERYTHING):
            raise ProblemError(403, "Forbidden", f"This key does not allow to {scope}.")


def problem_response(problem: ProblemError) -> JSONResponse:
    """Return what is wrong, for a person and for a program."""
    content = {
        "type": "about:blank",
        "title": problem.title,
        "status": problem.status,
        "detail": str(problem),
    }
    headers = {"Retry-After": str(problem.retry_seconds)} if problem.retry_seconds else {}
    return JSONResponse(
        content, status_code=problem.status, headers=headers, media_type=PROBLEM_TYPE
    )


def _answered(answer: Answer, read: Callable[[], Call], path: str) -> Response:
    try:
        return _of_project(answer, read())
    except ProblemError as error:
        return problem_response(error)
    except DocumentError as error:
        return problem_response(ProblemError(400, "Bad Request", str(error)))
    except NotAllowedError as error:
        return problem_response(ProblemError(403, "Forbidden", str(error)))
    except StrataError as error:
        _LOG.exception("%s failed", path)
        return problem_response(unavailable(str(error)))
    # Whatever it is, who asked hears of it; the log keeps its class (`core.logs`).
    except Exception as error:  # noqa: BLE001
        _LOG.exception("%s failed", path)
        sentence = f"The server failed to answer this ({type(error).__name__})."
        return problem_response(ProblemError(500, "Internal Server Error", sentence))


def _of_project(answer: Answer, call: Call) -> Response:
    try:
        return answer(call)
    except UnknownProjectError as error:
        raise unknown_project(call.session.named) from error
