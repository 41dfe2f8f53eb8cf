"""Finished documents that are approved or sent back, on SQLite and PostgreSQL."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.export.gathering import Selection, count_chosen
from core.review.decisions.operations import Receipt
from core.review.decisions.recording import Operation
from core.review.people.accounts import add_account
from core.review.people.assignments import list_assignments, next_to_review
from core.review.reports.document_state import document_state
from core.review.reports.finished import count_finished, taught_versions
from core.review.reports.summaries import named_documents
from core.review.store.projects import DEFAULT_VOCABULARY, keep_switches
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from tests.support.ledger import rebuild
from tests.support.stores import add, codes, send, states

pytestmark = pytest.mark.usefixtures("on_both")
EMPTY = Hierarchy((), vocabulary_id=DEFAULT_VOCABULARY, version="1")


def judge(store: Store, action: str, sequence: int = 1, note: str | None = None) -> Receipt:
    """As the reviewer does."""
    return send(
        store,
        Operation(sequence, action, value=note),
        client_id="reviewer",
        may_review=action != "undo",
    )


def seen(store: Store) -> tuple[str, str]:
    """Status and judgement, the same on the list, on the page, and when derived anew."""
    row = named_documents(store, 1, ["act"])["act"]
    state = document_state(store, "act")
    assert state is not None and (state.status, state.judged) == (row.status, row.judged)
    rebuild(store)
    assert named_documents(store, 1, ["act"])["act"].judged == row.judged
    return row.status, row.judged


def test_a_finished_document_is_approved_and_the_approval_taken_back(store: Store, jo: int) -> None:
    assert judge(store, "approve").settled == (1,)
    assert seen(store) == ("finished", "approved")
    assert codes(judge(store, "approve", 2)) == ["approved"]
    judge(store, "undo", 3)
    assert seen(store) == ("finished", "")


def test_what_is_sent_back_is_open_and_on_the_list_of_who_finished_it(
    store: Store, jo: int
) -> None:
    judge(store, "send_back", note=" The year is missing. ")
    assert seen(store) == ("in progress", "sent back")
    assert list_assignments(store, 1)["act"].person_id == jo
    send(store, Operation(3, "reject", "c1"), client_id="jo", person_id=jo)
    assert (states(store), seen(store)) == ({"c1": "rejected"}, ("in progress", "sent back"))
    send(store, Operation(4, "finish"), client_id="jo", person_id=jo)
    assert seen(store) == ("finished", "")


@pytest.mark.parametrize("action", ["send_back", "reopen"])
def test_what_was_opened_again_is_not_closed_by_an_undo_once_others_have_decided(
    store: Store, jo: int, action: str
) -> None:
    judge(store, "approve")
    judge(store, action, 2)
    reject, undo = Operation(3, "reject", "c1"), Operation(4, "undo")
    send(store, reject, client_id="jo", person_id=jo)
    refused = send(store, Operation(1, "undo"), client_id="reviewer:2", document_id="other")
    assert codes(refused) == ["finished"] and "finish it instead" in refused.refused[0].reason
    assert (states(store), seen(store)[0]) == ({"c1": "rejected"}, "in progress")
    send(store, undo, client_id="jo", person_id=jo)  # so that nothing stands there any more
    judge(store, "undo", 3)
    assert (states(store), seen(store)) == ({"c1": "accepted"}, ("finished", "approved"))


def test_what_was_opened_again_is_not_closed_by_an_undo_once_others_took_something_back(
    store: Store, jo: int
) -> None:
    ann, client = add_account(store, "ann").person_id, {"client_id": "ann"}
    send(store, Operation(3, "reopen"), client_id="jo", person_id=jo)
    send(store, Operation(1, "accept", "c2"), person_id=ann, **client)
    send(store, Operation(4, "finish"), client_id="jo", person_id=jo)
    judge(store, "approve")
    judge(store, "reopen", 2)
    send(store, Operation(2, "undo"), person_id=ann, **client)
    assert codes(judge(store, "undo", 3)) == ["finished"]
    assert (states(store), seen(store)) == ({"c1": "accepted"}, ("in progress", ""))


def test_who_opened_a_document_again_takes_own_steps_and_the_opening_back(
    store: Store, jo: int
) -> None:
    judge(store, "reopen")
    send(store, Operation(2, "reject", "c1"), Operation(3, "accept", "c2"), client_id="reviewer")
    for number in (4, 5, 6):
        assert judge(store, "undo", number).settled == (number,)
    assert (states(store), seen(store)) == ({"c1": "accepted"}, ("finished", ""))


def test_who_may_not_review_changes_nothing_of_an_approved_document(store: Store, jo: int) -> None:
    for action in ("approve", "send_back"):
        assert codes(send(store, Operation(9, action), client_id=action)) == ["no right"]
    judge(store, "approve")
    for number, action in enumerate(("reopen", "undo"), start=3):
        receipt = send(store, Operation(number, action), client_id="jo", person_id=jo)
        assert codes(receipt) == ["approved"]
    receipt = send(store, Operation(5, "reject", "c1"), client_id="jo", person_id=jo)
    assert codes(receipt) == ["finished"]
    assert seen(store) == ("finished", "approved")
    judge(store, "reopen", 2)
    assert seen(store) == ("in progress", "")


@pytest.mark.parametrize("action", ["approve", "send_back"])
def test_only_a_finished_document_is_judged(store: Store, action: str) -> None:
    assert codes(judge(store, action)) == ["not finished"]


def test_a_project_that_needs_approval_learns_and_exports_what_is_approved(
    store: Store, jo: int
) -> None:
    finished = Selection(statuses=frozenset({"finished"}), project_id=1)
    approved = Selection(statuses=frozenset({"finished"}), project_id=1, approved=True)
    assert (count_finished(store, 1), len(taught_versions(store, 1))) == (1, 1)
    keep_switches(store, 1, needs_approval=True)
    assert (count_finished(store, 1), len(taught_versions(store, 1))) == (0, 0)
    assert (count_chosen(store, finished, EMPTY), count_chosen(store, approved, EMPTY)) == (1, 0)
    judge(store, "approve")
    assert (count_finished(store, 1), len(taught_versions(store, 1))) == (1, 1)
    assert count_chosen(store, approved, EMPTY) == 1


def test_a_reviewer_goes_on_with_what_is_finished_and_not_approved(store: Store, jo: int) -> None:
    assert next_to_review(store, 1, "other") == "act"
    assert next_to_review(store, 1, "act") is None
    send(store, Operation(3, "finish"), document_id="other", client_id="jo", person_id=jo)
    add(store, Document.from_text("third", "Third", "Text."))
    send(store, Operation(4, "finish"), document_id="third", client_id="jo", person_id=jo)
    went = ["act", "other", "third"]
    assert [next_to_review(store, 1, name) for name in went] == ["other", "third", "act"]
    judge(store, "approve")
    assert next_to_review(store, 1, "third") == "other"
    assert next_to_review(store, 1, "act") == "other"
