"""`/api/hints`: which concepts of a document were probably missed, and which are doubtful."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import asked_document, route
from core.review.decisions.recording import current
from core.review.hints import Hints, hint_switch, probably_missed, probably_odd
from core.review.store.documents import has_text
from core.review.store.predictions import latest_prediction
from core.serving.server import Server
from core.serving.session import Session


def routes(server: Server) -> list[Route]:
    """Return `/api/hints?document=`."""
    return [route(server, "/api/hints", _hints)]


def _hints(session: Session, request: Request) -> JSONResponse:
    """Ids under `missed` and `odd`, of what is stored now; none where they are not worth it."""
    session, document_id = asked_document(session, request)
    hints = hints_of(session, document_id)
    return JSONResponse({"missed": list(hints.missed), "odd": list(hints.odd)})


def hints_of(session: Session, document_id: str) -> Hints:
    """Return what is pointed out on a document of this session's project.

    Raises:
        StoreError: the store cannot be read.
    """
    store = session.store()
    shown = hint_switch(
        session.vocabulary_id(),
        has_model=session.project.card is not None,
        has_text=has_text(store, document_id),
    )
    stored = latest_prediction(store, document_id) if any(shown) else None
    served = session.vocabulary()
    if stored is None or served is None:
        return Hints()
    prediction, hierarchy = stored.prediction.within(served.hierarchy), served.hierarchy
    states = {i: decision.state for i, decision in current(store, document_id).items()}
    rules = session.rules()
    missed = probably_missed(
        prediction, states, hierarchy, is_hidden=lambda i: rules.hides(i, hierarchy)
    )
    odd = probably_odd(prediction, (i for i, state in states.items() if state == "accepted"))
    return Hints(missed if shown.missed else (), odd if shown.odd else ())
