"""What is exported: the chosen documents with the chosen decisions, in a few queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.clinical.joined import is_procedure_in
from core.clinical.stay import NO_STAY, Stay
from core.review.decisions.decided import below, places_of
from core.review.people.accounts import has_accounts
from core.review.reports.snapshot import (
    ACCEPTED,
    EXCLUDED,
    GIVEN,
    NO_SIGN_OFF,
    NOT_TAKEN,
    REJECTED,
    ExportedDecision,
    SignOff,
    decided,
    given,
    not_taken,
    proposed_terms,
    sign_offs,
)
from core.review.reports.summaries import (
    FINISHED,
    STATUSES,
    DocumentSummary,
    select_ids,
    select_summaries,
)
from core.review.store.documents import select_stays
from core.review.store.projects import select_projects
from core.review.store.proposed_terms import ProposedTerm
from core.review.store.store import ReadConnection, Store
from core.review.store.tables import in_groups
from core.vocabulary.concepts import Hierarchy, is_code
from core.vocabulary.conventions import conventions_of

PROPOSED = "proposed"
DECISIONS = (ACCEPTED, REJECTED, EXCLUDED, NOT_TAKEN, GIVEN)


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of documents of a project that are on the list, and of decisions.

    Attributes:
        document_ids: these alone; None for all.
        batch: those that came with this upload; None for all.
        statuses: some of `STATUSES`.
        approved: only documents that are.
        decisions: some of `DECISIONS`. "not taken" is what was shown and left untouched on a
            finished document; "given" is what came with a document and is not decided yet.
        below_excluded: whether what was shown below a branch that is ruled out is "not taken".
        proposed_terms: whether the terms that people missed in the vocabulary come along.
        project_id: of a project with this vocabulary; None for the vocabulary's oldest.
    """

    document_ids: tuple[str, ...] | None = None
    batch: str | None = None
    statuses: frozenset[str] = frozenset(STATUSES)
    approved: bool = False
    decisions: frozenset[str] = frozenset({ACCEPTED})
    below_excluded: bool = False
    proposed_terms: bool = False
    project_id: int | None = None


@dataclass(frozen=True, slots=True)
class ExportedDocument:
    """A chosen document with its chosen decisions, the accepted ones in their order.

    Attributes:
        sign_off: who has finished and judged it, where people sign in.
    """

    summary: DocumentSummary
    items: tuple[ExportedDecision, ...]
    proposed_terms: tuple[ProposedTerm, ...] = ()
    stay: Stay = NO_STAY
    sign_off: SignOff = NO_SIGN_OFF


def gather(
    store: Store, selection: Selection, hierarchy: Hierarchy, *, limit: int | None = None
) -> Iterator[ExportedDocument]:
    """Yield the chosen documents with their decisions at one moment, oldest first.

    They are read some at a time, so that few are in memory however many are chosen.

    Args:
        limit: documents at most; None for all.
    Raises:
        StoreError: the store cannot be read.
    """
    with store.read() as connection:
        project_id = _project_of(connection, selection, hierarchy.vocabulary_id)
        if project_id is None:
            return
        chosen = _choose(connection, selection, project_id)[:limit]
        for ids in in_groups(chosen):
            summaries = select_summaries(connection, project_id, ids)
            # A server shows each query the moment at which it is asked: a document may have left
            # the list.
            listed = [summaries[document_id] for document_id in ids if document_id in summaries]
            yield from _gather_some(connection, listed, selection, hierarchy)


def names_people(connection: ReadConnection, selection: Selection, vocabulary_id: str) -> bool:
    """Return whether records say who decided: where people sign in, as the project has it."""
    if not has_accounts(connection):
        return True
    project_id = _project_of(connection, selection, vocabulary_id)
    projects = select_projects(connection)
    return any(row.names_people for row in projects if row.project_id == project_id)


def count_chosen(store: Store, selection: Selection, hierarchy: Hierarchy) -> int:
    """Return how many documents `gather` yields."""
    with store.read() as connection:
        project_id = _project_of(connection, selection, hierarchy.vocabulary_id)
        return 0 if project_id is None else len(_choose(connection, selection, project_id))


