"""What comes first in a person's queue, and what they have left, on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import update

from core.review.annotations.asking import ask_twice, hand_over
from core.review.decisions.recording import Operation
from core.review.people.assignments import (
    Assignment,
    assign,
    list_assignments,
    next_for,
    set_urgent,
)
from core.review.people.skips import Skip, list_skips, skip_document
from core.review.store.store import Store
from core.review.store.tables import skip
from tests.support.people import FIVE
from tests.support.stores import send

pytestmark = pytest.mark.usefixtures("on_both")
ME, JO, ANN = 1, 2, 3


def queue(store: Store, person_id: int = JO) -> list[str]:
    """Where a person is sent, one after the other, if they finish each."""
    visited: list[str] = []
    here = None
    while (following := next_for(store, 1, here, person_id)) is not None:
        visited.append(following)
        finish = Operation(1, "finish")
        send(store, finish, document_id=following, person_id=person_id, client_id=following)
        here = following
    return visited


def test_what_is_urgent_comes_first_then_what_is_due_first(shelf: Store) -> None:
    assign(shelf, ["a", "b"], [JO], assigned_by=ME)
    assign(shelf, ["c"], [JO], assigned_by=ME, due_on=date(2026, 12, 4))
    assign(shelf, ["d"], [JO], assigned_by=ME, due_on=date(2026, 12, 1))
    set_urgent(shelf, 1, ["b", "e"], is_urgent=True)
    assert queue(shelf) == ["b", "d", "c", "a", "e"]


def test_of_what_is_nobodys_the_urgent_comes_first(shelf: Store) -> None:
    set_urgent(shelf, 1, ["d", "e"], is_urgent=True)
    set_urgent(shelf, 1, ["e"], is_urgent=False)
    set_urgent(shelf, 2, ["c"], is_urgent=True)  # of another project
    assert queue(shelf) == ["d", "e", "a", "b", "c"]


def test_nobody_is_sent_back_today_to_what_they_have_skipped(shelf: Store) -> None:
    assign(shelf, ["a", "b"], [JO], assigned_by=ME)
    skip_document(shelf, "a", JO, "  In   Welsh. ")
    assert list_skips(shelf, 1) == {"a": Skip(JO, "In Welsh.")}
    assert next_for(shelf, 1, "a", JO) == "b"
    assert (next_for(shelf, 1, "b", JO), next_for(shelf, 1, None, ANN)) == ("c", "d")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    with shelf.write() as connection:
        connection.execute(update(skip).values(skipped_at=yesterday))
    assert next_for(shelf, 1, "b", JO) == "a"


def test_what_was_lent_to_who_skips_it_is_free_and_what_is_assigned_stays(shelf: Store) -> None:
    assign(shelf, ["b"], [JO], assigned_by=ME)
    assert next_for(shelf, 1, "b", JO) == "c"  # lent
    for document_id in ("b", "c"):
        skip_document(shelf, document_id, JO)
    assert list_assignments(shelf, 1) == {"b": Assignment(JO)}
    assert next_for(shelf, 1, "b", ANN) == "c"


def test_a_finished_document_is_not_skipped(shelf: Store) -> None:
    assert queue(shelf) == list(FIVE)
    skip_document(shelf, "a", JO)
    assert list_skips(shelf, 1) == {}


def test_a_lead_reads_of_a_skipped_annotation_by_its_document(shelf: Store) -> None:
    ask_twice(shelf, 1, ["a"], (JO, ANN), asked_by=ME)
    skip_document(shelf, "a~1", JO, "In Welsh.")
    assert list_skips(shelf, 1) == {"a": Skip(JO, "In Welsh.")}
    hand_over(shelf, 1, ["a"], ME, asked_by=ME, former=JO)
    assert list_skips(shelf, 1) == {}
