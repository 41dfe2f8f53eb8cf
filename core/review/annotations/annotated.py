"""Documents of which all annotations are finished: for figures of agreement, audits, and as a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from sqlalchemy import Connection, select

from core.agreement.annotations import AnnotatedDocument, Annotation
from core.agreement.codes import AssignedCode, AuditedEncounter
from core.insights.decisions import week_of
from core.review.decisions.decided import ACCEPTED, accepted_in_order, decided, hidden_by_rules
from core.review.decisions.derivation import turns_of_several
from core.review.listed import ADJUDICATED_IDS, ORIGINAL, WAITING_IDS
from core.review.reports.snapshot import ExportedDecision
from core.review.reports.snapshot import decided as decisions_of
from core.review.store.store import Store
from core.review.store.tables import (
    decision,
    decision_event,
    document,
    in_groups,
    person,
    suggestion,
)
from core.vocabulary.concepts import Hierarchy


@dataclass(frozen=True, slots=True)
class FinishedAnnotation:
    """An annotation of a document whose annotations are all finished.

    Attributes:
        document_id: of the document; `annotation_id` is that of its annotation.
        annotator: the name of the account.
        is_adjudicated: whether somebody has made an outcome of the document's annotations.
    """

    document_id: str
    annotation_id: str
    annotator: str
    finished_at: datetime
    is_adjudicated: bool


def finished_annotations(connection: Connection, project_id: int) -> list[FinishedAnnotation]:
    """Return the annotations of a project by document, those of a document in the order of asking."""
    query = (
        select(
            document.c.annotation_of,
            document.c.document_id,
            person.c.name,
            document.c.finished_at,
            ORIGINAL.c.document_id.in_(ADJUDICATED_IDS),
        )
        .join(ORIGINAL, ORIGINAL.c.document_id == document.c.annotation_of)
        .join(person, person.c.person_id == document.c.annotator_id)
        .where(
            document.c.project_id == project_id,
            document.c.removed_at.is_(None),
            ORIGINAL.c.removed_at.is_(None),
            document.c.annotation_of.not_in(WAITING_IDS),
        )
        .order_by(document.c.annotation_of, document.c.document_id)
    )
    return [FinishedAnnotation(*row) for row in connection.execute(query)]


OUTCOME = ""  # in place of an annotator, of what was made of the annotations


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """A decision of one annotation, or of the OUTCOME."""

    document_id: str
    annotator: str
    is_adjudicated: bool
    item: ExportedDecision


def annotation_rows(store: Store, project_id: int) -> list[AnnotationRow]:
    """Return what people decided on documents whose annotations are all finished, and the outcomes."""
    with store.read() as connection:
        finished = finished_annotations(connection, project_id)
        of_row = {row.annotation_id: (row.document_id, row.annotator, row) for row in finished}
        of_row |= {
            row.document_id: (row.document_id, OUTCOME, row)
            for row in finished
            if row.is_adjudicated
        }
        items: dict[str, list[ExportedDecision]] = {}
        for some in in_groups(list(of_row)):
            items |= decisions_of(connection, some)
    return [
        AnnotationRow(document_id, annotator, row.is_adjudicated, item)
        for row_id, (document_id, annotator, row) in sorted(of_row.items())
        for item in items.get(row_id, ())
    ]


def annotated_documents(
    store: Store, project_id: int, hierarchy: Hierarchy | None = None
) -> list[AnnotatedDocument]:
    """Return what people put on documents without seeing each other's decisions, oldest first.

    A document counts to the week in which the last of its annotations was finished.

    Args:
        hierarchy: with it, what is below a concept that is never assigned was not shown.
    """
    with store.read() as connection:
        rows = finished_annotations(connection, project_id)
        ids = [row.annotation_id for row in rows]
        assigned, ranks = _assigned(connection, ids), _ranks(connection, ids, hierarchy)
    found = []
    for document_id, some in groupby(rows, key=attrgetter("document_id")):
        theirs = list(some)
        annotations = {
            row.annotator: _annotation(assigned[row.annotation_id], ranks[row.annotation_id])
            for row in theirs
        }
        last = max(row.finished_at for row in theirs)
        found.append((last, AnnotatedDocument(document_id, annotations, week_of(last))))
    return [annotated for _, annotated in sorted(found, key=lambda row: row[0])]


def _annotation(assigned: Mapping[str, bool], ranks: Mapping[str, int]) -> Annotation:
    typed = frozenset(i for i, is_typed in assigned.items() if is_typed)
    return Annotation(frozenset(assigned), ranks, typed)


def _assigned(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, bool]]:
    """By annotation, whether each accepted concept was searched for or chosen in the tree."""
    event, assigned = decision_event.c, defaultdict[str, dict[str, bool]](dict)
    query = (
        select(decision.c.document_id, decision.c.concept_id, event.action, event.rank)
        .join(decision_event, event.event_id == decision.c.event_id)
        .where(decision.c.state == ACCEPTED)
    )
    for some in in_groups(ids):
        for row in connection.execute(query.where(decision.c.document_id.in_(some))):
            is_typed = row.action != "accept" or row.rank is None
            assigned[row.document_id][row.concept_id] = is_typed
    return assigned


def _ranks(
    connection: Connection, ids: Sequence[str], hierarchy: Hierarchy | None
) -> dict[str, dict[str, int]]:
    """By annotation, the suggestions that were on the page at the finish, with their ranks."""
    event, ranks = decision_event.c, defaultdict[str, dict[str, int]](dict)
    query = (
        select(event.document_id, suggestion.c.concept_id, suggestion.c.rank)
        .join(suggestion, suggestion.c.run_id == event.run_id)
        .where(suggestion.c.rank <= event.shown)
    )
    for some in in_groups(ids):
        finishes = [turns.finish for turns in turns_of_several(connection, some).values()]
        event_ids = [finish.event_id for finish in finishes if finish is not None]
        for row in connection.execute(query.where(event.event_id.in_(event_ids))):
            ranks[row.document_id][row.concept_id] = row.rank
        hidden = hidden_by_rules(connection, event_ids, ranks, hierarchy)
        for document_id, concept_ids in hidden.items():
            for concept_id in concept_ids:
                del ranks[document_id][concept_id]
    return ranks


def audited_encounters(store: Store, project_id: int) -> list[AuditedEncounter]:
    """Return codings beside their reference: the adjudicated one, or else the second coder's."""
    with store.read() as connection:
        rows = finished_annotations(connection, project_id)
        return list(_audited(connection, rows))


def _audited(
    connection: Connection, rows: Sequence[FinishedAnnotation]
) -> Iterator[AuditedEncounter]:
    for document_id, some in groupby(rows, key=attrgetter("document_id")):
        *coders, last = some
        reference = _codes(connection, document_id if last.is_adjudicated else last.annotation_id)
        for row in (*coders, last) if last.is_adjudicated else coders:
            codes = _codes(connection, row.annotation_id)
            yield AuditedEncounter(document_id, row.annotator, codes, reference)


def _codes(connection: Connection, document_id: str) -> tuple[AssignedCode, ...]:
    return tuple(
        AssignedCode(row.concept_id, row.present, row.performed_on)
        for row in accepted_in_order(decided(connection, document_id))
    )
