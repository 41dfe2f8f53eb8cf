"""What people did week by week, computed by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core.review.decisions.recording import Operation
from core.review.people.accounts import add_account
from core.review.people.assignments import assign
from core.review.reports.team import PersonWeek, Waiting, WorkEvent, person_weeks, read_team
from core.review.store.documents import remove_document
from core.review.store.predictions import save_prediction
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.stores import fill_with_documents, prediction, send

MONDAY = datetime(2026, 11, 23, 9, tzinfo=UTC)


def event(
    minute: float, person: str, action: str, document: str = "a", *, is_suggested: bool = False,
    is_undone: bool = False,
) -> WorkEvent:  # fmt: skip
    moment = MONDAY + timedelta(minutes=minute)
    return WorkEvent(person, document, action, moment, is_suggested, is_undone)


def test_decisions_are_counted_by_how_a_concept_came() -> None:
    (row,) = person_weeks(
        [
            event(0, "jo", "accept", is_suggested=True),
            event(1, "jo", "accept", is_suggested=True, is_undone=True),
            event(1, "jo", "undo"),
            event(2, "jo", "accept"),  # a broader one, in the tree
            event(3, "jo", "add", is_suggested=True),  # searched for although it was suggested
            event(4, "jo", "reject", is_suggested=True),
            event(5, "jo", "exclude"),
            event(6, "jo", "mark"),  # says something about a concept, decides nothing
        ]
    )
    assert (row.week, row.person) == ("2026-W48", "jo")
    assert (row.n_decisions, row.n_from_suggestions, row.n_searched) == (5, 1, 2)
    assert (row.n_finished, row.median_minutes) == (0, None)


def test_active_time_has_two_minutes_of_a_pause_at_most() -> None:
    # a: 0 at the first event of all, then 1, then 2 of 30; b: 0.5 after a, then 1.5; c: 2 of 60
    (row,) = person_weeks(
        [
            event(0, "jo", "accept"),
            event(1, "jo", "accept"),
            event(31, "jo", "finish"),
            event(31.5, "jo", "accept", "b"),
            event(33, "jo", "finish", "b"),
            event(93, "jo", "finish", "c"),
        ]
    )
    assert [time / timedelta(minutes=1) for time in row.active.values()] == [3, 2, 2]
    assert (row.n_finished, row.median_minutes) == (3, 2)


def test_time_is_that_of_a_person_also_when_two_work_at_once() -> None:
    rows = person_weeks(
        [
            event(0, "jo", "accept"),
            event(0.5, "ann", "accept", "b"),
            event(1, "jo", "finish"),
            event(1.5, "ann", "finish", "b"),
        ]
    )
    assert [(row.person, row.median_minutes) for row in rows] == [("ann", 1), ("jo", 1)]


def test_what_others_change_after_a_finish_counts_for_who_finished() -> None:
    week = 7 * 24 * 60
    rows = person_weeks(
        [
            event(0, "jo", "accept"),
            event(1, "ann", "reject"),  # before the finish
            event(2, "jo", "finish"),
            event(3, "jo", "accept"),  # one's own
            event(week, "ann", "reject"),
            event(week + 1, "ann", "add"),
            event(week + 2, "ann", "reject", is_undone=True),
        ]
    )
    found = [(row.week, row.person, row.n_changed, row.n_decisions) for row in rows]
    assert found == [("2026-W49", "ann", 0, 2), ("2026-W48", "ann", 0, 1), ("2026-W48", "jo", 2, 2)]


def test_a_document_that_is_finished_again_counts_once_a_week() -> None:
    (row,) = person_weeks(
        [
            event(0, "jo", "finish"),
            event(1, "jo", "reopen"),
            event(2, "jo", "finish"),
            event(3, "jo", "finish", "b", is_undone=True),
        ]
    )
    assert (row.n_finished, row.median_minutes) == (1, 2)


@pytest.mark.usefixtures("on_both")
def test_a_project_is_read_with_what_waits(store: Store) -> None:
    fill_with_documents(store, "act", "other", "third", "gone")
    project_id = default_project(store).project_id
    jo = add_account(store, "jo", display_name="Jo Berg").person_id
    save_prediction(store, "act", prediction(3), settings={})
    send(store, Operation(1, "accept", "c1"), Operation(2, "finish"), person_id=jo)
    send(store, Operation(3, "add", "c5"), Operation(4, "reject", "c2"), document_id="other")
    send(store, Operation(5, "undo"), document_id="other")
    send(store, Operation(6, "accept", "c4"), document_id="gone")
    remove_document(store, "gone")
    rows, waiting = read_team(store, project_id)
    assert waiting == Waiting(1, {"me": 1})
    assign(store, ["third"], [jo], assigned_by=jo)
    assert read_team(store, project_id)[1] == Waiting(0, {"Jo Berg": 1, "me": 1})
    assert [(row.person, row.n_finished, row.n_decisions) for row in rows] == [
        ("Jo Berg", 1, 1),
        ("me", 0, 2),
    ]
    assert [(row.n_from_suggestions, row.n_searched) for row in rows] == [(1, 0), (0, 2)]


def test_nobody_has_done_anything() -> None:
    assert person_weeks([]) == []
    assert PersonWeek("2026-W48", "jo").n_finished == 0
