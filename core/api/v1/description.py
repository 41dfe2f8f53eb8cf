"""`/v1/openapi.json`: what there is, in OpenAPI 3.1."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.routing import Route

from core import __version__
from core.api.v1 import messages
from core.api.v1.operations import Call, Programs

PATH = "/openapi.json"


def routes(programs: Programs) -> list[Route]:
    """Return `/v1/openapi.json`."""
    return [programs.route(f"/v1{PATH}", _description)]


def _description(call: Call) -> JSONResponse:
    described = messages.description()
    info = described["info"] | {"version": __version__}
    server = {"url": call.address.removesuffix(PATH)}
    return JSONResponse(described | {"info": info, "servers": [server]})
