"""What learning and hints brought by week, from real stores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from core.insights.decisions import week_of
from core.review.decisions.recording import Operation
from core.review.reports.weeks import HintCount, WeekEffects, weekly_effects
from core.review.store.documents import remove_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.review.store.tables import decision_event
from tests.support.learned_runs import RIGHT, WRONG, finish
from tests.support.ledger import rebuild
from tests.support.stores import ACT, add, send

MONDAY = datetime(2026, 11, 23, 9, tzinfo=UTC)
TOLD = {"missed": ["c1", "c2"], "odd": ["c3", "c4"], "opened": ["c1", "c3", "c4", "c5"]}


def finished(store: Store, value: object = TOLD, *, name: str = "act") -> None:
    """Accept two concepts of which hints told, and finish."""
    decided = [
        Operation(1, "add", "c1"),
        Operation(2, "add", "c3"),
        {"sequence": 3, "action": "finish", "shown": 2, "value": value},
    ]
    send(store, *decided, document_id=name, client_id=name)


def only(store: Store) -> WeekEffects:
    (effects,) = weekly_effects(store, default_project(store).project_id).values()
    return effects


def test_shown_and_taken_hints_are_counted(store: Store) -> None:
    add(store, ACT)
    finished(store)
    effects = only(store)
    assert effects.missed == HintCount(shown=2, taken=1), "c2 was not opened"
    assert effects.odd == HintCount(shown=2, taken=1), "c3 is still accepted"
    assert effects.learning is None
    rebuild(store)
    assert only(store) == effects


def test_an_undone_finish_counts_no_more_and_a_new_one_by_what_it_says(store: Store) -> None:
    add(store, ACT)
    finished(store)
    send(store, Operation(4, "undo"), document_id="act", client_id="act")
    assert weekly_effects(store, default_project(store).project_id) == {}
    again = {"sequence": 6, "action": "finish", "value": {"missed": ["c2"], "opened": ["c2"]}}
    send(store, Operation(5, "accept", "c2"), again, document_id="act", client_id="act")
    assert only(store).missed == HintCount(shown=1, taken=1)
    assert only(store).odd == HintCount()


def test_a_finish_without_hints_and_removed_documents_count_nothing(store: Store) -> None:
    add(store, ACT)
    finished(store, None)
    assert only(store) == WeekEffects()
    remove_document(store, "act")
    assert weekly_effects(store, default_project(store).project_id) == {}


@pytest.mark.parametrize(
    "value",
    ["missed", {"missed": "c1"}, {"missed": [1, "", "x" * 300, None]}, ["c1"], {"other": ["c1"]}],
)
def test_what_cannot_be_read_holds_up_no_finish(store: Store, value: object) -> None:
    add(store, ACT)
    finished(store, value)
    assert only(store) == WeekEffects()


def test_the_same_finish_sent_twice_is_stored_once(store: Store) -> None:
    add(store, ACT)
    finished(store)
    finished(store)
    assert only(store).missed.shown == 2


def test_weeks_are_apart_and_the_newest_are_kept(store: Store, project_id: int) -> None:
    for number in range(3):
        finish(store, project_id, number, learned=RIGHT, alone=WRONG)
        moment = MONDAY - timedelta(days=1, weeks=number)  # a Sunday
        with store.write() as connection:
            own = decision_event.c.document_id == f"doc-{number:04}"
            connection.execute(update(decision_event).where(own).values(decided_at=moment))
    rebuild(store)
    found = weekly_effects(store, project_id, last=2)
    assert list(found) == ["2026-W47", "2026-W46"]
    learning = found["2026-W47"].learning
    assert learning is not None
    assert (learning.n_documents, learning.right, learning.right_without) == (1, 3, 0)


def test_a_week_is_of_the_year_that_has_its_thursday() -> None:
    assert week_of(MONDAY) == "2026-W48"
    assert week_of(datetime(2027, 1, 3, tzinfo=UTC)) == "2026-W53"
    assert week_of(datetime(2024, 12, 30, tzinfo=UTC)) == "2025-W01"
