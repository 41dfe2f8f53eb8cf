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
from core.clinical.encounters import name_of_date, with_class
from core.clinical.stay import NO_STAY
from core.review.decisions.recording import current
from core.review.store.documents import fetch_document
from core.review.store.predictions import suggested_concepts
from core.serving.server import Server
from core.serving.session import Session
from core.vocabulary.concepts import Hierarchy

MOST_SUGGESTED = 200
OUTPATIENT_WHY = "Groups are of inpatient stays; the class of this encounter is {encounter_class}."
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


def _no_group(why: str) -> dict[str, Any]:
    return {"group": None, "why": why, "accepted": {}, "offered": {}}


def _grouped(session: Session, document_id: str, hierarchy: Hierarchy) -> dict[str, Any]:
    store = session.store()
    document = fetch_document(store, document_id)
    stay = with_class(document.stay, document)
    if stay.is_outpatient:
        return _no_group(OUTPATIENT_WHY.format(encounter_class=stay.encounter_class))
    decisions = current(store, document_id)
    codes = CodedStay.of(coded(decisions), hierarchy, document.stay or NO_STAY)
    open_ones = [
        code
        for code in suggested_concepts(store, document_id)
        if code not in decisions and code in hierarchy and hierarchy[code].assignable
    ]
    try:
        group = group_of(codes)
        offered = offered_effects(codes, open_ones[:MOST_SUGGESTED], hierarchy)
    except NoGroupError as error:
        return _no_group(str(error))
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
