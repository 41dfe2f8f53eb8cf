from __future__ import annotations

import pytest

from core.documents.document import Document
from core.review.decisions.recording import (
    Operation,
    Undone,
)
from core.review.store.arrivals import add_document
from core.review.store.documents import remove_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.stores import (
    codes,
    colleague,
    n_events,
    send,
    states,
)

pytestmark = pytest.mark.usefixtures("on_both")


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
    send(store, Operation(1, "accept", "c1"), client_id="mine:tab")
    send(store, Operation(1, "accept", "c2"), client_id="mine:their tab", person_id=other)
    send(store, Operation(1, "undo"), client_id="mine:other tab")
    assert states(store) == {"c2": "accepted"}


def test_undo_leaves_alone_what_another_browser_decided(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), client_id="mine:tab")
    for theirs in ("theirs:tab", "mine too:tab", "min:e"):
        send(store, Operation(1, "accept", "c2"), client_id=theirs, document_id="other")
    receipt = send(store, Operation(2, "undo"), client_id="mine:tab")
    assert receipt.undone == (Undone(2, "act", "act", (("accept", "c1"),)),)
    assert (states(store), states(store, "other")) == ({}, {"c2": "accepted"})
    assert send(store, Operation(3, "undo"), client_id="mine:tab").undone == ()


def test_undo_reaches_what_names_no_browser_such_as_what_a_file_changed(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), client_id="file-1", document_id="other")
    send(store, Operation(1, "undo"), client_id="mine:tab")
    assert states(store, "other") == {}


def test_undo_stays_in_the_project_of_its_document(store: Store) -> None:
    elsewhere = default_project(store, "stw").project_id
    foreign = add_document(store, Document.from_text("b", "Fish", ""), project_id=elsewhere)
    send(store, Operation(1, "accept", "c1"), client_id="mine:a")
    send(store, Operation(1, "accept", "c2"), client_id="mine:b", document_id=foreign)
    receipt = send(store, Operation(2, "undo"), client_id="mine:a", document_id="other")
    assert receipt.undone == (Undone(2, "act", "act", (("accept", "c1"),)),)
    assert states(store, foreign) == {"c2": "accepted"}


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


def test_undo_goes_back_over_documents_and_over_a_finish(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), Operation(2, "mark", "c1"), Operation(3, "finish"))
    send(store, Operation(4, "accept", "c5"), document_id="other")
    taken = [
        send(store, Operation(sequence, "undo"), document_id="other").undone[0]
        for sequence in range(5, 9)
    ]
    assert taken == [
        Undone(5, "other", "other", (("accept", "c5"),)),
        Undone(6, "act", "act", (("finish", ""),)),
        Undone(7, "act", "act", (("mark", "c1"),)),
        Undone(8, "act", "act", (("accept", "c1"),)),
    ]
    assert (states(store), states(store, "other")) == ({}, {})


def test_a_group_in_another_document_is_told_as_a_whole_also_when_asked_again(
    store: Store,
) -> None:
    send(store, Operation(1, "back_off", "c2", "g"), Operation(2, "accept", "c1", "g"))
    receipt = send(store, Operation(3, "undo"), document_id="other")
    assert receipt.undone == (Undone(3, "act", "act", (("back_off", "c2"), ("accept", "c1"))),)
    send(store, Operation(4, "accept", "c3"))
    assert send(store, Operation(3, "undo"), document_id="other") == receipt
    assert states(store) == {"c3": "accepted"}


def test_the_same_group_name_in_two_documents_is_two_groups(store: Store) -> None:
    send(store, Operation(1, "accept", "c1", "g"))
    send(store, Operation(2, "accept", "c1", "g"), document_id="other")
    send(store, Operation(3, "undo"))
    assert (states(store), states(store, "other")) == ({"c1": "accepted"}, {})


def test_a_late_member_of_an_undone_group_is_taken_back_too(store: Store) -> None:
    send(store, Operation(2, "accept", "c2", "g"))
    send(store, Operation(3, "undo"))
    send(store, Operation(1, "accept", "c1", "g"))
    assert states(store) == {}
    undone = send(store, Operation(3, "undo")).undone
    assert undone[0].actions == (("accept", "c1"), ("accept", "c2"))


def test_nothing_is_taken_back_in_a_document_that_another_person_finished(store: Store) -> None:
    other = colleague(store)
    send(store, Operation(1, "accept", "c1"), client_id="their tab", person_id=other)
    send(store, Operation(1, "finish"))
    undo = Operation(2, "undo")
    refused = send(store, undo, client_id="their tab", person_id=other, document_id="other")
    assert codes(refused) == ["finished"]
    assert "“act”" in refused.refused[0].reason
    assert states(store) == {"c1": "accepted"}
    send(store, Operation(2, "reopen"))
    again = Operation(3, "undo")
    send(store, again, client_id="their tab", person_id=other, document_id="other")
    assert states(store) == {}


def test_batches_of_one_message_are_put_in_order_by_their_numbers(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), Operation(5, "accept", "c5"))
    receipt = send(store, Operation(3, "accept", "c3"), Operation(4, "undo"), document_id="other")
    assert receipt.undone == (Undone(4, "other", "other", (("accept", "c3"),)),)
    assert (set(states(store)), states(store, "other")) == ({"c1", "c5"}, {})
    send(store, Operation(6, "undo"), document_id="other")
    assert set(states(store)) == {"c1"}


def test_an_undo_without_anything_to_undo_tells_of_nothing(store: Store) -> None:
    assert send(store, Operation(1, "undo")).undone == ()


def test_undo_reaches_a_document_in_the_bin(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    remove_document(store, "act")
    assert send(store, Operation(2, "undo"), document_id="other").undone[0].document_id == "act"
    assert states(store) == {}


def test_undo_after_a_restart_and_in_a_new_tab_takes_back_what_was_last(
    store: Store,
) -> None:
    decided = Operation(1, "accept", "c1"), Operation(2, "reject", "c2")
    send(store, *decided, client_id="mine:tab")
    again = Store.open(store.engine.url.render_as_string(hide_password=False))
    send(again, Operation(1, "undo"), client_id="mine:the next day", document_id="other")
    assert states(again) == {"c1": "accepted"}
    again.close()
