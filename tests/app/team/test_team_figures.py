"""The figures of people on Insights, and the switch that takes the times out."""

from __future__ import annotations

import pytest

from core.review.audit.log import AuditKind
from core.review.audit.search import AuditSearch, search_log
from core.review.people.accounts import add_account
from core.review.reports.team import Waiting
from core.serving.session import Session
from pages.figures.team import MINUTES, said_of_waiting
from tests.support.app_documents import add_act, decide_on
from tests.support.app_insights import insights_page
from tests.support.app_pages import run, turn_to


@pytest.mark.usefixtures("shared")
def test_a_person_alone_sees_no_team() -> None:
    (topics,) = (one for one in insights_page().get("button_group") if one.key == "insights_topic")
    assert topics.options == ["Decisions here", "Models and research"]


def test_the_table_has_times_unless_the_project_hides_them(shared: Session) -> None:
    add_account(shared.server.store(), "jo")
    add_act(shared, "a", "On herring")
    decide_on(shared, "a", (1, "accept", "101"), (2, "add", "201"), (3, "finish", ""))
    page = insights_page(topic="Team")
    (table,) = (one.value for one in page.dataframe if "person" in one.value)
    assert table.drop(columns=["week", MINUTES]).values.tolist() == [["me", 1, 2, 0, 2, 0]]
    assert table[MINUTES].tolist() == [0.0]
    page.session_state["settings_tab"] = "Projects"
    turn_to(page, "settings")
    run(page.toggle(key=f"hides_times_{shared.project_id()}").set_value(True))
    (noted,) = search_log(shared.server.store(), AuditSearch(kind=AuditKind.SWITCHED))
    assert (noted.person, noted.row["detail"]) == ("me", {"hides_times": True})
    page = insights_page(topic="Team")
    (table,) = (one.value for one in page.dataframe if "person" in one.value)
    assert MINUTES not in table
    assert "Times are turned off" in " ".join(one.value for one in page.markdown)


@pytest.mark.parametrize(
    ("waiting", "sentence"),
    [
        (Waiting(0, {}), "No document waits."),
        (Waiting(1, {}), "1 document waits: 1 new."),
        (
            Waiting(30, {"Jo": 8, "Ann": 4}),
            "42 documents wait: 30 new, 8 with Jo, 4 with Ann.",
        ),
    ],
)
def test_what_waits_is_said(waiting: Waiting, sentence: str) -> None:
    assert said_of_waiting(waiting) == sentence
