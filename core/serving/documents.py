"""Documents of a project, and the model that reads them."""

from __future__ import annotations

from collections.abc import Iterable

from core.review.jobs import start_job
from core.review.reports.summaries import DocumentSummary
from core.serving.session import Session


def is_of_project(session: Session, document_id: str) -> bool:
    """Return whether a document is of this project; one that is not there may be."""
    project = session.project_of(document_id)
    return project is None or project.project_id == session.project_id()


def is_readable(session: Session, document_id: str) -> bool:
    """Return whether a document can be read: it is of this project, and something suggests."""
    return session.project.suggests and is_of_project(session, document_id)


def read_in_background(session: Session, document_ids: Iterable[str]) -> int | None:
    """Have documents read by a job that survives a restart.

    Returns:
        The job's id; None where all of them wait in a job already, or nothing suggests here.
    """
    if not session.project.suggests:
        return None
    job_id = start_job(session.store(), document_ids, project_id=session.project_id())
    session.server.queue.wake()
    return job_id


def read_by_another(session: Session, summaries: Iterable[DocumentSummary]) -> list[str]:
    """Return those of these documents that another model has read than the one that serves."""
    suggester = session.project.suggester
    if suggester is None:
        return []
    not_another = (None, suggester.bundle_hash)
    return [row.document_id for row in summaries if row.read_by not in not_another]
