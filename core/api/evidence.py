"""`/api/evidence`, `/api/without`, `/api/support`: why the model suggests a concept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import unquote

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import CannotAnswerError, of_document, route
from core.clinical.assertions import AssertedPlace, Assertion, assertions_at, is_of_history
from core.documents.document import Document
from core.errors import StoreError, VocabularyError
from core.export.decision_table import cited_words
from core.review.decisions.recording import current
from core.review.store.documents import fetch_document
from core.review.store.predictions import latest_bundle, latest_prediction
from core.serving.choosing import begin_loading
from core.serving.models import LOADING
from core.serving.queue import NO_MODEL
from core.serving.server import Server
from core.serving.session import Session, note_seen
from core.suggest.evidence.explanation_cache import ExplanationCache
from core.suggest.evidence.spans import Evidence, Passage, Span
from core.suggest.protocol import Explanation, ReadsNotes, find_part
from core.suggest.suggestions import is_same_model
from core.vocabulary.conventions import conventions_of

SaidOf = Mapping[AssertedPlace, Assertion | None]

MAX_CONCEPTS = 300
SUPPORTED = 30  # suggestions that are looked through for those that a passage speaks for
SUPPORTING = 0.5  # of what the strongest passage speaks, at the least
MAX_PLACES = 200  # of one passage; a page with more marks than that helps nobody
RETRY_SECONDS = 1  # until a model that is being loaded is asked again
NO_DOCUMENT = "Ask for a document that is stored here."
NO_CONCEPT = "The model does not know it, so it names no passages that support it."
OTHER_MODEL = (
    "These suggestions were made by another model than the one that is served now, which cannot "
    "say why. Have the document read again."
)
STILL_LOADING = "The model is still being loaded."
NO_PLACE = "Name the passage by its field (title or text) and by its start and end in it."


def routes(server: Server) -> list[Route]:
    """Return evidence for concepts, probability without a passage, concepts that one supports.

    `/api/evidence?document=&concept=` takes several concepts, with commas between them; a comma in an
    id is written as %2C, and a per cent sign as %25.
    `/api/without?document=&concept=&field=&start=&end=` says what the probability would be; with
    `everywhere=1`, a passage that evidence named is deleted at all its places.
    `/api/support?document=&field=&start=&end=` names suggestions. While the model is being loaded,
    each answers 503 at once, and says in `Retry-After` when to ask again.
    """
    pool = server.workers.explaining
    return [
        route(server, "/api/evidence", _evidence, pool=pool),
        route(server, "/api/without", _without, pool=pool),
        route(server, "/api/support", _support, pool=pool),
    ]


def _evidence(session: Session, request: Request) -> JSONResponse:
    asked = request.query_params
    concept_ids = [unquote(i) for i in asked.get("concept", "").split(",") if i]
    if not 0 < len(concept_ids) <= MAX_CONCEPTS:
        raise CannotAnswerError(f"Ask for 1 to {MAX_CONCEPTS} concepts.", 400)
    session, document = _document(session, asked)
    cited_passages = _own_passages(session, document, concept_ids)
    try:
        by_concept = _explanations(session, document).evidence(document, concept_ids)
    except CannotAnswerError:
        if not cited_passages:
            raise
        by_concept = {}
    if not by_concept and not cited_passages:
        raise CannotAnswerError(NO_CONCEPT, 404)
    if _is_of_notes(session):
        by_concept = {
            concept_id: _in_notes(evidence) for concept_id, evidence in by_concept.items()
        }
        said_of = _assertions(session, document, by_concept.values())
    else:
        said_of = {}
    concepts = {
        concept_id: _described(of_concept, said_of) for concept_id, of_concept in by_concept.items()
    }
    for concept_id, passages in cited_passages.items():
        concept = concepts.setdefault(concept_id, {"passages": [], "sources": {}})
        concept["passages"] = [*passages, *concept["passages"]]
    return JSONResponse({"concepts": concepts})


def _own_passages(
    session: Session, document: Document, concept_ids: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """Return the words that a person attached to codes, as passages that speak for them."""
    decisions = current(session.store(), document.document_id)
    cited = {i: decisions[i].cited for i in concept_ids if i in decisions and decisions[i].cited}
    return {
        concept_id: [
            {"field": "text", "start": start, "end": end, "text": words, "share": 1.0, "others": []}
            for start, end, words in cited_words(places, document)
        ]
        for concept_id, places in cited.items()
    }


def _without(session: Session, request: Request) -> JSONResponse:
    asked = request.query_params
    session, document = _document(session, asked)
    span = _span(asked, document)
    explanation = _explanations(session, document).explanation(document)
    spans: Sequence[Span] = [span]
    if asked.get("everywhere") == "1":
        spans = _places(explanation, asked.get("concept", ""), span)
    try:
        probability, before = explanation.without(asked.get("concept", ""), spans)
    except VocabularyError as error:
        raise CannotAnswerError(NO_CONCEPT, 404) from error
    return JSONResponse({"probability": probability, "before": before})


def _support(session: Session, request: Request) -> JSONResponse:
    """The first suggestions that this place supports, the best supported first."""
    asked = request.query_params
    session, document = _document(session, asked)
    here = _span(asked, document)
    stored = latest_prediction(session.store(), document.document_id)
    suggestions = stored.prediction.suggestions[:SUPPORTED] if stored else ()
    explanation = _explanations(session, document).explanation(document)
    by_concept = explanation.evidence([suggestion.concept_id for suggestion in suggestions])
    shares = {concept_id: _share_of(here, evidence) for concept_id, evidence in by_concept.items()}
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


def _explanations(session: Session, document: Document) -> ExplanationCache:
    """Those of the project's model, unless what is on the page was suggested by another."""
    begin_loading(session)
    is_loading = session.project.state == LOADING  # asked first: the model may come meanwhile
    model = session.project.model
    if model is None and is_loading:
        raise CannotAnswerError(STILL_LOADING, 503, retry_seconds=RETRY_SECONDS)
    if model is None:
        raise CannotAnswerError(session.project.problem or NO_MODEL, 503)
    bundle_hash = latest_bundle(session.store(), document.document_id)
    if bundle_hash is not None and not is_same_model(bundle_hash, model.suggester.bundle_hash):
        raise CannotAnswerError(OTHER_MODEL, 409)
    if model.explanations is None:
        raise CannotAnswerError(NO_CONCEPT, 404)
    return model.explanations


