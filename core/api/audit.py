"""`/api/audit`: the audit log as a table, whole or as it was searched, for who administers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.answers import MAX_ID_CHARACTERS, problem, route
from core.api.downloads import sent_table
from core.export.tables import Columns
from core.review.audit.log import AuditKind
from core.review.audit.search import AuditSearch, FoundEvent, count_events, search_log
from core.roles import Right
from core.serving.server import Server
from core.serving.session import Session, note_export

FORM = "audit log"  # as the log names it when it is downloaded
COLUMNS: Columns[FoundEvent] = {
    "event": lambda found: found.row["event_id"],
    "at": lambda found: found.row["at"].isoformat(timespec="microseconds"),
    "person_id": lambda found: found.row["person_id"],
    "person": lambda found: found.person,
    "kind": lambda found: found.row["kind"],
    "project_id": lambda found: found.row["project_id"],
    "project": lambda found: found.project,
    "document_id": lambda found: found.row["document_id"],
    "detail": lambda found: found.row["detail"],
    "account": lambda found: found.account,
    "previous": lambda found: found.row["previous"],
    "hash": lambda found: found.row["hash"],
}

ASKED: Mapping[str, Callable[[str], Any]] = {
    "person_id": int,
    "kind": AuditKind,
    "document_id": lambda text: text[:MAX_ID_CHARACTERS],
    "since": date.fromisoformat,
    "until": date.fromisoformat,
}
"""How what is asked for is read: the names of `AuditSearch`."""


def routes(server: Server) -> list[Route]:
    """Return `/api/audit?person_id=&kind=&document_id=&since=&until=`; what is left out is any."""
    pool = server.workers.writing_files
    return [route(server, "/api/audit", _audit, pool=pool, needs=Right.AUDIT)]


def query_of(wanted: AuditSearch) -> str:
    """Return the query that asks the route for what a search finds."""
    asked = asdict(wanted)
    return urlencode({name: str(value) for name, value in asked.items() if value is not None})


def _audit(session: Session, request: Request) -> Response:
    try:
        wanted = _search(request.query_params)
    except ValueError:
        return problem("Ask by the number of a person, a kind, a document, and days.", 400)
    note_export(session, FORM, count_events(session.store(), wanted))
    found = search_log(session.store(), wanted)
    return sent_table(session, "strata-audit.csv", COLUMNS, found)


def _search(asked: QueryParams) -> AuditSearch:
    return AuditSearch(**{name: read(asked[name]) for name, read in ASKED.items() if name in asked})
