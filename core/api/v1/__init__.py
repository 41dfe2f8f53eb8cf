"""`/v1`: what programs ask, in the protocols that they speak already; off unless it is switched on.

Suggestions are asked for as of an Annif server (https://github.com/NatLibFi/Annif, REST API v1), and
concepts for cells of a table by the Reconciliation Service API 0.2
(https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/). A project is
named by its id.

Reading order: `messages` (what is sent, read and checked), `operations` (how, and how often, a
request is answered), `named` (what a request names), then what answers: `projects`, `suggesting`,
`learning`, and `reconciling`, with `entities` (concepts as it has them).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.v1 import learning, projects, reconciling, suggesting
from core.api.v1.messages import ProblemError
from core.api.v1.operations import METHODS, Programs, problem_response
from core.serving.server import Server

__all__ = ["routes"]

SWITCHED_OFF = "There is nothing here: STRATA_REST=1 has the server answer programs."
UNKNOWN = "There is nothing at this address; /v1/openapi.json says what there is."


def routes(server: Server) -> list[Route]:
    """Return the routes for programs; where they are switched off, one that finds nothing."""
    if not server.settings.rest:
        return _nothing(SWITCHED_OFF)
    programs = Programs(server)
    owners = (projects, suggesting, learning, reconciling)
    answered = [owner_route for owner in owners for owner_route in owner.routes(programs)]
    return [*answered, *_other_methods(answered), *_nothing(UNKNOWN)]


def _other_methods(answered: Iterable[Route]) -> Iterator[Route]:
    """Routes that refuse what is asked by a method that the address does not have."""
    allowed: dict[str, set[str]] = {}
    for route in answered:
        allowed.setdefault(route.path, set()).update(route.methods or ())
    for path, methods in allowed.items():
        yield Route(path, _refusing(", ".join(sorted(methods))), methods=METHODS)


def _refusing(allowed: str) -> Callable[[Request], Awaitable[Response]]:
    async def refuse(_: Request) -> Response:
        problem = ProblemError(405, "Method Not Allowed", f"This address takes {allowed}.")
        answer = problem_response(problem)
        answer.headers["Allow"] = allowed
        return answer

    return refuse


def _nothing(sentence: str) -> list[Route]:
    async def nothing(_: Request) -> Response:
        return problem_response(ProblemError(404, "Not Found", sentence))

    paths = ("/v1", "/v1/{rest:path}")
    return [Route(path, nothing, methods=METHODS) for path in paths]
