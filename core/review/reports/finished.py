"""Finished documents with what was decided on them, for what learns from decisions.

Where a project needs approval, those alone that are approved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from zlib import crc32

from sqlalchemy import ColumnElement, Connection, func, or_, select

from core.review.decisions.decided import ACCEPTED, EXCLUDED, OPEN, decided
from core.review.listed import COUNTED
from core.review.store.documents import select_document
from core.review.store.projects import learning_of
from core.review.store.store import Store
from core.review.store.tables import document, prediction_run, project, suggestion
from core.suggest.protocol import FinishedDocument
from core.suggest.ranking.candidates import LEAST_EXPECTED

MOST_TAUGHT = 5_000
"""Documents that teach, the last that were finished: reading them takes minutes after a start."""


def count_finished(store: Store, project_id: int) -> int:
    """Count the finished documents on a project's list."""
    query = select(func.count()).select_from(document).where(*_is_finished(project_id))
    with store.read() as connection:
        return connection.execute(query).scalar_one()


def taught_versions(store: Store, project_id: int) -> dict[str, int]:
    """Return the finished documents that teach, with the version of their decisions: the last of
    them, or none where the project does not learn.
    """
    if not learning_of(store, project_id).is_on:
        return {}
    return finished_versions(store, project_id, at_most=MOST_TAUGHT)


def finished_versions(store: Store, project_id: int, *, at_most: int) -> dict[str, int]:
    """Return the documents that were finished last, the newest first, with the version of their
    decisions.
    """
    query = (
        select(document.c.document_id, document.c.version)
        .where(*_is_finished(project_id), document.c.erased_at.is_(None))  # which teaches nothing
        .order_by(document.c.finished_at.desc(), document.c.document_id)
        .limit(at_most)
    )
    with store.read() as connection:
        return {row.document_id: row.version for row in connection.execute(query)}


def last_finished(connection: Connection, project_id: int, number: int) -> list[str]:
    """Return the ids of the documents that were finished last, the newest first."""
    query = (
        select(document.c.document_id)
        .where(*_is_finished(project_id))
        .order_by(document.c.finished_at.desc(), document.c.document_id)
        .limit(number)
    )
    return list(connection.scalars(query))


def _is_finished(project_id: int) -> tuple[ColumnElement[bool], ...]:
    needs_approval = select(project.c.needs_approval).where(project.c.project_id == project_id)
    return (
        document.c.project_id == project_id,
        COUNTED,
        document.c.finished_at.is_not(None),
        or_(document.c.approved_at.is_not(None), ~needs_approval.scalar_subquery()),
    )


def finished_documents(
    store: Store, versions: Mapping[str, int], document_ids: Iterable[str]
) -> list[FinishedDocument]:
    """Return documents with what holds on them now.

    Args:
        versions: of their decisions. What is decided later raises them, so that it is noticed.
    """
    with store.read() as connection:
        finished = []
        for document_id in document_ids:
            decisions = decided(connection, document_id)
            states = {i: decision.state for i, decision in decisions.items()}
            finished.append(
                FinishedDocument(
                    document=select_document(connection, document_id),
                    version=versions[document_id],
                    assigned=tuple(i for i, state in states.items() if state == ACCEPTED),
                    rejected=tuple(i for i, s in states.items() if s not in (ACCEPTED, OPEN)),
                    suggested=_suggested(connection, document_id),
                    excluded=tuple(i for i, state in states.items() if state == EXCLUDED),
                )
            )
        return finished


def _suggested(connection: Connection, document_id: str) -> dict[str, float]:
    """Return what the model alone gave to concepts, as far as that is much."""
    newest = (
        select(
            prediction_run.c.run_id,
            prediction_run.c.model_probability,
            prediction_run.c.settings,
        )
        .where(prediction_run.c.document_id == document_id)
        .order_by(prediction_run.c.run_id.desc())
        .limit(1)
    )
    run = connection.execute(newest).first()
    if run is None:
        return {}
    if run.model_probability is not None:
        return {i: p for i, p in run.model_probability.items() if p >= LEAST_EXPECTED}
    if "learned" in run.settings:  # without a model
        return {}
    here = suggestion.c.run_id == run.run_id, suggestion.c.probability >= LEAST_EXPECTED
    rows = connection.execute(
        select(suggestion.c.concept_id, suggestion.c.probability).where(*here)
    )
    return {row.concept_id: row.probability for row in rows}


def state_of(versions: Mapping[str, int]) -> str:
    """Name what is known of finished documents: how many there are, and a checksum of all."""
    return f"{len(versions)}-{crc32(repr(sorted(versions.items())).encode()):08x}"
