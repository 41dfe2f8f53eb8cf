"""Whose a document is, and to which one a person is sent, on SQLite and PostgreSQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import update

from core.review.decisions.recording import Operation
from core.review.people.assignments import (
    Assignment,
    assign,
    give_back,
    list_assignments,
    next_for,
    take,
)
from core.review.store.store import Store
from core.review.store.tables import assignment
from tests.support.people import FIVE
from tests.support.stores import send

pytestmark = pytest.mark.usefixtures("on_both")
ME, JO, ANN = 1, 2, 3


def finish(store: Store, document_id: str, person_id: int) -> None:
    operations = [Operation(1, "add", "c1"), Operation(2, "finish")]
    send(store, *operations, document_id=document_id, person_id=person_id, client_id=document_id)


def whose(store: Store) -> dict[str, int]:
    return {name: held.person_id for name, held in list_assignments(store, 1).items()}


def test_documents_are_shared_out_in_turn(shelf: Store) -> None:
    assign(shelf, FIVE, [JO, ANN], assigned_by=ME, due_on=date(2026, 12, 1))
    assert whose(shelf) == {"a": JO, "b": ANN, "c": JO, "d": ANN, "e": JO}
    assert list_assignments(shelf, 1)["a"] == Assignment(JO, date(2026, 12, 1))
    assign(shelf, ["a", "b"], [ME], assigned_by=ME)
    assign(shelf, ["c"], [], assigned_by=ME)
    assert whose(shelf) == {"a": ME, "b": ME, "d": ANN, "e": JO}
    assert list_assignments(shelf, 1)["a"].due_on is None


def test_a_person_goes_through_their_own_and_then_through_what_is_nobodys(shelf: Store) -> None:
    assign(shelf, ["b", "d"], [JO], assigned_by=ME)
    assign(shelf, ["a"], [ANN], assigned_by=ME)
    visited, here = [], None
    while (following := next_for(shelf, 1, here, JO)) is not None:
        visited.append(following)
        finish(shelf, following, JO)
        here = following
    assert visited == ["b", "d", "e", "c"]  # never a, which is Ann's
    assert next_for(shelf, 1, None, ANN) == "a"


def test_nobody_is_sent_to_a_document_to_which_another_was_sent(shelf: Store) -> None:
    assert next_for(shelf, 1, None, JO) == "a"
    assert next_for(shelf, 1, None, ANN) == "b"
    assert next_for(shelf, 1, "a", JO) == "c"  # a, which Jo skipped, is Jo's for a while
    assert whose(shelf) == {"a": JO, "b": ANN, "c": JO}


def test_what_was_lent_comes_back_by_itself(shelf: Store) -> None:
    assert next_for(shelf, 1, None, JO) == "a"
    assert next_for(shelf, 1, None, ANN) == "b"
    with shelf.write() as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(update(assignment).values(lease_ends_at=past))
    assert whose(shelf) == {}
    assert next_for(shelf, 1, None, ANN) == "a"


def test_what_is_nobodys_may_be_taken_and_given_back(shelf: Store) -> None:
    assign(shelf, ["a"], [ANN], assigned_by=ME)
    assert take(shelf, ["a", "b"], JO) == ["a"]
    assert whose(shelf) == {"a": ANN, "b": JO}
    give_back(shelf, ["a", "b"], JO)
    assert whose(shelf) == {"a": ANN}


def test_three_who_ask_at_once_are_sent_to_three_documents(shelf: Store) -> None:
    people = [JO, ANN, ME]
    with ThreadPoolExecutor(3) as threads:
        sent = list(threads.map(lambda number: next_for(shelf, 1, None, number), people))
    assert sorted(filter(None, sent)) == ["a", "b", "c"]
