"""`/v1/detect-language`: which of some languages a text is in."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.v1.messages import JSON, bad_request, held_to
from core.api.v1.operations import Call, Programs
from core.documents.language import language_scores

UNSUPPORTED = "unsupported candidate languages"


def routes(programs: Programs) -> list[Route]:
    """Return `/v1/detect-language`."""
    return [programs.route("/v1/detect-language", _detect, body=JSON)]


def _detect(call: Call) -> JSONResponse:
    asked = held_to("LanguageQuestion", call.content)
    try:
        scores = language_scores(asked["text"], asked["languages"])
    except ValueError as error:
        raise bad_request(UNSUPPORTED) from error
    results = [{"language": language, "score": score} for language, score in scores.items()]
    return JSONResponse({"results": results})
