"""`/api/drg`: the diagnosis related group of a stay, and what its codes and suggestions do to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import asked_document, loaded_vocabulary, problem, route
from core.api.check import coded
from core.clinical.drg import (
    NOT_OFFICIAL,
    CodedStay,
    Effect,
    NoGroupError,
    group_of,
    offered_effects,
)
from core.clinical.encounters import name_of_date
from core.review.decisions.recording import current
from core.review.store.documents import read_stay
from core.review.store.predictions import suggested_concepts
from core.serving.server import Server
from core.serving.session import Session
from core.vocabulary.concepts import Hierarchy

MOST_SUGGESTED = 200
OFF = "Groups of stays are switched off in this project; see Settings, Projects."


def routes(server: Server) -> list[Route]:
    """Return `/api/drg?document=`."""
    return [route(server, "/api/drg", _drg)]


def _drg(session: Session, request: Request) -> JSONResponse:
    """The group under `group`, or null and a sentence under `why`; `accepted` and `offered` are
    effects by code, in no order.
    """
    session, document_id = asked_document(session, request)
    project = session.project_of(document_id)
    if project is None or not project.groups_stays:
        return problem(OFF, 404)
    return JSONResponse(_grouped(session, document_id, loaded_vocabulary(session).hierarchy))


def _grouped(session: Session, document_id: str, hierarchy: Hierarchy) -> dict[str, Any]:
    store = session.store()
    decisions = current(store, document_id)
    codes = CodedStay.of(coded(decisions), hierarchy, read_stay(store, document_id))
    open_ones = [
        code
        for code in suggested_concepts(store, document_id)
        if code not in decisions and code in hierarchy and hierarchy[code].assignable
    ]
    try:
        group = group_of(codes)
        offered = offered_effects(codes, open_ones[:MOST_SUGGESTED], hierarchy)
    except NoGroupError as error:
        return {"group": None, "why": str(error), "accepted": {}, "offered": {}}
    return {
        "group": {
            "drg": group.drg,
            "title": group.title,
            "mdc": group.mdc,
            "severity": group.severity,
            "version": f"version {group.version}, in force from {name_of_date(group.since)}",
            "assumed": list(group.assumed),
            "note": NOT_OFFICIAL,
        },
        "why": "",
        "accepted": _by_code(group.effects),
        "offered": _by_code(offered),
    }


def _by_code(effects: Mapping[str, Effect]) -> dict[str, dict[str, Any]]:
    return {code: asdict(effect) for code, effect in effects.items()}
