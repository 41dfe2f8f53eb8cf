from __future__ import annotations

import threading

import pytest

from core.documents.document import Document
from core.errors import StoreError
from core.review.decisions.recording import Operation
from core.review.reports.used import Used, UsedConcepts, typed_for
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.stores import send
from tests.support.waiting import wait_until


def add(store: Store, document_id: str, *found: tuple[str, str]) -> int:
    """A document on which concepts were added, each after these words; its project."""
    project_id = default_project(store, "tiny").project_id
    add_document(store, Document.from_text(document_id, "T", document_id), project_id=project_id)
    operations = [
        Operation(n, "add", concept_id, value={"query": [words]})
        for n, (concept_id, words) in enumerate(found, start=1)
    ]
    send(store, *operations, document_id=document_id, client_id=f"tab {document_id}")
    return project_id


def test_what_was_typed_is_counted_and_found_in_whatever_case(store: Store) -> None:
    add(store, "a", ("c1", "Lakes"), ("c2", "lakes"))
    project_id = add(store, "b", ("c2", "lakes"), ("c3", "rivers"))
    typed = sorted(typed_for(store, project_id))
    assert typed == [("Lakes", "c1", 1), ("lakes", "c2", 2), ("rivers", "c3", 1)]
    used = UsedConcepts(lambda: store).of(project_id)
    assert list(used.after("LAKES")) == ["c2", "c1"]
    assert dict(used.frequencies) == {"c1": 1, "c2": 2, "c3": 1}


def test_a_search_does_not_wait_for_what_is_looked_up_anew(store: Store) -> None:
    project_id = add(store, "a", ("c1", "lakes"))
    may_read = threading.Event()
    may_read.set()

    def slow_store() -> Store:
        may_read.wait(30)
        return store

    used = UsedConcepts(slow_store, fresh_seconds=0)
    assert list(used.of(project_id).frequencies) == ["c1"]
    may_read.clear()
    add(store, "b", ("c2", "rivers"))
    assert list(used.of(project_id).frequencies) == ["c1"]
    may_read.set()
    wait_until(lambda: set(used.of(project_id).frequencies) == {"c1", "c2"})


def test_what_is_known_stays_where_the_store_fails_and_the_first_search_says_so(
    store: Store,
) -> None:
    project_id = add(store, "a", ("c1", "lakes"))
    is_away = threading.Event()

    def failing_store() -> Store:
        if is_away.is_set():
            raise StoreError("away")
        return store

    used = UsedConcepts(failing_store, fresh_seconds=0)
    known: Used = used.of(project_id)
    is_away.set()
    assert used.of(project_id) == known
    with pytest.raises(StoreError):
        UsedConcepts(failing_store).of(project_id)
