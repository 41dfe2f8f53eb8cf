"""Documents that arrive in numbers are stored together, and each once."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from core.documents.document import Document
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import ADDED, HERE, RESTORED, Arrival, add_documents
from core.review.store.documents import given_concepts, remove_document
from core.review.store.projects import default_project
from core.review.store.store import Store

pytestmark = pytest.mark.usefixtures("on_both")


def arrival(document_id: str, text: str, *given: str) -> Arrival:
    return Arrival(Document.from_text(document_id, f"Title of {document_id}", text), given)


def test_what_is_new_is_added_with_its_concepts_and_batch(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    arrivals = [arrival("a", "Herring.", "101", "102"), arrival("", "Honey.")]
    outcomes = add_documents(store, arrivals, project_id=project_id, batch="acts.csv")
    assert [one.kind for one in outcomes] == [ADDED, ADDED]
    assert given_concepts(store, "a") == ("101", "102")
    assert {one.batch for one in list_documents(store, project_id)} == {"acts.csv"}


def test_the_same_text_is_added_once_and_comes_back_from_the_bin(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    first = [arrival("a", "Herring."), arrival("b", "Honey."), arrival("c", "Herring.")]
    outcomes = add_documents(store, first, project_id=project_id, batch="x")
    assert [(one.document_id, one.kind) for one in outcomes] == [
        ("a", ADDED),
        ("b", ADDED),
        ("a", HERE),
    ]
    remove_document(store, "b")
    again = add_documents(store, [arrival("d", "Honey.")], project_id=project_id, batch="x")
    assert [(one.document_id, one.kind) for one in again] == [("b", RESTORED)]
    assert {one.document_id for one in list_documents(store, project_id)} == {"a", "b"}


def test_many_take_one_commit(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    commits: list[object] = []
    event.listen(store.engine, "commit", commits.append)
    arrivals = [arrival(str(n), f"Herring {n}.") for n in range(60)]
    add_documents(store, arrivals, project_id=project_id, batch="x")
    assert len(commits) == 1
    assert len(list_documents(store, project_id)) == 60
