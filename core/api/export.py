"""`/api/export`: decisions as a file, however many documents there are."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.answers import PROJECT, problem, route
from core.api.downloads import sent_pieces
from core.export.export import Export
from core.export.formats import FORMATS, forms_of
from core.export.gathering import DECISIONS, Selection
from core.review.reports.snapshot import ACCEPTED
from core.review.reports.summaries import FINISHED, STATUSES
from core.roles import Right
from core.serving.choosing import listed_projects
from core.serving.server import Server
from core.serving.session import Session, note_export

MAX_BATCH_CHARACTERS = 2_000


def routes(server: Server) -> list[Route]:
    """Return `/api/export?project=&form=&decision=&status=&approved=1&batch=&terms=1&text=1`.

    `decision` and `status` may come several times; without them, accepted concepts of the finished
    documents of the project are exported, or of its approved ones, where it needs approval. Where there are several projects, one has to be named: the one
    opened last is what somebody happens to work in.
    """
    return [
        route(
            server,
            "/api/export",
            _export,
            pool=server.workers.writing_files,
            needs=Right.EXPORT,
        )
    ]


def query_of(selection: Selection, form: str, *, with_text: bool) -> str:
    """Return the query that asks the route for an export; a choice of documents by id has none."""
    asked: list[tuple[str, str]] = [("form", form)]
    if selection.project_id is not None:
        asked.append(("project", str(selection.project_id)))
    asked += [("decision", name) for name in DECISIONS if name in selection.decisions]
    asked += [("decision", "")] if not selection.decisions else []
    asked += [("status", name) for name in STATUSES if name in selection.statuses]
    asked += [("status", "")] if not selection.statuses else []
    asked += [("approved", "1")] if selection.approved else []
    asked += [("batch", selection.batch)] if selection.batch is not None else []
    asked += [("terms", "1")] if selection.proposed_terms else []
    asked += [("text", "1")] if with_text else []
    return urlencode(asked)


def _export(session: Session, request: Request) -> Response:
    asked = request.query_params
    if PROJECT not in asked and len(projects := listed_projects(session)) > 1:
        choices = ", ".join(f"{project.project_id} ({project.name})" for project in projects)
        return problem(f"Name the project, as in project={projects[0].project_id}: {choices}.", 400)
    form = asked.get("form", "csv")
    if form not in (forms := forms_of(session.vocabulary_id())):
        choices = ", ".join(forms)
        return problem(f"There is no form {form[:20]!r} for this vocabulary, only {choices}.", 400)
    batch = asked.get("batch")
    if batch is not None and len(batch) > MAX_BATCH_CHARACTERS:
        return problem("There is no such batch.", 400)
    decisions = _named(asked.getlist("decision") or [ACCEPTED], DECISIONS)
    statuses = _named(asked.getlist("status") or [FINISHED], STATUSES)
    if decisions is None or statuses is None:
        return problem("There is no such decision or status.", 400)
    selection = Selection(
        batch=batch,
        statuses=statuses,
        approved=asked.get("approved") == "1"
        or ("status" not in asked and session.current().needs_approval),
        decisions=decisions,
        proposed_terms=asked.get("terms") == "1",
        project_id=session.project_id(),
    )
    export = Export(
        session.store(),
        selection,
        session.hierarchy(),
        session.language(),
        with_text=asked.get("text") == "1",
    )
    note_export(session, form, export.count())
    chosen = FORMATS[form]
    name = f"strata-decisions.{chosen.suffix}"
    return sent_pieces(session, name, chosen.media_type, export.pieces(form))


def _named(asked: Iterable[str], choices: Iterable[str]) -> frozenset[str] | None:
    """The chosen names; None where one of them is unknown. "" chooses none."""
    wanted = frozenset(asked) - {""}
    return wanted if wanted.issubset(choices) else None
