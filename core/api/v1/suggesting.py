"""Suggestions for a text or for some, and its language, as Annif answers; no text is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.v1.messages import (
    FORM,
    JSON,
    bad_request,
    held_to,
    share,
    unavailable,
    whole_number,
)
from core.api.v1.named import (
    TITLE,
    Sent,
    document_of,
    label_language,
    listed_project,
    vocabulary_of,
)
from core.api.v1.operations import Call, Programs
from core.documents.document import Document
from core.documents.language import language_scores
from core.serving.choosing import wait_until_loaded
from core.serving.models import LOADING
from core.serving.queue import NO_MODEL, SUGGESTION_LIMIT
from core.serving.session import Session
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction
from core.vocabulary.full_titles import full_title

DEFAULT_LIMIT = 10
METADATA = "metadata_"
LOADING_SECONDS, LOADING_RETRY_SECONDS = 20.0, 5
STILL_LOADING = "The model of this project is being loaded; ask again in a moment."
UNSUPPORTED = "unsupported candidate languages"


def routes(programs: Programs) -> list[Route]:
    """Return `/v1/projects/{project_id}/suggest`, `…/suggest-batch` and `/v1/detect-language`."""
    threads = programs.server.workers.suggesting
    below = "/v1/projects/{project_id}"
    return [
        programs.route(f"{below}/suggest", _suggest, body=FORM, pool=threads),
        programs.route(f"{below}/suggest-batch", _suggest_batch, body=JSON, pool=threads),
        programs.route("/v1/detect-language", _detect, body=JSON),
    ]


def _suggest(call: Call) -> JSONResponse:
    form: Mapping[str, str] = call.content
    if "text" not in form:
        raise bad_request("Send the text of the document as text=….")
    title = form.get(f"{METADATA}{TITLE}", "")
    predictions = _found(call, [{"text": form["text"], "metadata": {TITLE: title}}], form)
    return JSONResponse(predictions[0])


def _suggest_batch(call: Call) -> JSONResponse:
    documents = held_to("DocumentBatch", call.content)["documents"]
    predictions = _found(call, documents, call.query)
    named = zip(predictions, documents, strict=True)
    return JSONResponse([one | {"document_id": sent.get("document_id")} for one, sent in named])


def _found(call: Call, sent: Sequence[Sent], asked: Mapping[str, str]) -> list[dict[str, Any]]:
    """The answer for each document, in their order.

    Args:
        asked: limit, threshold and language.
    """
    session = call.session
    listed_project(session)
    limit = whole_number(asked, "limit", DEFAULT_LIMIT)
    threshold = share(asked, "threshold", 0.0)
    vocabulary = vocabulary_of(session)
    language = label_language(session, vocabulary, asked.get("language"))
    documents = {
        place: document for place, document in enumerate(map(document_of, sent)) if document
    }
    predictions = dict(zip(documents, _read(session, list(documents.values())), strict=True))
    rules, hierarchy = session.rules(), vocabulary.hierarchy

    def results(prediction: Prediction) -> list[dict[str, Any]]:
        offered = (
            suggestion
            for suggestion in prediction.suggestions
            if suggestion.concept_id in hierarchy
            and suggestion.probability >= threshold
            and not rules.hides(suggestion.concept_id, hierarchy)
        )
        return [
            {
                "uri": hierarchy[suggestion.concept_id].uri,
                "label": full_title(suggestion.concept_id, hierarchy, language),
                "notation": hierarchy[suggestion.concept_id].notation,
                "score": float(suggestion.probability),
            }
            for suggestion in offered
        ][:limit]

    return [
        {"results": results(predictions[place]) if place in predictions else []}
        for place in range(len(sent))
    ]


def _read(session: Session, documents: Sequence[Document]) -> list[Prediction]:
    if not documents:
        return []
    suggester = _suggester(session)
    if len(documents) == 1:
        return [suggester.suggest(documents[0], limit=SUGGESTION_LIMIT)]
    return list(suggester.suggest_batch(documents, limit=SUGGESTION_LIMIT))


def _suggester(session: Session) -> Suggester:
    state = wait_until_loaded(session, LOADING_SECONDS)
    served = session.project
    suggester = served.suggester
    if suggester is None:
        if state == LOADING:
            raise unavailable(STILL_LOADING, seconds=LOADING_RETRY_SECONDS)
        raise unavailable(served.problem or NO_MODEL)
    served.learn()
    return suggester


def _detect(call: Call) -> JSONResponse:
    asked = held_to("LanguageQuestion", call.content)
    try:
        scores = language_scores(asked["text"], asked["languages"])
    except ValueError as error:
        raise bad_request(UNSUPPORTED) from error
    results = [{"language": language, "score": score} for language, score in scores.items()]
    return JSONResponse({"results": results})
