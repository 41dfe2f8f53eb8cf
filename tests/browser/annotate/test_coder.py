"""A coder at an encounter of two notes: codes by keyboard, in order, checked, finished."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.support.browser import tree
from tests.support.browser.axe import violations_of_ours
from tests.support.browser.coding import codes, wait_for_codes, wait_for_focus
from tests.support.browser.keyboard_user import KeyboardUser
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser
HYPERGLYCEMIA = "E11.65 Type 2 diabetes mellitus with hyperglycemia"
PNEUMONIA = "J18.1 Lobar pneumonia, unspecified organism"


def opened(server: Server, open_page: OpenPage) -> AnnotatePage:
    tab = open_page(server, "?document=encounter-1")
    tab.wait_for_suggestions()
    return tab


def test_a_coder_reviews_orders_marks_and_finishes(
    coding_server: Server, open_page: OpenPage
) -> None:
    tab = opened(coding_server, open_page)
    user = KeyboardUser(tab.page)
    reader = tab.page.inner_text(".reader")
    assert "Emergency department note" in reader
    assert "Discharge summary" in reader
    tab.page.focus("[role=treeitem].suggested")
    user.row(PNEUMONIA)
    user.press("a")
    user.row("E11 Type 2 diabetes mellitus")
    user.press("a")  # a category: it is held open, and its codes are gone to
    wait_for_focus(user, HYPERGLYCEMIA)
    assert tab.states().get("E11") != "accepted"

    user.press("Shift+Enter")
    tab.page.wait_for_selector(".prompt:has-text('Not finished yet: 1 error')")
    assert "Finish all the same" not in tab.page.inner_text(".prompt")
    user.press("Enter")  # to what is wrong
    wait_for_focus(user, HYPERGLYCEMIA)
    user.press("a")
    tab.wait_until_saved()
    wait_for_codes(tab, ["J18.1", "E11.65"])

    user.press("c")
    wait_for_focus(user, PNEUMONIA)
    user.press("p", "ArrowDown", "p", "p", "Alt+ArrowUp")
    wait_for_focus(user, f"1, principal, {HYPERGLYCEMIA}, not present on admission")
    wait_for_codes(tab, ["E11.65", "J18.1"])
    user.press("Alt+ArrowDown")
    wait_for_codes(tab, ["J18.1", "E11.65"])
    tab.wait_until_saved()
    user.press("Shift+Enter")
    tab.page.wait_for_selector(".banner:visible")


def test_a_finding_is_mended_by_key_and_undone_in_one_step(stay_tab: tree.ActTab) -> None:
    tab = stay_tab
    user = KeyboardUser(tab.page)
    for concept_id in ("J18.1", "N18.4", "I10"):
        tab.decide(concept_id, "accept")
    tab.page.click(".codes [data-concept='I10'] [data-mark=Y]")
    tab.page.wait_for_selector(".codes .finding.warning:has-text('I12.9 stands instead of I10')")
    assert "Guidelines I.C.9.a" in tab.page.inner_text(".codes .finding.warning")
    user.press("c")
    tab.page.focus(".codes [data-concept='I10']")
    user.press("f")
    tab.page.wait_for_selector(".codes [data-concept='I12.9'][data-place='2']")
    assert codes(tab) == ["J18.1", "I12.9", "N18.4"]
    tab.page.wait_for_selector(".codes [data-concept='I12.9'] [data-mark=Y][aria-pressed=true]")
    tab.wait_until_saved()
    tab.page.wait_for_selector(".codes .finding.warning:has-text('I12.9')", state="detached")

    user.press("z")
    tab.page.wait_for_selector(".codes [data-concept='I10'][data-place='3']")
    assert codes(tab) == ["J18.1", "N18.4", "I10"]
    tab.page.wait_for_selector(".codes [data-concept='I10'] [data-mark=Y][aria-pressed=true]")
    tab.page.wait_for_selector(".codes .mend:has-text('Replace I10 by I12.9')")


def test_finishing_asks_for_marks_and_mends_what_it_lists(stay_tab: tree.ActTab) -> None:
    tab = stay_tab
    user = KeyboardUser(tab.page)
    for concept_id in ("J18.1", "N18.4", "I10"):
        tab.decide(concept_id, "accept")
    tab.wait_until_saved()
    tab.page.focus("[role=treeitem].suggested")
    user.press("Shift+Enter")
    tab.page.wait_for_selector(".prompt:has-text('Before it is finished: 5 warnings')")
    asked = tab.page.locator(".prompt li:has-text('mark of presence on admission')")
    assert asked.count() == 4  # each with what is proposed, and what the notes list at once
    assert "Mark 2 as the notes say" in asked.first.inner_text()
    assert "a chronic condition" in asked.nth(2).inner_text()
    assert violations_of_ours(tab.page) == []
    tab.page.wait_for_selector(".answers button:focus:has-text('Finish all the same')")
    user.press("f")  # of lines with a remedy, it goes to the first
    tab.page.wait_for_selector(".prompt li .mend:focus")
    assert codes(tab) == ["J18.1", "N18.4", "I10"]
    tab.page.focus(".prompt li:has-text('I12.9 stands instead') .what")
    user.press("f")
    tab.page.wait_for_selector(".prompt:has-text('Before it is finished: 3 warnings')")
    assert codes(tab) == ["J18.1", "I12.9", "N18.4"]
    for left in ("2 warnings", "1 warning"):
        tab.page.wait_for_selector(".prompt li .mend:focus")  # of the next one
        user.press("f")
        tab.page.wait_for_selector(f".prompt:has-text('Before it is finished: {left}')")
    tab.page.wait_for_selector(".prompt li .mend:focus")
    user.press("f")
    tab.page.wait_for_selector(".toast:has-text('Nothing stands in the way')")
    tab.wait_until_saved()
    pressed = tab.page.locator(".codes [data-mark=Y][aria-pressed=true]")
    assert pressed.count() == len(codes(tab))
    tab.page.focus("[role=treeitem].suggested")
    user.press("Shift+Enter")
    tab.page.wait_for_selector(".banner:visible")


def test_codes_are_put_in_order_by_mouse_and_the_order_is_undone(stay_tab: tree.ActTab) -> None:
    tab = stay_tab
    for concept_id in ("I10", "J18.1", "Z79.4"):
        tab.decide(concept_id, "accept")
    wait_for_codes(tab, ["I10", "J18.1", "Z79.4"])
    tab.page.drag_and_drop(
        ".codes [data-concept='Z79.4'] .grip", ".codes [data-concept='I10'] .grip"
    )
    tab.page.wait_for_selector(".codes [data-concept='Z79.4'][data-place='1']")
    tab.page.click(".codes [data-concept='Z79.4'] [data-mark=W]")
    tab.page.wait_for_selector(".codes [data-concept='Z79.4'] [data-mark=W][aria-pressed=true]")
    tab.wait_until_saved()
    tab.page.reload()
    tab.page.wait_for_selector(".codes [data-concept='Z79.4'] [data-mark=W][aria-pressed=true]")
    wait_for_codes(tab, ["Z79.4", "I10", "J18.1"])
    tab.page.focus("[role=treeitem].suggested")
    tab.page.keyboard.press("z")
    tab.page.keyboard.press("z")
    tab.page.wait_for_selector(".codes [data-concept='I10'][data-place='1']")


def test_what_is_denied_is_folded_counts_nowhere_and_can_be_accepted(
    stay_tab: tree.ActTab,
) -> None:
    tab = stay_tab
    page, user = tab.page, KeyboardUser(tab.page)
    group = page.locator("[role=treeitem][data-key=denied]")
    expect(group.locator("> .row .label")).to_have_text("Denied or over: 1")
    expect(group).to_have_attribute("aria-expanded", "false")
    expect(page.locator(tree.row("E10.9"))).to_be_hidden()
    unresolved = page.locator("[data-filter=unresolved] .number")
    waiting = unresolved.inner_text()

    page.focus("[role=treeitem].suggested")
    user.press("End")
    assert user.focus.startswith("treeitem: Denied or over: 1")
    user.press("a")  # it is no code
    page.wait_for_selector(".toast:has-text('choose one of its codes')")
    user.press("ArrowRight", "ArrowDown")
    assert user.focus.startswith("treeitem: E10.9") and "unresolved" not in user.focus
    assert "negated" in user.focus
    user.press("a")
    tree.wait_for_state(tab, "E10.9", "accepted")
    expect(group).to_have_count(0)
    assert page.inner_text("[data-filter=accepted] .number") == "1"
    assert unresolved.inner_text() == waiting
    tab.wait_until_saved()
    assert tab.stored() == [("accept", "E10.9")]


def days_stored(server: Server) -> list[str]:
    """The days that were stored, in their order."""
    query = "SELECT value FROM decision_event WHERE action = 'performed' ORDER BY event_id"
    with closing(sqlite3.connect(server.home / "strata.sqlite", timeout=30)) as connection:
        return [json.loads(value) for (value,) in connection.execute(query)]


def test_the_day_of_a_procedure_is_stored_as_it_is_typed(
    icd9_server: Server, open_page: OpenPage
) -> None:
    tab = opened(icd9_server, open_page)
    user, day = KeyboardUser(tab.page), ".codes [data-concept='81.52'] input.day"
    tab.page.focus("[role=treeitem].suggested")
    # A key for a code that was accepted in the same moment finds it.
    tab.page.eval_on_selector(
        tree.row("81.52"),
        """(item) => ["a", "t"].forEach((pressed) => { item.focus(); item.dispatchEvent(
            new KeyboardEvent("keydown", { key: pressed, bubbles: true, composed: true })); })""",
    )
    tab.page.wait_for_selector(f"{day}:focus")
    for at, digit in enumerate("05122021"):  # over the answers to what was decided before
        if at == 3:
            tab.wait_until_saved()
            tab.page.wait_for_selector(".codes .finding:has-text('without the day')")
        user.press(digit)
    # Another decision in between takes nothing back, and the field needs not be left.
    tab.page.wait_for_selector(".codes:not(:has-text('without the day'))")
    tab.decide("79.35", "accept")
    tab.page.wait_for_selector(".codes [data-concept='79.35'] .principal", state="detached")
    tab.wait_until_saved()
    assert days_stored(icd9_server) == ["2021-05-12"]
    assert "12 May 2021" in tab.page.inner_text(".codes [data-concept='81.52']")

    tab.page.focus(".codes [data-concept='79.35'] input.day")
    for digit in "06130031":
        user.press(digit)
    user.press("Enter")
    tab.page.wait_for_selector(".toast:has-text('its year is 31')")
    user.press("Escape")
    tab.page.focus(day)
    for digit in "06":
        user.press(digit)
    user.press("Shift+Enter")  # finishes, and takes the new month
    tab.page.wait_for_selector(".prompt:has-text('Before it is finished')")
    tab.wait_until_saved()
    assert days_stored(icd9_server) == ["2021-05-12", "2021-06-12"]

    # A day is kept where the page is left with its field in hand.
    user.press("Escape")
    tab.page.on("dialog", lambda dialog: dialog.accept())
    other = ".codes [data-concept='79.35'] input.day"
    tab.page.focus(other)
    for digit in "06132021":
        user.press(digit)
    tab.page.reload()
    tab.page.wait_for_selector(other)
    assert tab.page.input_value(other) == "2021-06-13"


# A tag that has room for the first of its words alone: whether that one is seen whole, the other not.


def test_a_librarian_sees_nothing_of_codes(act_tab: tree.ActTab) -> None:
    tab = act_tab
    for selector in (".codes", "[data-do=down]", "[data-do=principal]", "[data-do=present]"):
        assert tab.page.is_hidden(selector), selector
    assert tab.page.is_visible("[data-do=mark]")
    tab.page.focus("[role=treeitem].suggested")
    tab.page.keyboard.press("?")
    assert "code" not in tab.page.inner_text("dialog.help").lower()
