"""Parts of the document list: the newest, those of a title, the next unfinished one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.reports.following import next_unfinished
from core.review.reports.summaries import (
    batches,
    count_documents,
    list_documents,
    read_by_others,
    unread,
)
from core.review.store.arrivals import Arrival, add_documents
from core.review.store.documents import remove_document, set_title
from core.review.store.predictions import save_prediction
from core.review.store.store import Store
from tests.support.stores import prediction, send

pytestmark = pytest.mark.usefixtures("on_both")


def listed(store: Store, project: int, **choice: object) -> list[str]:
    return [found.document_id for found in list_documents(store, project, **choice)]  # type: ignore[arg-type]


def finish(store: Store, *names: str) -> None:
    for name in names:
        send(store, Operation(1, "finish"), document_id=name, client_id=f"tab-{name}")


def test_the_newest_are_listed_with_what_is_decided_on_them(store: Store, project: int) -> None:
    send(store, Operation(1, "accept", "c1"), document_id="d")
    send(store, Operation(1, "reject", "c1"), document_id="a", client_id="other")
    assert listed(store, project) == ["d", "c", "b", "a"]
    assert list_documents(store, project, limit=2) == list_documents(store, project)[:2]
    assert [found.n_accepted for found in list_documents(store, project, limit=2)] == [1, 0]


def test_a_branch_that_is_ruled_out_counts_as_one_rejection(store: Store, project: int) -> None:
    send(store, Operation(1, "exclude", "c1"), document_id="a")
    send(store, Operation(2, "reject", "c2"), document_id="a")
    assert [found.n_rejected for found in list_documents(store, project)] == [0, 0, 0, 2]


def test_titles_are_found_by_all_their_words_as_they_are_written(
    store: Store, project: int
) -> None:
    assert listed(store, project, title="wool ON") == ["d", "c", "b", "a"]
    assert listed(store, project, title="100%") == ["d", "c", "b", "a"]
    assert listed(store, project, title="1%0") == []
    assert listed(store, project, title="on_wool") == []


@pytest.mark.parametrize(
    "typed",
    [
        "économie",
        "ECONOMIE",
        "Économie",
        "E\u0301conomie",
        "ΕΛΛΆΔΑ",
        "ΚΑΝΟΝΙΣ",
        "pecheur",
        "istanbul",
    ],
)
def test_titles_are_found_without_case_and_accents(store: Store, project: int, typed: str) -> None:
    set_title(
        store, "b", "L'Économie de l'Île, ΕΛΛΑΔΑ Κανονισμού; o'Brien, pe\u0302cheur, İstanbul"
    )
    assert listed(store, project, title=typed) == ["b"]
    assert listed(store, project, title="ile o'brien") == ["b"]


def test_documents_are_counted_and_each_of_their_batches_is_named_once(
    store: Store, project: int
) -> None:
    remove_document(store, "b")
    assert count_documents(store, project) == 3
    assert batches(store, project) == []
    for batch, names in {"second": "ef", "first": "gh"}.items():
        arrivals = [Arrival(Document.from_text(name, "On wool", name), ()) for name in names]
        add_documents(store, arrivals, project_id=project, batch=batch)
    assert count_documents(store, project) == 7
    assert batches(store, project) == ["first", "second"]


def test_the_next_unfinished_one_is_found_round_to_the_beginning(
    store: Store, project: int
) -> None:
    finish(store, "c")
    remove_document(store, "b")
    assert next_unfinished(store, project, "d") == "a"
    assert next_unfinished(store, project, "a") == "d"
    assert next_unfinished(store, project, None) == "d"
    assert next_unfinished(store, project, "none") == "d"
    finish(store, "a")
    assert next_unfinished(store, project, "d") is None


def test_a_batch_is_gone_through_in_the_order_of_its_rows_and_then_the_list(
    store: Store, project: int
) -> None:
    arrivals = [Arrival(Document.from_text(name, "On wool", name), ()) for name in "zyx"]
    add_documents(store, arrivals, project_id=project, batch="acts.csv")
    assert next_unfinished(store, project, None) == "z"
    assert next_unfinished(store, project, "z") == "y"
    finish(store, "x")
    assert next_unfinished(store, project, "y") == "z"  # which was left, and comes before the rest
    finish(store, "z", "y")
    assert next_unfinished(store, project, "x") == "d"
    assert next_unfinished(store, project, "d") == "c"


def test_unfinished_documents_of_other_models_are_named(store: Store, project: int) -> None:
    for name, bundle in (("a", "old"), ("b", "old"), ("c", "new"), ("b", "new"), ("d", "old")):
        found = replace(prediction(), bundle_hash=bundle)
        save_prediction(store, name, found, settings={})
    finish(store, "a")
    assert list(read_by_others(store, project, "new").items()) == [("d", "old")]
    assert list(read_by_others(store, project, "old")) == ["c", "b"]


def test_what_nothing_has_read_is_named_unless_it_is_finished_or_gone(
    store: Store, project: int
) -> None:
    save_prediction(store, "a", prediction(), settings={})
    finish(store, "b")
    assert unread(store, project) == ["d", "c"]
    remove_document(store, "d")
    assert unread(store, project) == ["c"]
