"""`/api/annotations`: what each of two people put on a document, as a table, once both have finished."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.answers import route
from core.api.downloads import sent_table
from core.export.tables import Columns, format_moment
from core.review.annotations.annotated import AnnotationRow, annotation_rows
from core.roles import Right
from core.serving.server import Server
from core.serving.session import Session, note_export
from core.vocabulary.concepts import Hierarchy

FORM = "annotations"  # as the audit log names it


def routes(server: Server) -> list[Route]:
    """Return `/api/annotations?project=`."""
    pool = server.workers.writing_files
    return [route(server, "/api/annotations", _annotations, pool=pool, needs=Right.TEAM)]


def columns_of(hierarchy: Hierarchy, language: str) -> Columns[AnnotationRow]:
    """Return the columns, with concepts as they are called now, or else as they were shown."""

    def label(row: AnnotationRow) -> str | None:
        concept_id = row.item.concept_id
        named = concept_id in hierarchy
        return hierarchy[concept_id].label(language) if named else row.item.label

    return {
        "document": lambda row: row.document_id,
        "annotator": lambda row: row.annotator,
        "adjudicated": lambda row: "yes" if row.is_adjudicated else "no",
        "concept": lambda row: row.item.concept_id,
        "label": label,
        "decision": lambda row: row.item.decision,
        "main": lambda row: "yes" if row.item.main else "",
        "present": lambda row: row.item.present,
        "performed_on": lambda row: str(row.item.performed_on or ""),
        "place": lambda row: row.item.place,
        "rank": lambda row: row.item.rank,
        "source": lambda row: row.item.source,
        "person": lambda row: row.item.person,
        "decided_at": lambda row: format_moment(row.item.decided_at),
    }


def _annotations(session: Session, _: Request) -> Response:
    rows = annotation_rows(session.store(), session.project_id())
    note_export(session, FORM, len({row.document_id for row in rows}))
    columns = columns_of(session.hierarchy(), session.language())
    return sent_table(session, "strata-annotations.csv", columns, rows)
