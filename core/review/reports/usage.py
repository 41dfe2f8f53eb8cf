"""How often a concept was accepted and rejected, and on which documents of a project."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, case, func, select

from core.review.store.tables import decision, decision_event, document

if TYPE_CHECKING:
    from core.review.store.store import Store

ASKED_AT_ONCE = 500  # concept ids in one query


@dataclass(frozen=True, slots=True)
class DecidedDocument:
    """A document with a decision on a concept."""

    document_id: str
    title: str
    state: str
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """What became of a concept in a project, on documents that are on the list.

    Attributes:
        documents: the newest decisions first, as many as were asked for.
    """

    n_accepted: int
    n_rejected: int
    documents: tuple[DecidedDocument, ...]


def usage(store: Store, project_id: int, concept_id: str, limit: int = 20) -> Usage:
    """How often a concept was accepted and rejected, and where last."""
    newest = _documents(project_id).where(decision.c.concept_id == concept_id)
    ordered = newest.order_by(decision.c.event_id.desc()).limit(limit)
    counted = _counted(project_id).where(decision.c.concept_id == concept_id)
    with store.read() as connection:
        row: Any = connection.execute(counted).one()
        documents = tuple(DecidedDocument(*one[1:]) for one in connection.execute(ordered))
    return Usage(row.n_accepted or 0, row.n_rejected or 0, documents)


def counts(store: Store, project_id: int) -> dict[str, tuple[int, int]]:
    """How many documents accepted and rejected each concept that was decided anywhere."""
    query = _counted(project_id).add_columns(decision.c.concept_id)
    with store.read() as connection:
        rows = connection.execute(query.group_by(decision.c.concept_id))
        return {row.concept_id: (row.n_accepted, row.n_rejected) for row in rows}


def touched(
    store: Store, project_id: int, concept_ids: Iterable[str]
) -> dict[str, list[DecidedDocument]]:
    """The documents with a decision on each of these concepts; nothing for those without."""
    found: dict[str, list[DecidedDocument]] = {}
    wanted = sorted(set(concept_ids))
    ordered = _documents(project_id).order_by(decision.c.concept_id, decision.c.event_id)
    with store.read() as connection:
        for start in range(0, len(wanted), ASKED_AT_ONCE):
            some = wanted[start : start + ASKED_AT_ONCE]
            for row in connection.execute(ordered.where(decision.c.concept_id.in_(some))):
                found.setdefault(row.concept_id, []).append(DecidedDocument(*row[1:]))
    return found


def _documents(project_id: int) -> Select[Any]:
    """Concept id and the columns of `DecidedDocument`, for every decision of a project."""
    return (
        select(
            decision.c.concept_id,
            decision.c.document_id,
            document.c.title,
            decision.c.state,
            decision_event.c.decided_at,
        )
        .join(document, document.c.document_id == decision.c.document_id)
        .join(decision_event, decision_event.c.event_id == decision.c.event_id)
        .where(document.c.project_id == project_id, document.c.removed_at.is_(None))
    )


def _counted(project_id: int) -> Select[Any]:
    """How many documents of a project accepted and rejected something."""
    return (
        select(
            func.sum(case((decision.c.state == "accepted", 1), else_=0)).label("n_accepted"),
            func.sum(case((decision.c.state == "rejected", 1), else_=0)).label("n_rejected"),
        )
        .join(document, document.c.document_id == decision.c.document_id)
        .where(document.c.project_id == project_id, document.c.removed_at.is_(None))
    )
