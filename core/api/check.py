"""`/api/check`: what is not allowed or unusual about the codes of a document, and why."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import asked_document, asked_language, loaded_vocabulary, route
from core.clinical.encounters import with_class
from core.clinical.joined import (
    JoinedHierarchy,
    conventions_of_part,
    is_companion,
    is_procedure_in,
    part_of,
)
from core.clinical.stay import Stay
from core.clinical.validity import (
    ERROR,
    DocumentCode,
    Finding,
    PresenceProposal,
    by_severity,
    check,
    proposals,
)
from core.documents.document import Document
from core.errors import StrataError
from core.review.decisions.decided import OPEN, Decision, accepted_in_order
from core.review.decisions.recording import current
from core.review.reports.outline import outline
from core.review.store.documents import fetch_document
from core.serving.choosing import wait_until_loaded
from core.serving.models import LOADING
from core.serving.server import Server
from core.serving.session import Session
from core.suggest.protocol import ReadsNotes, find_part
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

_LOG = logging.getLogger(__name__)

LOADED_WITHIN_SECONDS = 2.0  # in which other questions wait for one of these threads
Presence = Mapping[str, PresenceProposal]


def routes(server: Server) -> list[Route]:
    """Return `/api/check?document=`."""
    return [route(server, "/api/check", _check)]


def _check(session: Session, request: Request) -> JSONResponse:
    """Findings, errors first, and the nodes of codes that mend them; none without such rules."""
    session, document_id = asked_document(session, request)
    hierarchy, rules = loaded_vocabulary(session).hierarchy, session.rules()
    document = fetch_document(session.store(), document_id)
    decisions = current(session.store(), document_id)
    stay = with_class(document.stay, document)
    diagnoses = _diagnoses(decisions, hierarchy)
    presence = _presence(session, document, diagnoses, stay)
    its_findings = findings(decisions, hierarchy, stay, presence)
    added = [code for finding in its_findings if finding.remedy for code in finding.remedy.add]
    language = asked_language(request.query_params)
    nodes = outline(added, hierarchy=hierarchy, language=language, rules=rules)
    return JSONResponse({"findings": [asdict(finding) for finding in its_findings], "nodes": nodes})


def _diagnoses(decisions: Mapping[str, Decision], hierarchy: Hierarchy) -> list[DocumentCode]:
    """Return the accepted codes that may have a mark: those of no procedure, principal one first."""
    return [
        code
        for code in coded(decisions)
        if not code.is_open and not is_procedure_in(code.concept_id, hierarchy)
    ]


def _presence(
    session: Session, document: Document, diagnoses: Sequence[DocumentCode], stay: Stay
) -> Presence:
    """Return the marks that the notes propose; by tables alone where nothing can look for codes.

    None are proposed as long as what looks for codes is loading: the notes may say more.
    """
    if stay.is_outpatient or all(code.present for code in diagnoses):
        return {}
    if wait_until_loaded(session, LOADED_WITHIN_SECONDS) == LOADING:
        return {}
    reader = find_part(session.project.suggester, ReadsNotes)  # type: ignore[type-abstract]
    try:
        places = reader.places(document) if reader is not None else {}
    except StrataError:
        _LOG.warning("the places of codes were not found", exc_info=True)
        places = {}
    return proposals([code.concept_id for code in diagnoses], document, places)


def findings(
    decisions: Mapping[str, Decision],
    hierarchy: Hierarchy,
    stay: Stay | None = None,
    presence: Presence | None = None,
) -> list[Finding]:
    """Return the findings of the check on a document's decisions, and on what its stay says."""
    codes = coded(decisions)
    if not isinstance(hierarchy, JoinedHierarchy):
        return check(codes, hierarchy, conventions_of(hierarchy.vocabulary_id), stay, presence)
    by_part = [_of_part(codes, part, hierarchy, stay, presence) for part in hierarchy.parts]
    return by_severity([finding for some in by_part for finding in some])


def _of_part(
    codes: Sequence[DocumentCode],
    part: Hierarchy,
    joined: JoinedHierarchy,
    stay: Stay | None,
    presence: Presence | None,
) -> list[Finding]:
    """Return the findings on the codes of one code system, by its own rules.

    That there are none at all is said once, of the project's own vocabulary.
    """
    its_codes = [code for code in codes if part_of(code.concept_id, joined) is part]
    if not its_codes and (codes or is_companion(part, joined)):
        return []
    others = [code.concept_id for code in codes if code not in its_codes and not code.is_open]
    part_findings = check(its_codes, part, conventions_of_part(part, joined), stay, presence)
    return [_with_others(finding, others) for finding in part_findings]


def _with_others(finding: Finding, others: Sequence[str]) -> Finding:
    """Return a finding whose remedy leaves the codes of the other systems in the order."""
    remedy = finding.remedy
    if remedy is None or not remedy.order:
        return finding
    return replace(finding, remedy=replace(remedy, order=(*remedy.order, *others)))


def coded(decisions: Mapping[str, Decision]) -> list[DocumentCode]:
    """Return the accepted codes in their order, and the open categories behind them."""
    waiting = [decision.concept_id for decision in decisions.values() if decision.state == OPEN]
    return [
        *(
            DocumentCode(
                decision.concept_id, False, decision.present, str(decision.performed_on or "")
            )
            for decision in accepted_in_order(decisions)
        ),
        *(DocumentCode(concept_id, is_open=True) for concept_id in waiting),
    ]


def obstacle(decisions: Mapping[str, Decision], hierarchy: Hierarchy, stay: Stay) -> str:
    """Return why a document cannot be finished as it stands; "" where it can."""
    all_findings = findings(decisions, hierarchy, stay)
    errors = [finding for finding in all_findings if finding.severity == ERROR]
    if not errors:
        return ""
    more = f" There are {len(errors)} such problems." if len(errors) > 1 else ""
    return f"This cannot be finished yet. {errors[0].sentence}{more}"