def _document(session: Session, asked: QueryParams) -> tuple[Session, Document]:
    document_id = asked.get("document", "")
    if not document_id:
        raise CannotAnswerError(NO_DOCUMENT, 400)
    try:
        session = of_document(session, document_id)
        document = fetch_document(session.store(), document_id)
    except StoreError as error:
        raise CannotAnswerError(str(error), 404) from error
    note_seen(session, document_id)
    return session, document


def _span(asked: QueryParams, document: Document) -> Span:
    field, start, end = (asked.get(name, "") for name in ("field", "start", "end"))
    length = len(document.title if field == "title" else document.text)
    numbers = start.isdecimal() and end.isdecimal() and len(start + end) < 20
    if field not in ("title", "text") or not numbers or not int(start) < int(end) <= length:
        raise CannotAnswerError(NO_PLACE, 400)
    return Span(field, int(start), int(end))


def _places(explanation: Explanation, concept_id: str, span: Span) -> Sequence[Span]:
    """All places of the passage at this place; only the place itself where it is no evidence."""
    evidence = explanation.evidence([concept_id]).get(concept_id)
    passages = evidence.passages if evidence else ()
    return next((passage.spans for passage in passages if span in passage.spans), [span])


def _is_of_notes(session: Session) -> bool:
    vocabulary = session.vocabulary()
    return vocabulary is not None and conventions_of(vocabulary.hierarchy.vocabulary_id).lexical


def _assertions(session: Session, document: Document, all_evidence: Iterable[Evidence]) -> SaidOf:
    places = list(
        dict.fromkeys(
            place
            for evidence in all_evidence
            for passage in evidence.passages
            for place in _places_of(passage)
        )
    )
    notes = find_part(session.project.suggester, ReadsNotes)  # type: ignore[type-abstract]
    ask = notes.assertions if notes is not None else assertions_at
    return dict(zip(places, ask(document, places), strict=True)) if places else {}


def _places_of(passage: Passage) -> list[AssertedPlace]:
    own_words = not passage.is_name
    spans = passage.spans[:MAX_PLACES]
    return [AssertedPlace(span.field, span.start, span.end, own_words) for span in spans]


def _described(evidence: Evidence, said_of: SaidOf) -> dict[str, Any]:
    return {
        "passages": [_passage(passage, said_of) for passage in evidence.passages],
        "sources": dict(evidence.sources),
        **({} if evidence.grounds is None else {"grounds": asdict(evidence.grounds)}),
        **({} if evidence.here is None else {"here": asdict(evidence.here)}),
    }


def _in_notes(evidence: Evidence) -> Evidence:
    """Leave out the title of an encounter, which is what somebody called it."""
    passages = (
        replace(passage, spans=spans)
        for passage in evidence.passages
        if (spans := tuple(span for span in passage.spans if span.field == "text"))
    )
    return replace(evidence, passages=tuple(passages))


def _passage(passage: Passage, said_of: SaidOf) -> dict[str, Any]:
    loudest, *others = passage.spans[:MAX_PLACES]
    described = {
        "field": loudest.field,
        "start": loudest.start,
        "end": loudest.end,
        "text": passage.text,
        "share": round(passage.share, 4),
        "others": [[other.field, other.start, other.end] for other in others],
    }
    assertions = [said_of.get(place) for place in _places_of(passage)]
    if passage.lasts:
        assertions = [None if _is_still_there(assertion) else assertion for assertion in assertions]
    if passage.is_name:
        described["is_name"] = True
    if any(assertions):
        described["assertions"] = [
            {"status": assertion.status, "cue": assertion.cue} if assertion else None
            for assertion in assertions
        ]
    return described


def _is_still_there(assertion: Assertion | None) -> bool:
    """Whether a lasting condition stands here as history, and so is there."""
    return assertion is not None and is_of_history(assertion)
