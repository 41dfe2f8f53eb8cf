"""One branch of the vocabulary across documents with suggestions or accepted concepts in it."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, func, select

from core.review.listed import COUNTED
from core.review.store.rules import Rules
from core.review.store.store import Store
from core.review.store.tables import decision, document, in_groups, prediction_run, suggestion
from core.vocabulary.concepts import Hierarchy

_ON_LIST = (
    document.c.project_id == bindparam("project"),
    COUNTED,
    document.c.finished_at.is_(None),
)


def waiting_in_branch(
    store: Store,
    project_id: int,
    hierarchy: Hierarchy,
    branch: str,
    *,
    rules: Rules,
    shown: int,
    after: str | None = None,
) -> list[str]:
    """Return the unfinished documents with an undecided suggestion in a branch.

    They come in the order of the list, from the one behind `after` on and round to its beginning,
    without `after` itself.

    Args:
        branch: a concept; it and everything narrower is its branch.
        rules: suggestions that these hide are not waited for.
        shown: so many suggestions of a document are looked at, the most probable ones.
    """
    with store.read() as connection:
        concept_ids = _branch(hierarchy, branch)
        open_ids = _open(connection, project_id, hierarchy, concept_ids, rules, shown)
        began = _began(connection, after)
    ordered = sorted(open_ids, key=_newest_first)
    if after is None or began is None:
        return [document_id for _, document_id in ordered]
    here = _newest_first((began, after))
    behind = [key for key in ordered if _newest_first(key) > here]
    before = [key for key in ordered if _newest_first(key) < here]
    return [document_id for _, document_id in [*behind, *before]]


def documents_in_branch(
    store: Store, project_id: int, hierarchy: Hierarchy, branch: str, *, rules: Rules, shown: int
) -> list[str]:
    """Return the documents that wait in a branch, or have a concept of it accepted; newest first."""
    concept_ids = _branch(hierarchy, branch)
    with store.read() as connection:
        keys = _open(connection, project_id, hierarchy, concept_ids, rules, shown)
        keys |= _accepted(connection, project_id, concept_ids)
    return [document_id for _, document_id in sorted(keys, key=_newest_first)]


Key = tuple[datetime, str]


def _branch(hierarchy: Hierarchy, branch: str) -> list[str]:
    return [branch, *sorted(hierarchy.descendants(branch))]


def _open(
    connection: Connection,
    project_id: int,
    hierarchy: Hierarchy,
    concept_ids: list[str],
    rules: Rules,
    shown: int,
) -> set[Key]:
    """Return the documents with an undecided suggestion among these that is not ruled out."""
    waiting = _undecided(connection, project_id, concept_ids, shown)
    closed = _excluded(connection, project_id)
    found = {concept_id for suggested in waiting.values() for concept_id in suggested}
    hidden = {concept_id for concept_id in found if rules.hides(concept_id, hierarchy)}
    return {
        key
        for key, suggested in waiting.items()
        if any(
            not closed[key[1]] & {concept_id, *hierarchy.ancestors(concept_id)}
            for concept_id in suggested
            if concept_id not in hidden
        )
    }


def _accepted(connection: Connection, project_id: int, concept_ids: list[str]) -> set[Key]:
    query = (
        select(document.c.created_at, document.c.document_id)
        .join(decision, decision.c.document_id == document.c.document_id)
        .where(document.c.project_id == project_id, COUNTED, decision.c.state == "accepted")
        .distinct()
    )
    keys: set[Key] = set()
    for some in in_groups(concept_ids):
        rows = connection.execute(query.where(decision.c.concept_id.in_(some)))
        keys |= {(created_at, document_id) for created_at, document_id in rows}
    return keys


def _newest_first(key: Key) -> tuple[float, str]:
    return -key[0].timestamp(), key[1]


def _undecided(
    connection: Connection, project_id: int, concept_ids: list[str], shown: int
) -> dict[Key, list[str]]:
    """Return by document what its newest run suggests of these concepts and nobody decided on.

    Suggestions are found by concept, apart from their documents: a domain has hundreds of concepts,
    and each of thousands of runs would be asked for all of them.
    """
    query = (
        select(suggestion.c.run_id, suggestion.c.concept_id)
        .where(suggestion.c.concept_id.in_(bindparam("concepts", expanding=True)))
        .where(suggestion.c.rank <= shown, suggestion.c.denied == "")
        .where(~_is_decided())
    )
    newest = _newest_runs(connection, project_id)
    by_run: dict[Key, list[str]] = defaultdict(list)
    for some in in_groups(concept_ids):  # a section of procedures has more than PostgreSQL takes
        for run_id, concept_id in connection.execute(query, {"concepts": some}):
            if run_id in newest:
                by_run[newest[run_id]].append(concept_id)
    return by_run


def _newest_runs(connection: Connection, project_id: int) -> dict[int, Key]:
    """Return the documents of the list that are not finished, by the newest run of each."""
    query = (
        select(func.max(prediction_run.c.run_id), document.c.created_at, document.c.document_id)
        .join(document, document.c.document_id == prediction_run.c.document_id)
        .where(*_ON_LIST)
        .group_by(document.c.document_id, document.c.created_at)
    )
    rows = connection.execute(query, {"project": project_id})
    return {run_id: (created_at, document_id) for run_id, created_at, document_id in rows}


def _is_decided() -> ColumnElement[bool]:
    """Where the suggestion of the outer query has a decision in its document."""
    here = (
        select(decision.c.event_id)
        .join(prediction_run, prediction_run.c.document_id == decision.c.document_id)
        .where(
            prediction_run.c.run_id == suggestion.c.run_id,
            decision.c.concept_id == suggestion.c.concept_id,
        )
    )
    return here.correlate(suggestion).exists()


def _excluded(connection: Connection, project_id: int) -> dict[str, set[str]]:
    query = (
        select(decision.c.document_id, decision.c.concept_id)
        .join(document, document.c.document_id == decision.c.document_id)
        .where(*_ON_LIST, decision.c.state == "excluded")
    )
    by_document: dict[str, set[str]] = defaultdict(set)
    for document_id, concept_id in connection.execute(query, {"project": project_id}):
        by_document[document_id].add(concept_id)
    return by_document


def _began(connection: Connection, document_id: str | None) -> datetime | None:
    here = select(document.c.created_at).where(document.c.document_id == document_id)
    began: datetime | None = connection.scalar(here)
    return began
