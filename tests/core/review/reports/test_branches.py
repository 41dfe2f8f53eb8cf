"""Branches that were accepted and rejected most."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.review.decisions.recording import Operation, record
from core.review.reports.usage import Branch, busiest_branches
from core.review.store.arrivals import add_document
from core.review.store.documents import remove_document
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.fakes import hierarchy

VOCABULARY = hierarchy()
pytestmark = pytest.mark.usefixtures("on_both")


def decide(store: Store, name: str, batch: str | None, *decisions: tuple[str, str]) -> None:
    document = Document.from_text(name, name, "")
    project_id = default_project(store, "tiny").project_id
    add_document(store, document, project_id=project_id, batch=batch)
    record(
        store,
        document_id=name,
        person_id=default_person(store).person_id,
        client_id=name,
        operations=[Operation(n, *decision) for n, decision in enumerate(decisions, start=1)],
    )


def branches(store: Store, **options: object) -> list[Branch]:
    project_id = default_project(store, "tiny").project_id
    return busiest_branches(store, project_id, hierarchy=VOCABULARY, **options)  # type: ignore[arg-type]


def test_decisions_are_counted_in_every_branch_that_a_concept_stands_in(store: Store) -> None:
    decide(store, "a", None, ("accept", "103"), ("reject", "301"))
    decide(store, "b", None, ("accept", "103"), ("exclude", "m3"))
    assert branches(store) == [Branch("d1", 2, 0), Branch("d2", 0, 2)]
    assert branches(store, level=2) == [Branch("m1", 2, 0), Branch("m2", 2, 0), Branch("m3", 0, 2)]


def test_a_category_whose_code_is_still_to_be_found_is_not_rejected(store: Store) -> None:
    decide(store, "a", None, ("hold", "103"), ("accept", "201"))
    assert branches(store) == [Branch("d1", 1, 0)]


def test_a_batch_is_counted_by_itself_and_the_bin_not_at_all(store: Store) -> None:
    decide(store, "a", "week 12", ("accept", "201"))
    decide(store, "b", None, ("accept", "201"))
    decide(store, "c", "week 12", ("accept", "201"))
    remove_document(store, "c")
    assert branches(store, batch="week 12") == [Branch("d1", 1, 0)]
    assert branches(store) == [Branch("d1", 2, 0)]


def test_a_concept_that_the_vocabulary_lost_is_in_no_branch(store: Store) -> None:
    decide(store, "a", None, ("accept", "999"))
    assert branches(store) == []
