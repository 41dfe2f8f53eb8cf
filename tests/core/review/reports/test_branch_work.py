"""Which documents have something undecided in a branch of the vocabulary."""

from __future__ import annotations

import pytest

from core.review.decisions.recording import Operation
from core.review.reports.branch_work import documents_in_branch, waiting_in_branch
from core.review.store.documents import remove_document
from core.review.store.predictions import save_prediction
from core.review.store.rules import Rules
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from tests.support.stores import denying, send, suggesting

pytestmark = pytest.mark.usefixtures("on_both")


def waiting(store: Store, project: int, hierarchy: Hierarchy, **choice: object) -> list[str]:
    chosen = {"shown": 25, "rules": Rules(), **choice}
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


def test_what_the_text_denies_does_not_wait(read: Store, project: int, sea: Hierarchy) -> None:
    save_prediction(read, "d", denying(suggesting("cod", "wheat"), "cod"), settings={})
    assert waiting(read, project, sea) == ["c", "a"]


def test_what_a_rule_hides_does_not_wait(read: Store, project: int, sea: Hierarchy) -> None:
    cod, fish = frozenset({"cod"}), frozenset({"fish"})
    for rules in (Rules(never_suggested=cod), Rules(never_assigned=fish)):
        assert waiting(read, project, sea, rules=rules) == []
        assert documents_in_branch(read, project, sea, "cod", rules=rules, shown=25) == []
    send(read, Operation(1, "add", "cod"), document_id="a", client_id="one")
    assert documents_in_branch(read, project, sea, "cod", rules=rules, shown=25) == ["a"]


def test_the_newest_run_of_a_model_counts(read: Store, project: int, sea: Hierarchy) -> None:
    save_prediction(read, "d", suggesting("wheat"), settings={})
    assert waiting(read, project, sea) == ["c", "a"]


def test_documents_of_a_branch_wait_in_it_or_have_something_of_it_accepted(
    read: Store, project: int, sea: Hierarchy
) -> None:
    def found(branch: str) -> list[str]:
        return documents_in_branch(read, project, sea, branch, rules=Rules(), shown=2)

    assert (found("sea"), found("land")) == (["d", "a"], ["c", "b"])  # cod comes third in c
    send(read, Operation(1, "add", "cod"), document_id="b", client_id="one")
    send(read, Operation(1, "accept", "cod"), document_id="a", client_id="two")
    send(read, Operation(2, "finish"), document_id="a", client_id="two")
    send(read, Operation(1, "reject", "cod"), document_id="d", client_id="three")
    assert (found("sea"), found("fish"), found("cod")) == (["b", "a"],) * 3
    remove_document(read, "a")
    assert (found("sea"), found("land")) == (["b"], ["c", "b"])
