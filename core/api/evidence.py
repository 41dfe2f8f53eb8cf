"""`/api/evidence`, `/api/without`, `/api/support`: why the model suggests a concept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import problem, route
from core.api.shared import Shared
from core.documents.document import Document
from core.errors import StoreError, VocabularyError
from core.review.store.documents import fetch_document
from core.review.store.predictions import latest_prediction
from core.suggest.evidence.spans import Evidence, Passage, Span
from core.suggest.evidence_shelf import EvidenceShelf
from core.suggest.names.assertions import Assertions
from core.suggest.protocol import Explainer, Explanation
from core.vocabulary.conventions import conventions_of

MAX_CONCEPTS = 300
SUPPORTED = 30  # suggestions that are looked through for those that a passage speaks for
SUPPORTING = 0.5  # of what the strongest passage speaks, at the least
MAX_PLACES = 200  # of one passage; a page with more marks than that helps nobody
LOADING_SECONDS = 120.0
NO_DOCUMENT = "Ask for a document that is stored here."
NO_CONCEPT = "The model does not know it, so nothing can be said about why it is suggested."
OTHER_MODEL = (
    "These suggestions were made by another model than the one that is served now, which cannot "
    "say why. Have the document read again."
)
NO_PLACE = "Name the passage by its field (title or text) and by its start and end in it."


class _CannotAnswerError(Exception):
    """A request that gets a sentence and a status for an answer."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.answer = problem(sentence, status)


def routes(shared: Shared) -> list[Route]:
    """Serve evidence, the probability without a passage, and the concepts that one supports.

    `/api/evidence?document=&concept=` takes several concepts, with commas between them.
    `/api/without?document=&concept=&field=&start=&end=` says what the probability would be; with
    `everywhere=1`, a passage that evidence named is deleted at all its places.
    `/api/support?document=&field=&start=&end=` names suggestions.
    """
    shelf = EvidenceShelf()

    def evidence(request: Request) -> JSONResponse:
        try:
            return _evidence(request.query_params, shared, shelf)
        except _CannotAnswerError as error:
            return error.answer

    def without(request: Request) -> JSONResponse:
        try:
            return _without(request.query_params, shared, shelf)
        except _CannotAnswerError as error:
            return error.answer

    def support(request: Request) -> JSONResponse:
        try:
            return _support(request.query_params, shared, shelf)
        except _CannotAnswerError as error:
            return error.answer

    return [
        route("/api/evidence", evidence),
        route("/api/without", without),
        route("/api/support", support),
    ]


def _evidence(asked: QueryParams, shared: Shared, shelf: EvidenceShelf) -> JSONResponse:
    concept_ids = [i for i in asked.get("concept", "").split(",") if i]
    if not 0 < len(concept_ids) <= MAX_CONCEPTS:
        raise _CannotAnswerError(f"Ask for 1 to {MAX_CONCEPTS} concepts.", 400)
    document = _document(asked, shared)
    found = shelf.explanation(_model(shared, document), document).evidence(concept_ids)
    if not found:
        raise _CannotAnswerError(NO_CONCEPT, 404)
    said_of = _assertions(document, shared)
    concepts = {concept_id: _described(evidence, said_of) for concept_id, evidence in found.items()}
    return JSONResponse({"concepts": concepts, "approximate": True})


def _without(asked: QueryParams, shared: Shared, shelf: EvidenceShelf) -> JSONResponse:
    document = _document(asked, shared)
    span = _span(asked, document)
    explanation = shelf.explanation(_model(shared, document), document)
    spans: Sequence[Span] = [span]
    if asked.get("everywhere") == "1":
        spans = _places(explanation, asked.get("concept", ""), span)
    try:
        probability, before = explanation.without(asked.get("concept", ""), spans)
    except VocabularyError as error:
        raise _CannotAnswerError(NO_CONCEPT, 404) from error
    return JSONResponse({"probability": probability, "before": before})


