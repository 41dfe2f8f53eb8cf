"""The Documents page as Streamlit runs it: the table, jobs, the bin, and a picture of decisions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.review.jobs import (
    FINISHED,
    Failure,
    Job,
    cancel_job,
    latest_job,
    running_jobs,
    start_job,
)
from core.review.store.people import HIDE_TITLES, set_preference
from core.serving.session import Session
from tests.support.app_documents import add_act, decide_on
from tests.support.app_pages import data, errors, opened, run, send
from tests.support.waiting import wait_until


def act(page: AppTest, action: str, *ids: str, comments: dict[str, Any] | None = None) -> AppTest:
    value = {"action": action, "ids": list(ids), "comments": comments or {}}
    return send(page, "documents_table", "act", value)


def rows(page: AppTest, which: str = "documents") -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in data(page, "documents_table")[which]}


def test_the_table_has_status_counts_batch_and_comment(page_of_two: AppTest) -> None:
    row = rows(page_of_two)["a"]
    assert (row["title"], row["status"], row["batch"]) == ("On herring", "finished", "week 12")
    assert (row["suggested"], row["accepted"], row["rejected"]) == (None, 1, 1)
    assert rows(page_of_two)["b"]["status"] == "new"
    assert rows(page_of_two, "removed") == {}


def test_a_document_is_opened_on_the_annotate_page(page_of_two: AppTest) -> None:
    act(page_of_two, "open", "b")
    assert opened(page_of_two) == "b"
    assert data(page_of_two, "reader")["title"] == "On honey"


def test_a_comment_is_kept_with_whatever_is_done_next(page_of_two: AppTest) -> None:
    act(page_of_two, "comment", comments={"a": {"text": "Ask Maria", "formers": [""]}})
    assert rows(page_of_two)["a"]["comment"] == "Ask Maria"
    act(page_of_two, "remove", "b", comments={"a": {"text": "Asked", "formers": ["", "Ask Maria"]}})
    assert rows(page_of_two)["a"]["comment"] == "Asked"
    act(page_of_two, "comment", comments={"a": {"text": "Ask Paul", "formers": ["", "Ask Maria"]}})
    assert rows(page_of_two)["a"]["comment"] == "Asked", "it is newer"


def test_removed_documents_lie_in_the_bin_and_come_back(page_of_two: AppTest) -> None:
    act(page_of_two, "remove", "a", "b")
    assert rows(page_of_two) == {}
    assert set(rows(page_of_two, "removed")) == {"a", "b"}
    act(page_of_two, "restore", "b")
    assert set(rows(page_of_two)) == {"b"}


@pytest.mark.parametrize("action", ["restore", "predict"])
def test_a_removal_is_told_until_something_else_is_done(page_of_two: AppTest, action: str) -> None:
    act(page_of_two, "remove", "a")
    assert page_of_two.button(key="undo_remove")
    act(page_of_two, action, "a" if action == "restore" else "b")
    assert not [button for button in page_of_two.button if button.key == "undo_remove"]


def test_a_removal_is_undone_with_one_button(page_of_two: AppTest) -> None:
    act(page_of_two, "remove", "a", "b")
    run(page_of_two.button(key="undo_remove").click())
    assert set(rows(page_of_two)) == {"a", "b"}
    assert not [button for button in page_of_two.button if button.key == "undo_remove"]


def test_a_finished_document_is_reopened_and_a_new_one_left_alone(page_of_two: AppTest) -> None:
    act(page_of_two, "reopen", "a", "b")
    assert rows(page_of_two)["a"]["status"] == "in progress"
    assert rows(page_of_two)["b"]["status"] == "new"


def test_selected_documents_are_read_in_the_background(
    page_of_two: AppTest, shared: Session
) -> None:
    act(page_of_two, "predict", "a", "b")
    wait_until_over(shared)
    run(page_of_two)
    assert [row["suggested"] for row in rows(page_of_two).values()] == [9, 9]
    assert not any(row["waiting"] for row in rows(page_of_two).values())


def wait_until_over(shared: Session) -> None:
    wait_until(lambda: not running_jobs(shared.server.store(), shared.project_id()))


def test_a_running_job_is_shown_and_can_be_cancelled(page_of_two: AppTest, shared: Session) -> None:
    job_id = start_job(shared.server.store(), ["a", "b"], project_id=shared.project_id())
    run(page_of_two)
    assert all(row["waiting"] for row in rows(page_of_two).values())
    assert page_of_two.get("progress")[0].proto.text.endswith("0 of 2")
    run(page_of_two.button(key=f"cancel_{job_id}").click())
    job = latest_job(shared.server.store(), shared.project_id())
    assert job is not None
    assert job.state == "cancelled"


def test_what_could_not_be_read_goes_by_its_id_where_titles_are_hidden(
    page_of_two: AppTest, shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = Failure("a", "On herring", "It took too long.")
    job = Job(7, FINISHED, datetime.now(UTC), 1, 0, 0, (failed,))
    monkeypatch.setattr("core.review.jobs.latest_job", lambda *_: job)
    assert [one.value for one in run(page_of_two).text] == ["On herring: It took too long."]
    set_preference(shared.server.store(), shared.person_id(), HIDE_TITLES, True)
    assert [one.value for one in run(page_of_two).text] == ["a: It took too long."]


def test_the_rest_of_a_stopped_job_is_read_when_that_is_asked_for(
    page_of_two: AppTest, shared: Session
) -> None:
    for name in ("c", "d"):
        add_act(shared, name, f"On honey {name}")
    job_id = start_job(shared.server.store(), ["b", "c"], project_id=shared.project_id())
    assert job_id is not None
    cancel_job(shared.server.store(), job_id)
    run(page_of_two)
    said = [one.value for one in page_of_two.markdown]
    assert "Reading was stopped: 3 documents are not read yet." in said
    run(page_of_two.button(key="read_rest").click())
    wait_until_over(shared)
    run(page_of_two)
    read = {name: row["suggested"] for name, row in rows(page_of_two).items()}
    assert read == {"a": None, "b": 9, "c": 9, "d": 9}  # what is finished needs no suggestions
    assert not [button for button in page_of_two.button if button.key == "read_rest"]


def test_an_unknown_document_gets_a_sentence(page_of_two: AppTest) -> None:
    act(page_of_two, "remove", "nobody")
    assert "nobody" in errors(page_of_two)[0]


def test_junk_from_the_browser_does_nothing(page_of_two: AppTest) -> None:
    send(page_of_two, "documents_table", "act", {"action": "drop tables", "ids": ["a"]})
    send(page_of_two, "documents_table", "act", ["remove", "a"])
    assert set(rows(page_of_two)) == {"a", "b"}


def test_branches_that_were_decided_are_drawn(page_of_two: AppTest) -> None:
    (chart,) = page_of_two.get("plotly_chart")
    assert "AGRICULTURE AND FOOD: 1 accepted, 1 rejected" in str(chart.proto)
    run(page_of_two.selectbox(key="branches_batch").set_value("week 12"))
    assert len(page_of_two.get("plotly_chart")) == 1


def test_a_large_project_is_counted_when_that_is_asked_for(
    page_of_two: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.counting.LARGE", 1)
    monkeypatch.setattr("pages.components.progress.PATIENCE_SECONDS", 60.0)
    run(page_of_two)
    assert not page_of_two.get("plotly_chart")
    (switch,) = page_of_two.toggle
    assert switch.label == "Count over all 2 documents, which takes a while"
    switch.set_value(True)
    run(page_of_two)
    assert len(page_of_two.get("plotly_chart")) == 1 and errors(page_of_two) == []


def test_more_documents_than_the_table_takes_are_found_by_their_titles(
    page_of_two: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.counting.MOST_ROWS", 1)
    assert len(rows(run(page_of_two))) == 1
    page_of_two.text_input(key="documents_find").set_value("HERRING")
    assert set(rows(run(page_of_two))) == {"a"}
    page_of_two.text_input(key="documents_find").set_value("honey")
    assert set(rows(run(page_of_two))) == {"b"}


def test_a_branch_of_more_documents_than_the_table_takes_says_so(
    page_of_two: AppTest, shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide_on(shared, "b", (1, "accept", "102"))
    monkeypatch.setattr("pages.serving.signed_in_person", shared.person_id)
    run(page_of_two)
    for most_rows, is_cut in ((2, False), (1, True)):
        monkeypatch.setattr("pages.components.counting.MOST_ROWS", most_rows)
        run(page_of_two.selectbox(key="documents_branch").set_value("d1"))
        assert len(rows(page_of_two)) == most_rows
        said = " ".join(element.value for element in page_of_two.markdown)
        assert ("The table has the newest 1 of 2." in said) is is_cut
