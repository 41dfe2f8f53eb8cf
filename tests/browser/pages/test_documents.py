"""The Documents page in a browser: by keyboard alone, five thousand rows, hostile titles."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.documents.document import Document
from core.review.reports.summaries import list_documents
from core.review.store.store import Store
from tests.browser.conftest import OpenPage
from tests.support.browser.connection import Connection
from tests.support.browser.documents import TABLE, TABLE_ROWS, fill_with, keep
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

COMMENT_SECONDS = 20.0
FOCUSED = """() => { let a = document.activeElement;
    while (a && a.shadowRoot) a = a.shadowRoot.activeElement;
    return a ? (a.dataset.document || a.tagName) : null }"""


def listed(page: Page) -> list[str]:
    return page.locator(f"{TABLE_ROWS} .name").all_inner_texts()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_the_table_is_worked_by_keyboard_alone(
    documents_page: Callable[..., Page], fake_server: Server
) -> None:
    page = documents_page("On herring", "On honey", "On sole")
    page.get_by_role("button", name="Document", exact=True).click()
    assert listed(page) == ["On herring", "On honey", "On sole"]
    page.locator(TABLE_ROWS).first.focus()
    press(page, "ArrowDown", "F2")
    page.keyboard.type("Ask Maria")
    press(page, "Enter")
    page.wait_for_selector(f"{TABLE}[data-comments='0']")
    assert page.evaluate(FOCUSED) == "a1"
    press(page, " ", "ArrowDown", " ")
    assert page.inner_text(".chosen-count") == "2 selected"
    page.get_by_role("button", name="Move to the bin").press("Enter")
    page.locator(".st-key-undo_removal").get_by_text("2 documents moved").wait_for()
    page.wait_for_function(f"() => {rows_in_shadow(1)}")
    assert listed(page) == ["On herring"]
    assert page.evaluate(FOCUSED) == "a0"
    page.locator(".statuses [data-status=bin]").press("Enter")
    assert sorted(listed(page)) == ["On honey", "On sole"]
    page.locator(TABLE_ROWS).first.focus()
    press(page, "Control+a")
    page.get_by_role("button", name="Restore").press("Enter")
    page.locator(".statuses [data-status=all]").press("Enter")
    page.wait_for_function(f"() => {rows_in_shadow(3)}")
    page.locator(TABLE_ROWS).nth(1).focus()
    press(page, "Enter")
    page.wait_for_url("**/?project=1&document=a1")


# What was typed in place of no comment, before the server had taken it.
LEAVE = """(text) => sessionStorage.setItem('strata.comment.a0', JSON.stringify({ text, formers: [''] }))"""
COUNT_CLICKS = """() => {
  globalThis.clicks = [];
  addEventListener("click", (event) => clicks.push(event.isTrusted), true);
}"""


def test_a_comment_that_is_being_typed_is_kept_when_the_page_is_left(
    documents_page: Callable[..., Page], fake_server: Server
) -> None:
    page = documents_page("On herring")
    cell = page.locator(f"{TABLE_ROWS} .comment")
    page.route("**/api/comments*", lambda asked: asked.abort())
    type_comment(page, "Ask Maria")
    page.reload()
    page.wait_for_selector(TABLE_ROWS)
    page.unroute("**/api/comments*")
    page.goto(f"{fake_server.url}documents")  # the next visit brings it
    page.wait_for_selector(f"{TABLE}[data-comments='0']")
    expect(cell).to_contain_text("Ask Maria")
    wait_for_comment(fake_server, "Ask Maria")

    type_comment(page, "Ask Jo")
    page.evaluate(COUNT_CLICKS)
    page.get_by_role("link", name="Export").click()
    page.wait_for_selector(".st-key-export_page h1")
    # The person's click waited until the field was heard, and then the link was followed.
    assert page.evaluate("() => clicks") == [True, False]
    wait_for_comment(fake_server, "Ask Jo")

    # One that the server could not take in time leaves a newer one.
    page.evaluate(LEAVE, "Ask Paul")
    page.goto(f"{fake_server.url}documents")
    page.get_by_text("A newer comment stays in place of “Ask Paul”.").first.wait_for()
    expect(cell).to_contain_text("Ask Jo")


def type_comment(page: Page, text: str) -> None:
    """Type a comment in place of another on the first document, and leave the cursor there."""
    page.locator(TABLE_ROWS).first.focus()
    press(page, "F2", "Control+a")
    page.keyboard.type(text)


def test_a_comment_stands_in_the_table_though_a_run_came_while_it_was_typed(
    fake_server: Server, open_page: OpenPage
) -> None:
    fill_with(fake_server, "On herring", "On honey")
    tab = open_page(fake_server)
    page, connection = tab.page, Connection(tab.page)
    tab.open("documents")
    rows = page.locator(TABLE_ROWS)
    expect(rows).to_have_count(2)
    first, second = rows.all()
    connection.holds_answers = True
    first.focus()
    press(page, "F2")
    page.keyboard.type("Ask Maria")
    press(page, "Enter")
    second.focus()
    press(page, "F2")
    page.keyboard.type("Ask Paul")
    connection.release()
    page.wait_for_selector(f"{TABLE}[data-comments='0']")  # the first is stored
    connection.holds_requests = True
    press(page, "Enter")
    expect(page.locator(f"{TABLE_ROWS} .comment")).to_have_text(["Ask Maria", "Ask Paul"])
    connection.release()


def wait_for_comment(server: Server, text: str) -> None:
    """Wait until the store has a comment on the only document."""
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    until = time.monotonic() + COMMENT_SECONDS
    while (comment := list_documents(store, 1)[0].comment) != text:
        assert time.monotonic() < until, comment
        time.sleep(0.05)
    store.close()


def rows_in_shadow(number: int) -> str:
    """A JavaScript condition: so many rows are in the table."""
    return (
        "[...document.querySelectorAll('*')].some((host) => host.shadowRoot && "
        f"host.shadowRoot.querySelectorAll('.shelf tbody tr').length === {number})"
    )


def test_it_sorts_filters_and_finds_and_acts_on_nothing_out_of_sight(
    documents_page: Callable[..., Page],
) -> None:
    page = documents_page("On sole", "On herring", "On act 10", "On act 9", "On honey")
    head = page.get_by_role("button", name="Document", exact=True)
    head.click()
    assert listed(page) == ["On act 9", "On act 10", "On herring", "On honey", "On sole"]
    head.click()
    assert listed(page)[0] == "On sole"
    assert page.locator("th.title").get_attribute("aria-sort") == "descending"
    page.locator(".find input").fill("act ON")
    assert listed(page) == ["On act 10", "On act 9"]
    page.locator(".find input").fill("a1")
    assert listed(page) == ["On herring"]
    page.locator(".find input").fill("")
    page.locator(".batches select").select_option(label="week 0")
    assert listed(page) == ["On sole", "On honey", "On act 10"]
    page.locator(".statuses [data-status=unread]").click()
    assert listed(page) == ["On sole", "On honey", "On act 10"]
    page.locator(".statuses [data-status=finished]").click()
    assert page.inner_text(".nothing").startswith("No document fits")
    page.locator(".statuses [data-status=all]").click()
    page.locator(".batches select").select_option(index=0)
    what_goes_out_of_sight_is_not_acted_on(page)


def pick(page: Page, title: str) -> None:
    page.get_by_role("checkbox", name=f"Select {title}", exact=True).check()


def test_the_table_alone_scrolls_below_what_is_still_to_be_read(
    documents_page: Callable[..., Page], fake_server: Server
) -> None:
    page = documents_page(*(f"On act {number}" for number in range(20)))
    page.wait_for_selector(".st-key-rest")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(main) => main.scrollHeight - main.clientHeight") <= 0
    the_filter_of_the_sidebar_stays_while_it_filters(page)
    # On a narrow screen, the last column is in sight.
    act = Document.from_text(
        "22017A0915(01)", "On an agreement with the Republic of Fiji", "x" * 5820
    )
    keep(fake_server, act, batches=["acts-of-november.jsonl"])
    page.reload()
    page.wait_for_selector(TABLE_ROWS)
    page.set_viewport_size({"width": 800, "height": 1000})
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
    expect(page.locator("th.batch")).to_be_hidden()
    pane = page.locator(f"{TABLE} .pane")
    assert pane.evaluate("(pane) => pane.scrollWidth <= pane.clientWidth")


def what_goes_out_of_sight_is_not_acted_on(page: Page) -> None:
    chosen = page.locator(".chosen")
    pick(page, "On sole")
    pick(page, "On honey")
    page.locator(".find input").fill("on h")
    expect(chosen.locator(".chosen-count")).to_have_text("1 selected")
    expect(chosen.locator(".lost")).to_have_text("1 document out of sight is no longer selected.")
    pick(page, "On herring")
    expect(chosen.locator("[data-action=predict]")).to_have_text("Suggest again 2")
    chosen.get_by_role("button", name="Move to the bin 2").click()
    page.locator(".st-key-undo_removal").get_by_text("2 documents moved").wait_for()
    page.locator(".find input").fill("")
    expect(page.locator(f"{TABLE_ROWS} .name")).to_have_text(["On sole", "On act 10", "On act 9"])


def test_pages_of_a_long_list_are_selected_together_and_come_back_to(
    documents_page: Callable[..., Page],
) -> None:
    page = documents_page(*(f"On act {n:03}" for n in range(130)))
    count, whole = page.locator(".chosen-count"), page.locator(".whole")
    page.locator(TABLE_ROWS).first.focus()
    press(page, "Control+a")
    expect(count).to_have_text("100 selected")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(count).to_be_empty()
    expect(page.get_by_role("button", name="Move to the bin")).to_be_hidden()
    page.get_by_label("Select all documents on this page").check()
    expect(count).to_have_text("30 selected")
    expect(whole).to_have_text("Select all 130 that are listed")
    whole.click()
    expect(count).to_have_text("130 selected, on all pages")
    page.get_by_role("button", name="Previous", exact=True).click()
    expect(page.locator("[data-action=remove]")).to_have_text("Move to the bin 130")
    page.locator(".batches select").select_option(label="week 0")
    expect(count).to_have_text("65 selected, on all pages")
    page.locator("[data-action=none]").click()
    expect(count).to_be_empty()
    page.locator(".batches select").select_option(index=0)
    back_from_a_document_the_table_is_where_it_was_left(page)


def back_from_a_document_the_table_is_where_it_was_left(page: Page) -> None:
    page.get_by_role("button", name="Document", exact=True).click()
    page.get_by_role("button", name="Next").click()
    row = page.locator(f"{TABLE_ROWS}[data-document=a128]")
    row.locator("a").click()
    page.wait_for_url("**/?project=1&document=a128")
    page.go_back()
    expect(row).to_be_focused()
    expect(row).to_be_in_viewport()
    assert row.locator("td").first.evaluate("(cell) => getComputedStyle(cell).boxShadow") != "none"


def test_reading_in_the_background_survives_a_page_change_and_a_killed_server(
    tmp_path: Path, open_page: OpenPage
) -> None:
    with Server(tmp_path / "home", fake=True, STRATA_FAKE_SECONDS="0.5") as server:
        fill_with(server, *(f"On herring {n}" for n in range(18)))
        page = open_page(server, "documents").page
        page.wait_for_selector(TABLE_ROWS)
        page.locator(TABLE_ROWS).first.focus()
        press(page, "Control+a")
        page.get_by_role("button", name="Suggest again").click()
        page.get_by_text("Reading documents in the background").wait_for()
        page.get_by_role("link", name="Annotate").click()
        page.wait_for_selector(".st-key-welcome")
        server.kill()
        server.start()
        page.goto(f"{server.url}documents")
        page.get_by_text("Reading documents in the background").wait_for()
        page.get_by_text("Reading documents in the background").wait_for(state="detached")
        page.wait_for_selector(TABLE_ROWS)
        expect(page.locator(".statuses [data-status=unread] .number")).to_have_text("0")
    assert predictions(server) == [1] * 18


def predictions(server: Server) -> list[int]:
    """How many prediction runs each document has."""
    query = "SELECT count(*) FROM prediction_run GROUP BY document_id"
    with closing(sqlite3.connect(server.home / "strata.sqlite", timeout=30)) as connection:
        return [number for (number,) in connection.execute(query)]


def test_the_table_is_reached_in_at_most_three_tabs_and_left_by_keys(
    documents_page: Callable[..., Page],
) -> None:
    page = documents_page("On herring", "On honey")
    skip = page.get_by_role("button", name="Skip to the table")
    assert skip.evaluate("(button) => button.getBoundingClientRect().bottom") < 0
    page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    assert skip.evaluate("(button) => button.getBoundingClientRect().top") >= 0
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => ({FOCUSED})() === 'a1'")
    page.get_by_role("link", name="Export").click()
    page.wait_for_selector(".st-key-export_page h1")
    expect(skip).to_have_count(0)
    page.get_by_role("link", name="Documents").press("Enter")
    page.wait_for_selector(TABLE_ROWS)
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the table")).to_be_focused()
    keys_lead_from_the_table_to_a_new_document_and_to_the_next_unfinished_one(page)


def keys_lead_from_the_table_to_a_new_document_and_to_the_next_unfinished_one(page: Page) -> None:
    page.locator(".find input").press("s")
    page.locator(".find input").press("Shift+N")
    assert page.locator(".find input").input_value() == "sN"
    page.locator(".find input").fill("")
    page.locator(TABLE_ROWS).first.focus()
    page.keyboard.press("s")
    page.wait_for_url("**/?project=1&document=a1")
    page.get_by_role("link", name="Documents").click()
    page.wait_for_selector(TABLE_ROWS)
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Shift+N")
    page.locator(".st-key-new_title input").wait_for()
    assert "document=" not in page.url


def the_filter_of_the_sidebar_stays_while_it_filters(page: Page) -> None:
    field = page.locator(".documents .filter input")
    field.fill("act 1")
    page.locator(".documents .remove").first.click()
    page.wait_for_selector(".removed button")
    expect(page.locator(".documents li")).to_have_count(10)
    field.clear()
    expect(page.locator(".documents li")).to_have_count(19)
