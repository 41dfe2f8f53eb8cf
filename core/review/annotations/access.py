"""Who sees a document and its annotations, who decides there, and where they stand.

A document is hidden from those who annotate it, and each annotation from all but its annotator, until
all annotations are finished; from then on who may review sees both, and nobody changes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, func, select

from core.review.listed import (
    ADJUDICATED_IDS,
    ANNOTATION,
    ON_LIST,
    ORIGINAL,
    STANDS,
    WAITING_IDS,
    adjudicated_by,
)
from core.review.reports.summaries import DocumentSummary, select_annotations
from core.review.store.projects import COLUMNS, Project, project_from
from core.review.store.store import Store
from core.review.store.tables import document, project
from core.roles import Right, Role, refusal

ANOTHERS = "This is somebody else's annotation."
ALL_FINISHED = "All annotations of this document are finished, and stay as they are."
BEING_ANNOTATED = "Two people annotate this document; when both have finished, it is adjudicated."
ERASED = "This document was erased; nobody decides on it or writes about it any more."
OWN = "You have annotated this document yourself: another reviewer, or a lead, adjudicates it."
OWN_OUTCOME = (
    "You have adjudicated this document yourself: another reviewer, or a lead, approves it."
)

ACCESS = (
    select(
        *COLUMNS,
        document.c.annotation_of,
        document.c.annotator_id,
        document.c.removed_at,
        document.c.erased_at,
        ANNOTATION.c.annotator_id.label("by"),
        ANNOTATION.c.finished_at,
    )
    .join(document, document.c.project_id == project.c.project_id)
    .outerjoin(
        ANNOTATION,
        (
            ANNOTATION.c.annotation_of
            == func.coalesce(document.c.annotation_of, document.c.document_id)
        )
        & STANDS,
    )
    .where(document.c.document_id == bindparam("here"))
)


@dataclass(frozen=True, slots=True)
class DocumentAccess:
    """The project of a document, and the annotations on which it depends who sees it.

    Attributes:
        annotator_id: of an annotation; None of a document.
        is_given_up: whether it is an annotation that was not needed any more.
        has_finished: by annotator, of the document's annotations that stand.
        is_erased: whether its text is gone for good.
    """

    project: Project
    annotator_id: int | None = None
    is_given_up: bool = False
    has_finished: Mapping[int, bool] = field(default_factory=dict)
    is_erased: bool = False

    @property
    def is_annotated(self) -> bool:
        """Whether it is an annotation, or a document that has some."""
        return self.annotator_id is not None or bool(self.has_finished)

    @property
    def is_waiting(self) -> bool:
        """Whether an annotation is still to be finished."""
        return not all(self.has_finished.values())

    def is_hidden_from(self, person_id: int, role: Role) -> bool:
        """Return whether a person with a role in the project does not see the document."""
        if self.annotator_id is None:
            return self.is_waiting and person_id in self.has_finished
        if self.annotator_id == person_id:
            return self.is_given_up
        return self.is_given_up or self.is_waiting or not role.includes(Right.REVIEW.least)

    def why_not(self, person_id: int, role: Role) -> str:
        """Return why a person does not decide here; "" where they may."""
        if self.is_erased:
            return ERASED
        if not self.is_annotated:
            return ""
        if self.annotator_id is not None:
            if self.annotator_id != person_id:
                return ANOTHERS
            return "" if self.is_waiting else ALL_FINISHED
        if self.is_waiting:
            return BEING_ANNOTATED
        if not role.includes(Right.REVIEW.least):
            return refusal(role, Right.REVIEW)
        is_lead = role.includes(Right.ASSIGN.least)
        return OWN if person_id in self.has_finished and not is_lead else ""


def document_access(store: Store, document_id: str) -> DocumentAccess | None:
    """Return what decides who sees a document, in one query; None where there is none."""
    with store.read() as connection:
        rows = connection.execute(ACCESS, {"here": document_id}).fetchall()
    if not rows:
        return None
    row = rows[0]
    is_given_up = row.annotation_of is not None and row.removed_at is not None
    finished = {one.by: one.finished_at is not None for one in rows if one.by is not None}
    is_erased = row.erased_at is not None
    return DocumentAccess(project_from(row), row.annotator_id, is_given_up, finished, is_erased)


def is_adjudicated_by(store: Store, document_id: str, person_id: int) -> bool:
    """Return whether a person has made the outcome of a document's annotations."""
    query = select(document.c.document_id).where(
        document.c.document_id == document_id, adjudicated_by(person_id)
    )
    with store.read() as connection:
        return connection.scalar(query) is not None


def annotations_to_make(store: Store, project_id: int, person_id: int) -> dict[str, str]:
    """Return the annotations that stand in place of their documents for a person, by document id."""
    query = (
        select(document.c.annotation_of, document.c.document_id)
        .join(ORIGINAL, ORIGINAL.c.document_id == document.c.annotation_of)
        .where(
            document.c.annotator_id == person_id,
            document.c.project_id == project_id,
            document.c.removed_at.is_(None),
            document.c.annotation_of.in_(WAITING_IDS),
            ORIGINAL.c.removed_at.is_(None),
        )
    )
    with store.read() as connection:
        return {row.annotation_of: row.document_id for row in connection.execute(query)}


def with_own(
    store: Store, project_id: int, person_id: int, lines: Sequence[DocumentSummary]
) -> list[DocumentSummary]:
    """Return the lines of a list with a person's own annotations in place of their documents."""
    own = annotations_to_make(store, project_id, person_id)
    if not own:
        return list(lines)
    with store.read() as connection:
        summaries = select_annotations(connection, project_id, list(own.values()))
    return [summaries.get(own.get(line.document_id, ""), line) for line in lines]


WAITING, READY, ADJUDICATED = "annotated twice", "to adjudicate", "adjudicated"


def annotation_states(store: Store, project_id: int) -> dict[str, str]:
    """Return how far the annotations of a project's documents are: WAITING, READY or ADJUDICATED."""
    query = (
        select(
            document.c.document_id,
            document.c.document_id.in_(WAITING_IDS).label("waits"),
            document.c.document_id.in_(ADJUDICATED_IDS).label("is_adjudicated"),
        )
        .join(ANNOTATION, ANNOTATION.c.annotation_of == document.c.document_id)
        .where(document.c.project_id == project_id, ON_LIST, STANDS)
        .where(document.c.erased_at.is_(None))
        .distinct()
    )
    with store.read() as connection:
        return {
            row.document_id: WAITING if row.waits else ADJUDICATED if row.is_adjudicated else READY
            for row in connection.execute(query)
        }


def list_annotators(store: Store, project_id: int) -> dict[str, list[int]]:
    """Return who annotates which documents of a project, in the order in which they were asked."""
    query = (
        select(ANNOTATION.c.annotation_of, ANNOTATION.c.annotator_id)
        .where(
            ANNOTATION.c.project_id == project_id, ANNOTATION.c.annotation_of.is_not(None), STANDS
        )
        .order_by(ANNOTATION.c.document_id)
    )
    annotators: dict[str, list[int]] = {}
    with store.read() as connection:
        for row in connection.execute(query):
            annotators.setdefault(row.annotation_of, []).append(row.annotator_id)
    return annotators