def _project_of(connection: ReadConnection, selection: Selection, vocabulary_id: str) -> int | None:
    """Return the project that is chosen from; None where it is none of this vocabulary."""
    ids = [
        project.project_id
        for project in select_projects(connection)
        if project.vocabulary_id == vocabulary_id
        and selection.project_id in (None, project.project_id)
    ]
    return next(iter(ids), None)


def _choose(connection: ReadConnection, selection: Selection, project_id: int) -> list[str]:
    ids = select_ids(
        connection,
        project_id,
        batch=selection.batch,
        statuses=selection.statuses,
        approved=selection.approved,
    )
    if selection.document_ids is None:
        return ids
    wanted = set(selection.document_ids)
    return [document_id for document_id in ids if document_id in wanted]


def _gather_some(
    connection: ReadConnection,
    summaries: Sequence[DocumentSummary],
    selection: Selection,
    hierarchy: Hierarchy,
) -> Iterator[ExportedDocument]:
    ids, wanted = [summary.document_id for summary in summaries], selection.decisions
    explicit = decided(connection, ids)
    untouched = not_taken(connection, ids, hierarchy) if NOT_TAKEN in wanted else {}
    brought = given(connection, ids) if GIVEN in wanted else {}
    terms = proposed_terms(connection, ids) if selection.proposed_terms else {}
    stays = select_stays(connection, ids)
    signed = sign_offs(connection, ids) if has_accounts(connection) else {}
    for summary in summaries:
        document_id = summary.document_id
        decisions = explicit.get(document_id, [])
        excluded = {item.concept_id for item in decisions if item.decision == EXCLUDED}
        codes = [item for item in decisions if not _is_no_code(item, summary, hierarchy)]
        undecided = _undecided(
            (*untouched.get(document_id, ()), *brought.get(document_id, ())),
            {item.concept_id for item in decisions},
        )
        items = (
            *(item for item in _in_order(codes, hierarchy) if item.decision in wanted),
            *(
                item
                for item in undecided
                if (selection.below_excluded and item.decision == NOT_TAKEN)
                or not below(item.concept_id, excluded, hierarchy)
            ),
        )
        yield ExportedDocument(
            summary,
            items,
            tuple(terms.get(document_id, ())),
            stays.get(document_id, NO_STAY),
            signed.get(document_id, NO_SIGN_OFF),
        )


def _is_no_code(item: ExportedDecision, summary: DocumentSummary, hierarchy: Hierarchy) -> bool:
    """Return whether a category is accepted where only codes are, since it was a code once.

    What was accepted until the document was finished stands: it was a code on that day, also where
    the vocabulary of today divides it.
    """
    if item.decision != ACCEPTED or summary.status == FINISHED:
        return False
    if not conventions_of(hierarchy.vocabulary_id).leaves_only:
        return False
    return item.concept_id in hierarchy and not is_code(item.concept_id, hierarchy)


def _undecided(items: Iterable[ExportedDecision], decided: set[str]) -> Iterator[ExportedDecision]:
    """Yield the items of concepts that have no decision yet, each concept once."""
    seen = set(decided)
    for item in items:
        if item.concept_id not in seen:
            seen.add(item.concept_id)
            yield item


def _in_order(items: list[ExportedDecision], hierarchy: Hierarchy) -> list[ExportedDecision]:
    """Return the accepted concepts with their places, in the order that a person gave them.

    Procedures stand behind the diagnoses.
    """
    ordered = {item.concept_id: item.place for item in items if item.decision == ACCEPTED}
    places = places_of(ordered)
    procedures = {i for i in ordered if is_procedure_in(i, hierarchy)}
    ranked = sorted(places, key=lambda i: (i in procedures, places[i]))
    places = {concept_id: place for place, concept_id in enumerate(ranked, start=1)}
    placed = [replace(item, place=places.get(item.concept_id)) for item in items]
    if not any(ordered.values()) and not procedures:
        return placed
    return sorted(placed, key=lambda item: item.place or len(placed) + 1)
