from __future__ import annotations

import itertools

import pytest

from core.errors import StoreError
from core.review.decisions.recording import (
    MAX_OPERATIONS,
    Operation,
)
from core.review.store.documents import remove_document
from core.review.store.store import Store
from tests.support.stores import (
    CONCEPTS,
    acknowledged,
    n_events,
    send,
    states,
)

pytestmark = pytest.mark.usefixtures("on_both")


def test_a_repeated_message_is_acknowledged_and_stored_once(store: Store) -> None:
    queue = [Operation(1, "accept", "c1"), Operation(2, "undo"), Operation(3, "accept", "c2")]
    assert send(store, *queue).stored == send(store, *queue).stored == (1, 2, 3)
    assert send(store, *queue[:1], *queue).stored == (1, 2, 3)
    assert (n_events(store), states(store)) == (3, {"c2": "accepted"})


def test_what_is_only_for_a_new_document_is_stored_once_under_whatever_client(store: Store) -> None:
    for client in ("one", "two"):
        receipt = send(store, Operation(1, "accept", "c1"), client_id=client, only_first=True)
        assert (receipt.stored, receipt.refused) == ((1,) if client == "one" else (), ())
    assert n_events(store) == 1


def test_two_tabs_may_count_alike(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), client_id="one")
    send(store, Operation(1, "accept", "c2"), client_id="two")
    assert n_events(store) == 2


def test_a_late_operation_does_not_override_a_newer_one_of_the_same_client(store: Store) -> None:
    send(store, Operation(2, "reject", "c1"))
    send(store, Operation(1, "accept", "c1"))
    assert states(store) == {"c1": "rejected"}


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_without_undo_the_order_of_arrival_makes_no_difference(
    store: Store, order: tuple[int, ...]
) -> None:
    queue = [
        Operation(1, "accept", "c1"),
        Operation(2, "reject", "c1"),
        Operation(3, "clear", "c2"),
        Operation(4, "accept", "c2"),
    ]
    for index in order:
        send(store, queue[index])
    assert states(store) == {"c1": "rejected", "c2": "accepted"}


def test_acknowledged_counts_without_gaps_over_all_documents(store: Store) -> None:
    assert acknowledged(store, "tab") == 0
    send(store, Operation(3, "accept", "c1"))
    assert acknowledged(store, "tab") == 0
    send(store, Operation(1, "accept", "c2"))
    assert acknowledged(store, "tab") == 1
    send(store, Operation(2, "accept", "c2"), document_id="other")
    assert acknowledged(store, "tab") == 3
    assert acknowledged(store, "another tab") == 0


def test_more_than_one_message_can_hold_is_taken_in_turns(store: Store) -> None:
    queue = [Operation(i, "accept", f"c{i}") for i in range(1, MAX_OPERATIONS + 11)]
    first = send(store, *queue)
    assert first.settled == tuple(range(1, MAX_OPERATIONS + 1))
    rest = send(store, *queue[MAX_OPERATIONS:])
    assert len(rest.settled) == 10


# Hostile or mistaken browsers


@pytest.mark.parametrize(
    "bad",
    [
        {"sequence": "2", "action": "accept", "concept_id": "c1"},
        {"sequence": 2.0, "action": "accept", "concept_id": "c1"},
        {"sequence": True, "action": "accept", "concept_id": "c1"},
        {"sequence": 0, "action": "accept", "concept_id": "c1"},
        {"sequence": -3, "action": "accept", "concept_id": "c1"},
        {"sequence": 10**30, "action": "accept", "concept_id": "c1"},
        {"sequence": None},
        {},
        None,
        "accept",
        [["sequence", 2]],
    ],
)
def test_what_has_no_number_is_refused_and_the_rest_is_stored(store: Store, bad: object) -> None:
    receipt = send(store, bad, Operation(1, "accept", "c1"))
    assert receipt.stored == receipt.settled == (1,)
    assert [one.code for one in receipt.refused] == ["malformed"]
    assert receipt.refused[0].sequence is None


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"action": "destroy", "concept_id": "c1"}, "malformed"),
        ({"action": None, "concept_id": "c1"}, "malformed"),
        ({"action": ["accept"], "concept_id": "c1"}, "malformed"),
        ({"action": "accept"}, "malformed"),
        ({"action": "accept", "concept_id": 7}, "malformed"),
        ({"action": "accept", "concept_id": "x" * 256}, "malformed"),
        ({"action": "accept", "concept_id": "c1", "group": "g" * 65}, "malformed"),
        ({"action": "accept", "concept_id": "c1", "group": {}}, "malformed"),
        ({"action": "accept", "concept_id": "c1\0"}, "unknown concept"),
        ({"action": "accept", "concept_id": "c1\ud800"}, "unknown concept"),
        ({"action": "accept", "concept_id": "<img onerror=x>"}, "unknown concept"),
    ],
)
def test_what_makes_no_sense_is_refused_for_good_with_a_reason(
    store: Store, bad: dict[str, object], code: str
) -> None:
    receipt = send(store, {"sequence": 1} | bad, Operation(2, "accept", "c1"), concept_ids=CONCEPTS)
    assert receipt.stored == (2,)
    assert receipt.settled == (1, 2)
    assert [(one.sequence, one.code) for one in receipt.refused] == [(1, code)]
    assert receipt.refused[0].reason.endswith("stored.")
    assert n_events(store) == 1


@pytest.mark.parametrize("client_id", ["", "x" * 65, "a\0b", 7, None])
def test_a_client_without_a_usable_name_is_refused(store: Store, client_id: str) -> None:
    receipt = send(store, Operation(1, "accept", "c1"), client_id=client_id)
    assert receipt.settled == (1,)
    assert "reload" in receipt.refused[0].reason
    assert n_events(store) == 0


def test_a_document_that_is_not_there_is_refused(store: Store) -> None:
    receipt = send(store, Operation(1, "accept", "c1"), document_id="nowhere")
    assert [(one.sequence, one.code) for one in receipt.refused] == [(1, "unknown document")]


def test_a_number_used_for_two_things_is_not_silently_lost(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    receipt = send(store, Operation(1, "accept", "c2"), Operation(2, "accept", "c3"))
    assert receipt.stored == (2,)
    assert [(one.sequence, one.code) for one in receipt.refused] == [(1, "number taken")]
    within = send(store, Operation(3, "accept", "c1"), Operation(3, "reject", "c1"))
    assert within.stored == (3,)
    assert [one.code for one in within.refused] == ["number taken"]


def test_a_removed_documents_decisions_still_arrive(store: Store) -> None:
    remove_document(store, "act")
    assert send(store, Operation(1, "accept", "c1")).stored == (1,)


def test_nothing_is_stored_when_something_fails(store: Store) -> None:
    with pytest.raises(StoreError):
        send(store, Operation(1, "accept", "c1"), Operation(2, "accept", "c2"), person_id=99)
    assert (n_events(store), states(store)) == (0, {})
