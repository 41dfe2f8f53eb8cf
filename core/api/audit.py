"""`/api/audit`: the audit log as a table, whole or as it was searched, for who administers."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.answers import MAX_ID_CHARACTERS, problem, route
from core.api.downloads import SentFile
from core.export.tables import Columns, write_table
from core.review.audit.log import AuditKind
from core.review.audit.search import AuditSearch, FoundEvent, count_events, search_log
from core.review.store.store import Store
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


def routes(server: Server) -> list[Route]:
    """Return `/api/audit?who=&kind=&document=&since=&until=`; what is left out is any."""
    pool = server.workers.writing_files
    return [route(server, "/api/audit", _audit, pool=pool, needs=Right.AUDIT)]


def query_of(wanted: AuditSearch) -> str:
    """Return the query that asks the route for what a search finds."""
    asked = {
        "who": wanted.person_id,
        "kind": wanted.kind,
        "document": wanted.document_id,
        "since": wanted.since,
        "until": wanted.until,
    }
    return urlencode({name: str(value) for name, value in asked.items() if value is not None})


def _audit(session: Session, request: Request) -> Response:
    try:
        wanted = _search(request.query_params)
    except ValueError:
        return problem("Ask by the number of a person, a kind, a document, and days.", 400)
    note_export(session, FORM, count_events(session.store(), wanted))
    write = partial(_write, session.store(), wanted)
    return SentFile(session.settings.home, "strata-audit.csv", "text/csv", write)


def _search(asked: QueryParams) -> AuditSearch:
    since, until = (
        date.fromisoformat(asked[n]) if n in asked else None for n in ("since", "until")
    )
    return AuditSearch(
        person_id=int(asked["who"]) if "who" in asked else None,
        kind=AuditKind(asked["kind"]) if "kind" in asked else None,
        document_id=asked["document"][:MAX_ID_CHARACTERS] if "document" in asked else None,
        since=since,
        until=until,
    )


def _write(store: Store, wanted: AuditSearch, path: Path) -> None:
    with path.open("wb") as file:
        file.writelines(write_table(COLUMNS, search_log(store, wanted)))
