"""Which documents have something undecided in a branch of the vocabulary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.review.decisions.recording import Operation
from core.review.reports.branch_work import waiting_in_branch
from core.review.store.documents import remove_document
from core.review.store.predictions import save_prediction
from core.review.store.store import Store
from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.stores import prediction, send

pytestmark = pytest.mark.usefixtures("on_both")


@pytest.fixture(scope="module")
def sea() -> Hierarchy:
    """Sea > fish > cod; land > wheat."""
    broader = {"sea": (), "fish": ("sea",), "cod": ("fish",), "land": (), "wheat": ("land",)}
    return Hierarchy(
        [
            Concept(name, f"https://example.org/{name}", None, {"en": name}, {}, above)
            for name, above in broader.items()
        ],
        vocabulary_id="sea",
        version="1",
    )


def found(*concept_ids: str) -> Prediction:
    """These concepts, the most probable first."""
    suggestions = (
        Suggestion(name, f"https://example.org/{name}", None, name, 0.9 / rank, 0.9, rank)
        for rank, name in enumerate(concept_ids, start=1)
    )
    return replace(prediction(0), suggestions=tuple(suggestions))


@pytest.fixture
def read(store: Store, project: int) -> Store:
    """Cod in a, c and d, third in c; wheat in b; the newest of the project first: d, c, b, a."""
    assert project
    for name, those in {"a": "cod", "b": "wheat", "c": "wheat land cod", "d": "cod"}.items():
        save_prediction(store, name, found(*those.split()), settings={})
    return store


def waiting(store: Store, project: int, hierarchy: Hierarchy, **choice: object) -> list[str]:
    chosen = {"shown": 25, **choice}
    return waiting_in_branch(store, project, hierarchy, "sea", **chosen)  # type: ignore[arg-type]


def test_documents_come_in_the_order_of_the_list_and_round_to_its_beginning(
    read: Store, project: int, sea: Hierarchy
) -> None:
    assert waiting(read, project, sea) == ["d", "c", "a"]
    assert waiting(read, project, sea, after="d") == ["c", "a"]
    assert waiting(read, project, sea, after="b") == ["a", "d", "c"]


def test_only_what_the_tree_shows_counts(read: Store, project: int, sea: Hierarchy) -> None:
    assert waiting(read, project, sea, shown=2) == ["d", "a"]


def test_what_is_decided_finished_excluded_or_removed_does_not_wait(
    read: Store, project: int, sea: Hierarchy
) -> None:
    send(read, Operation(1, "reject", "cod"), document_id="d", client_id="one")
    send(read, Operation(1, "exclude", "fish"), document_id="c", client_id="two")
    assert waiting(read, project, sea) == ["a"]
    send(read, Operation(1, "finish"), document_id="a", client_id="three")
    assert waiting(read, project, sea) == []
    send(read, Operation(2, "clear", "cod"), document_id="d", client_id="one")
    assert waiting(read, project, sea) == ["d"]
    remove_document(read, "d")
    assert waiting(read, project, sea) == []


def test_the_newest_run_of_a_model_counts(read: Store, project: int, sea: Hierarchy) -> None:
    save_prediction(read, "d", found("wheat"), settings={})
    assert waiting(read, project, sea) == ["c", "a"]
