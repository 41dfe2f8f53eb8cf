from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.review.decisions import (
    Operation,
    Undone,
)
from core.review.store import Store
from tests.stores import (
    colleague,
    n_events,
    open_with_documents,
    send,
    states,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path)
    yield opened
    opened.close()


def test_undo_takes_back_ones_last_action_and_then_the_one_before(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), Operation(2, "reject", "c1"))
    send(store, Operation(3, "undo"))
    assert states(store) == {"c1": "accepted"}
    send(store, Operation(4, "undo"))
    assert states(store) == {}
    assert n_events(store) == 4


def test_undo_takes_back_a_group_as_one(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), Operation(2, "reject", "c2", "g"))
    send(store, Operation(3, "reject", "c3", "g"), Operation(4, "undo"))
    assert states(store) == {"c1": "accepted"}


def test_a_group_name_used_again_after_its_undo_is_another_group(store: Store) -> None:
    send(store, Operation(1, "reject", "c1", "g"), Operation(2, "undo"))
    send(store, Operation(3, "reject", "c2", "g"))
    assert states(store) == {"c2": "rejected"}


def test_undo_takes_back_the_last_action_in_whatever_document_it_was(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(2, "accept", "c1"), document_id="other")
    receipt = send(store, Operation(3, "undo"))
    assert receipt.undone == (Undone(3, "other", "other", (("accept", "c1"),)),)
    assert (states(store), states(store, "other")) == ({"c1": "accepted"}, {})
    assert send(store, Operation(3, "undo")) == receipt


def test_undo_takes_back_ones_own_also_from_another_tab_but_not_a_colleagues(store: Store) -> None:
    other = colleague(store)
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(1, "accept", "c2"), client_id="their tab", person_id=other)
    send(store, Operation(1, "undo"), client_id="my other tab")
    assert states(store) == {"c2": "accepted"}


def test_a_colleagues_later_decision_stands_when_one_takes_ones_own_back(store: Store) -> None:
    other = colleague(store)
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(1, "reject", "c1"), client_id="their tab", person_id=other)
    send(store, Operation(2, "undo"))
    assert states(store) == {"c1": "rejected"}


def test_undo_with_nothing_to_undo_does_nothing_now_nor_when_it_is_sent_again(
    store: Store,
) -> None:
    assert send(store, Operation(1, "undo")).settled == (1,)
    send(store, Operation(2, "accept", "c1"))
    send(store, Operation(1, "undo"))
    assert states(store) == {"c1": "accepted"}


def test_a_late_undo_takes_back_what_came_before_it_not_what_came_after(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(3, "accept", "c3"))
    send(store, Operation(2, "undo"))
    assert states(store) == {"c3": "accepted"}
