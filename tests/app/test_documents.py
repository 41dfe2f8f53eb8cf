"""The Documents page as Streamlit runs it: the table, jobs, the bin, and a picture of decisions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.review.decisions.recording import Operation, record
from core.review.jobs import latest_job, running_jobs, start_job
from core.review.store.arrivals import add_document
from core.settings import PROJECT_ROOT
from pages.serving import Workplace
from tests.app.test_annotate import data, errors, installed, opened, run, send
from tests.support.fakes import fake_workplace

PATIENCE_SECONDS = 30


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Workplace]:
    yield from installed(fake_workplace(tmp_path))


@pytest.fixture
def page(shared: Workplace) -> AppTest:
    add(shared, "a", "On herring", batch="week 12")
    add(shared, "b", "On honey")
    decide(shared, "a", (1, "accept", "101"), (2, "reject", "201"), (3, "finish", ""))
    return documents_page()


def documents_page() -> AppTest:
    page = run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))
    page.switch_page(str(PROJECT_ROOT / "pages" / "documents.py"))
    return run(page)


def add(shared: Workplace, name: str, title: str, **options: Any) -> str:
    document = Document.from_text(name, title, "herring")
    return add_document(shared.store(), document, project_id=shared.project_id(), **options)


def decide(shared: Workplace, document_id: str, *operations: tuple[int, str, str]) -> None:
    receipt = record(
        shared.store(),
        document_id=document_id,
        person_id=shared.person_id(),
        client_id=f"tab-{document_id}",
        operations=[Operation(*one) for one in operations],
    )
    assert not receipt.refused


def act(page: AppTest, action: str, *ids: str, comments: dict[str, str] | None = None) -> AppTest:
    value = {"action": action, "ids": list(ids), "comments": comments or {}}
    return send(page, "documents_table", "act", value)


def rows(page: AppTest, which: str = "documents") -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in data(page, "documents_table")[which]}


def test_the_table_has_status_counts_batch_and_comment(page: AppTest) -> None:
    row = rows(page)["a"]
    assert (row["title"], row["status"], row["batch"]) == ("On herring", "finished", "week 12")
    assert (row["suggested"], row["accepted"], row["rejected"]) == (None, 1, 1)
    assert rows(page)["b"]["status"] == "new"
    assert rows(page, "removed") == {}


def test_a_document_is_opened_on_the_annotate_page(page: AppTest) -> None:
    act(page, "open", "b")
    assert opened(page) == "b"
    assert data(page, "reader")["title"] == "On honey"


def test_a_comment_is_kept_with_whatever_is_done_next(page: AppTest) -> None:
    act(page, "comment", comments={"a": "Ask Maria"})
    assert rows(page)["a"]["comment"] == "Ask Maria"
    act(page, "remove", "b", comments={"a": "Asked"})
    assert rows(page)["a"]["comment"] == "Asked"


def test_removed_documents_lie_in_the_bin_and_come_back(page: AppTest) -> None:
    act(page, "remove", "a", "b")
    assert rows(page) == {}
    assert set(rows(page, "removed")) == {"a", "b"}
    act(page, "restore", "b")
    assert set(rows(page)) == {"b"}


def test_a_removal_is_undone_with_one_button(page: AppTest) -> None:
    act(page, "remove", "a", "b")
    page.button(key="undo_remove").click()
    run(page)
    assert set(rows(page)) == {"a", "b"}
    assert not [button for button in page.button if button.key == "undo_remove"]


def test_a_finished_document_is_reopened_and_a_new_one_left_alone(page: AppTest) -> None:
    act(page, "reopen", "a", "b")
    assert rows(page)["a"]["status"] == "in progress"
    assert rows(page)["b"]["status"] == "new"


def test_selected_documents_are_read_in_the_background(page: AppTest, shared: Workplace) -> None:
    act(page, "predict", "a", "b")
    wait_until_over(shared)
    run(page)
    assert [row["suggested"] for row in rows(page).values()] == [9, 9]
    assert not any(row["waiting"] for row in rows(page).values())


def wait_until_over(shared: Workplace) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while running_jobs(shared.store(), shared.project_id()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_running_job_is_shown_and_can_be_cancelled(page: AppTest, shared: Workplace) -> None:
    job_id = start_job(shared.store(), ["a", "b"], project_id=shared.project_id())
    run(page)
    assert all(row["waiting"] for row in rows(page).values())
    assert page.get("progress")[0].proto.text.endswith("0 of 2")
    page.button(key=f"cancel_{job_id}").click()
    run(page)
    job = latest_job(shared.store(), shared.project_id())
    assert job is not None
    assert job.state == "cancelled"


def test_an_unknown_document_gets_a_sentence(page: AppTest) -> None:
    act(page, "remove", "nobody")
    assert "nobody" in errors(page)[0]


def test_junk_from_the_browser_does_nothing(page: AppTest) -> None:
    send(page, "documents_table", "act", {"action": "drop tables", "ids": ["a"]})
    send(page, "documents_table", "act", ["remove", "a"])
    assert set(rows(page)) == {"a", "b"}


def test_branches_that_were_decided_are_drawn(page: AppTest) -> None:
    (chart,) = page.get("plotly_chart")
    assert "AGRICULTURE AND FOOD: 1 accepted, 1 rejected" in str(chart.proto)
    page.selectbox(key="branches_batch").set_value("week 12")
    run(page)
    assert len(page.get("plotly_chart")) == 1
