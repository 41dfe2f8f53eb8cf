"""Which rows of `document` are on a project's list, and which of these count.

An annotation that one of several people makes of a document is a row of its own, which names the
document and the annotator. It is on nobody's list but theirs. As long as not all annotations of a
document are finished, what is decided on the document itself counts nowhere, so that nobody sees it
who is to annotate it without. Every query over several documents says which of these it goes by.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, true

from core.review.store.tables import decision_event, document

ANNOTATION = document.alias("annotation")
ORIGINAL = document.alias("original")
STANDS = ANNOTATION.c.removed_at.is_(None)
"""Where an annotation was not given up again."""

ON_LIST = and_(document.c.removed_at.is_(None), document.c.annotation_of.is_(None))
IN_BIN = and_(document.c.removed_at.is_not(None), document.c.annotation_of.is_(None))

# Looked up once in a query; of projects without annotations, there is nothing in the index.
ANNOTATED_IDS = select(ANNOTATION.c.annotation_of).where(
    ANNOTATION.c.annotation_of.is_not(None), STANDS
)
WAITING_IDS = ANNOTATED_IDS.where(ANNOTATION.c.finished_at.is_(None))

COUNTED = and_(ON_LIST, document.c.document_id.not_in(WAITING_IDS))
"""Where a document is on the list, and no annotation of it is still to be finished."""

NOT_BLIND = or_(
    document.c.annotation_of.is_(None),
    and_(document.c.removed_at.is_(None), document.c.annotation_of.not_in(WAITING_IDS)),
)
"""Where a row is no annotation, or one that stands, and all of its document are finished."""

UNFINISHED = and_(
    ON_LIST, document.c.finished_at.is_(None), document.c.document_id.not_in(ANNOTATED_IDS)
)
"""Where a document is to be finished by whoever comes to it."""

# What was finished before the last annotation was is no outcome of them.
ADJUDICATED_IDS = (
    select(ORIGINAL.c.document_id)
    .join(ANNOTATION, ANNOTATION.c.annotation_of == ORIGINAL.c.document_id)
    .where(STANDS)
    .group_by(ORIGINAL.c.document_id, ORIGINAL.c.finished_at)
    .having(
        ORIGINAL.c.finished_at.is_not(None),
        func.count(ANNOTATION.c.finished_at) == func.count(),
        ORIGINAL.c.finished_at >= func.max(ANNOTATION.c.finished_at),
    )
)
TO_ADJUDICATE = and_(
    ON_LIST,
    document.c.erased_at.is_(None),
    document.c.document_id.in_(ANNOTATED_IDS),
    document.c.document_id.not_in(WAITING_IDS),
    document.c.document_id.not_in(ADJUDICATED_IDS),
)


def to_annotate(person_id: int) -> ColumnElement[bool]:
    """Return where a row is an annotation that a person has still to finish."""
    is_listed = exists().where(
        ORIGINAL.c.document_id == document.c.annotation_of, ORIGINAL.c.removed_at.is_(None)
    )
    return and_(
        document.c.annotator_id == person_id,
        document.c.removed_at.is_(None),
        document.c.finished_at.is_(None),
        is_listed,
    )


def to_adjudicate(person_id: int | None) -> ColumnElement[bool]:
    """Return where all annotations of a document are finished, and nobody has adjudicated it yet.

    Args:
        person_id: who has made none of its annotations; None for anybody.
    """
    return and_(TO_ADJUDICATE, not_annotated_by(person_id))


def not_annotated_by(person_id: int | None) -> ColumnElement[bool]:
    """Return where a person has made no annotation of a document; of nobody, that is everywhere."""
    if person_id is None:
        return true()
    own = ANNOTATED_IDS.where(ANNOTATION.c.annotator_id == person_id)
    return document.c.document_id.not_in(own)


def adjudicated_by(person_id: int) -> ColumnElement[bool]:
    """Return where a person has made the outcome of a document's annotations."""
    finished = exists().where(
        decision_event.c.document_id == document.c.document_id,
        decision_event.c.person_id == person_id,
        decision_event.c.action == "finish",
        decision_event.c.decided_at == document.c.finished_at,
    )
    return and_(document.c.document_id.in_(ADJUDICATED_IDS), finished)
