from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.reports.usage import Usage, counts, touched, usage
from core.review.store.arrivals import add_document
from core.review.store.documents import remove_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.stores import open_with_documents, send


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path, "one", "two", "three", "removed")
    for number, (name, action) in enumerate(
        [("one", "accept"), ("two", "reject"), ("three", "add"), ("removed", "accept")], start=1
    ):
        send(opened, Operation(number, action, "c1"), document_id=name)
    send(opened, Operation(5, "exclude", "c2"), document_id="one")
    send(opened, Operation(6, "accept", "c3"), document_id="one")
    send(opened, Operation(7, "clear", "c3"), document_id="one")
    remove_document(opened, "removed")
    elsewhere = default_project(opened, "another").project_id
    add_document(opened, Document.from_text("elsewhere", "x", "y"), project_id=elsewhere)
    send(opened, Operation(8, "accept", "c1"), document_id="elsewhere")
    yield opened
    opened.close()


def test_usage_counts_what_holds_on_the_list_of_one_project(store: Store) -> None:
    found = usage(store, 1, "c1")
    assert (found.n_accepted, found.n_rejected) == (2, 1)
    assert [(one.document_id, one.title, one.state) for one in found.documents] == [
        ("three", "three", "accepted"),
        ("two", "two", "rejected"),
        ("one", "one", "accepted"),
    ]
    assert found.documents[0].decided_at >= found.documents[1].decided_at
    assert len(usage(store, 1, "c1", limit=2).documents) == 2


def test_a_concept_that_nobody_decided_has_no_usage(store: Store) -> None:
    assert usage(store, 1, "c3") == usage(store, 1, "nowhere") == Usage(0, 0, ())


def test_counts_are_of_all_concepts_at_once(store: Store) -> None:
    assert counts(store, 1) == {"c1": (2, 1), "c2": (0, 0)}
    assert counts(store, 99) == {}


def test_what_a_new_version_touches_is_told_by_concept(store: Store) -> None:
    many = [f"x{number}" for number in range(1200)]
    found = touched(store, 1, [*many, "c1", "c2", "c3", "c1"])
    assert {key: [one.document_id for one in theirs] for key, theirs in found.items()} == {
        "c1": ["one", "two", "three"],
        "c2": ["one"],
    }
    assert found["c2"][0].state == "excluded"
    assert touched(store, 1, []) == {}