def _support(asked: QueryParams, shared: Shared, shelf: EvidenceShelf) -> JSONResponse:
    """Return those of the first suggestions that this place supports, the most supported first."""
    document = _document(asked, shared)
    here = _span(asked, document)
    stored = latest_prediction(shared.store(), document.document_id)
    suggestions = stored.prediction.suggestions[:SUPPORTED] if stored else ()
    explanation = shelf.explanation(_model(shared, document), document)
    found = explanation.evidence([suggestion.concept_id for suggestion in suggestions])
    shares = {concept_id: _share_of(here, evidence) for concept_id, evidence in found.items()}
    supported = [concept_id for concept_id, share in shares.items() if share]
    return JSONResponse({"concepts": sorted(supported, key=lambda i: -shares[i])})


def _share_of(here: Span, evidence: Evidence) -> float:
    """How much the passage in this place speaks; 0 where others speak far louder."""
    shares = [
        passage.share
        for passage in evidence.passages
        for span in passage.spans
        if span.field == here.field and span.start < here.end and here.start < span.end
    ]
    loudest = evidence.passages[0].share if evidence.passages else 0.0
    return max((share for share in shares if share >= SUPPORTING * loudest), default=0.0)


def _model(shared: Shared, document: Document) -> Explainer:
    """The model that is served, unless what is on the page was suggested by another."""
    shared.service.start()
    shared.service.wait_until_loaded(LOADING_SECONDS)
    model = shared.service.model
    if model is None:
        raise _CannotAnswerError(shared.service.problem or "The model is still being loaded.", 503)
    stored = latest_prediction(shared.store(), document.document_id)
    if stored is not None and stored.bundle_hash != model.bundle_hash:
        raise _CannotAnswerError(OTHER_MODEL, 409)
    if not isinstance(model, Explainer):
        raise _CannotAnswerError(NO_CONCEPT, 404)
    return model


def _document(asked: QueryParams, shared: Shared) -> Document:
    document_id = asked.get("document", "")
    if not document_id:
        raise _CannotAnswerError(NO_DOCUMENT, 400)
    try:
        return fetch_document(shared.store(), document_id)
    except StoreError as error:
        raise _CannotAnswerError(str(error), 404) from error


def _span(asked: QueryParams, document: Document) -> Span:
    field, start, end = (asked.get(name, "") for name in ("field", "start", "end"))
    length = len(document.title if field == "title" else document.text)
    numbers = start.isdecimal() and end.isdecimal() and len(start + end) < 20
    if field not in ("title", "text") or not numbers or not int(start) < int(end) <= length:
        raise _CannotAnswerError(NO_PLACE, 400)
    return Span(field, int(start), int(end))


def _places(explanation: Explanation, concept_id: str, span: Span) -> Sequence[Span]:
    """All places of the passage that stands here; only this one where it is no evidence."""
    found = explanation.evidence([concept_id]).get(concept_id)
    passages = found.passages if found else ()
    return next((passage.spans for passage in passages if span in passage.spans), [span])


def _assertions(document: Document, shared: Shared) -> Mapping[str, Assertions]:
    """What is said of each place of title and text, where that matters in the vocabulary."""
    vocabulary = shared.vocabulary()
    if vocabulary is None or not conventions_of(vocabulary.hierarchy.vocabulary_id).lexical:
        return {}
    return {"title": Assertions(document.title), "text": Assertions.of_document(document)}


def _described(evidence: Evidence, said_of: Mapping[str, Assertions]) -> dict[str, Any]:
    return {
        "passages": [_passage(passage, said_of) for passage in evidence.passages],
        "sources": dict(evidence.sources),
    }


def _passage(passage: Passage, said_of: Mapping[str, Assertions]) -> dict[str, Any]:
    """A passage with its places; what is said of each of them only where something is."""
    loudest, *others = places = passage.spans[:MAX_PLACES]
    described = {
        "field": loudest.field,
        "start": loudest.start,
        "end": loudest.end,
        "text": passage.text,
        "share": round(passage.share, 4),
        "others": [[other.field, other.start, other.end] for other in others],
    }
    own_words = not passage.is_name
    said = [
        said_of[place.field].at(place.start, place.end, own_words=own_words) if said_of else None
        for place in places
    ]
    if passage.is_name:
        described["is_name"] = True
    if any(said):
        described["assertions"] = [
            {"status": assertion.status, "cue": assertion.cue} if assertion else None
            for assertion in said
        ]
    return described
