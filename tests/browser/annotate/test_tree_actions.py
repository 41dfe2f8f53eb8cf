"""Everything that can be done on the tree, by key and by button, with the fake model."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from core.review.store.people import HIDE_TITLES, default_person, set_preference
from core.review.store.store import Store
from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server
from tests.support.browser.tree import (
    ActTab,
    go_to_example,
    opened,
    press,
    row,
    wait_for_state,
)

pytestmark = pytest.mark.browser


def test_backing_off_shows_the_probability_first_and_is_undone_as_one(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.focus(row("104"))
    press(tab, "b")
    question = tab.page.inner_text(".prompt")
    assert "Instead of sole (76%), accept the broader" in question
    assert "sea fish" in question
    assert "64%" in question
    press(tab, "Escape")
    assert tab.page.is_hidden(".prompt")
    assert tab.states()["104"] == "unresolved"
    press(tab, "b", "b")
    assert (tab.states()["104"], tab.states()["103"]) == ("rejected", "accepted")
    tab.wait_until_saved()
    assert tab.stored() == [("back_off", "104"), ("accept", "103")]
    press(tab, "z")
    wait_for_state(tab, "104", "unresolved")
    assert tab.states()["103"] == "unresolved"


def test_nothing_above_that_can_be_assigned_gets_a_sentence(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.focus(row("201"))
    press(tab, "b")
    assert "Nothing that can be assigned is broader than honey." in tab.page.inner_text(".toast")


def test_a_branch_is_decided_at_once_and_undone_at_once(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.focus(row("m2"))
    tab.page.click("[data-do=branch]")
    assert "4 unresolved suggestions are shown below foodstuffs." in tab.page.inner_text(".prompt")
    press(tab, "ArrowRight", "Enter")
    assert {c: s for c, s in tab.states().items() if s == "rejected"}.keys() == {
        "103",
        "104",
        "201",
        "202",
    }
    tab.wait_until_saved()
    press(tab, "z")
    wait_for_state(tab, "201", "unresolved")
    tab.wait_until_saved()
    assert tab.summary == "0 accepted · 0 rejected · 9 unresolved"
    assert "4 decisions" in (tab.page.text_content(".toast") or "")


def selected(tab: AnnotatePage) -> str | None:
    return tab.page.get_attribute("[role=treeitem][aria-selected]", "data-concept")


def test_the_cursor_goes_up_to_the_nearest_where_nothing_below_is_left(act_tab: ActTab) -> None:
    tab = act_tab
    waiting = [row.concept_id for row in tab.rows()]
    tab.page.focus(row(waiting[-1]))
    press(tab, "r")
    assert selected(tab) == waiting[-2]
    press(tab, "n")
    assert selected(tab) == waiting[0]


def test_a_row_that_goes_away_leaves_the_cursor_next_to_it(
    hints_server: Server, open_page: OpenPage
) -> None:
    tab = opened(hints_server, open_page)
    press(tab, "/")
    tab.page.keyboard.type("honey")
    tab.page.wait_for_selector("[role=listbox][data-query=honey]")
    press(tab, "Enter", "Escape")
    wait_for_state(tab, "201", "accepted")
    tab.wait_until_saved()
    tab.page.focus(row("201"))
    press(tab, "ArrowUp")
    above = selected(tab)
    tab.page.reload()
    tab.page.focus(row("201"))
    press(tab, "u")
    tab.page.wait_for_selector(row("201"), state="detached")
    assert selected(tab) == above
    # A branch that is accepted leaves the cursor below it.
    tab.page.focus(row("303"))
    press(tab, "l")
    tab.page.locator("[role=treeitem]:not(.suggested)[data-concept='301']").focus()
    press(tab, "a")
    wait_for_state(tab, "301", "accepted")
    assert selected(tab) == "303"


def test_an_undo_that_is_answered_late_leaves_a_person_where_they_went(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.focus(row("201"))
    press(tab, "a", "End")
    last = tab.page.get_attribute("[role=treeitem][aria-selected]", "data-concept")
    tab.page.focus(row("104"))
    # Both keys in one turn of the page: no answer comes between them.
    tab.page.eval_on_selector(
        row("104"),
        """(item) => ["z", "End"].forEach((key) => item.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, composed: true })))""",
    )
    tab.page.locator(".toast", has_text="Undone:").wait_for()
    assert tab.states()["201"] == "unresolved"
    assert tab.page.get_attribute("[role=treeitem][aria-selected]", "data-concept") == last != "201"


def test_an_excluded_branch_names_itself_in_every_conflict_and_can_be_lifted(
    act_tab: ActTab,
) -> None:
    tab = act_tab
    tab.page.focus(row("101"))
    press(tab, "a")
    tab.page.focus(row("m1"))
    press(tab, "Shift+R")
    states = tab.states()
    assert (states["101"], states["102"]) == ("conflict", "below excluded")
    conflict = f"{row('101')} > .mend"
    assert "You ruled out all of “fisheries”." in tab.page.inner_text(conflict)
    name = tab.page.get_attribute(row("101"), "aria-label")
    assert name is not None
    assert "accepted, but in conflict (“fisheries”)" in name
    tab.page.click(f"{conflict} [data-mend=lift]")
    assert (tab.states()["101"], tab.states()["102"]) == ("accepted", "unresolved")
    tab.wait_until_saved()
    assert tab.stored() == [("accept", "101"), ("exclude", "m1"), ("clear", "m1")]


def test_a_main_topic_is_accepted_with_its_mark(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.focus(row("101"))
    press(tab, "m")
    tab.wait_until_saved()
    name = tab.page.get_attribute(row("101"), "aria-label")
    assert name is not None
    assert "main topic, accepted" in name
    tab.page.reload()
    tab.page.wait_for_selector(f"{row('101')} .star")
    press(tab, "z")
    wait_for_state(tab, "101", "unresolved")


def test_finishing_says_what_was_left_and_opens_the_next(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page, "honey-labelling")
    go_to_example(tab, fake_server, "fishing-quotas")
    tab.page.focus(row("104"))
    press(tab, "a", "Shift+Enter")
    tab.page.wait_for_selector(".workbench[data-document='example-honey-labelling']")
    said = tab.page.text_content(".toast") or ""  # it may have gone by now
    assert "1 accepted, 0 rejected, 8 not taken" in said
    tab.wait_for_suggestions()
    press(tab, "s")
    tab.page.wait_for_selector(".toast:has-text('the only document on the list')")
    press(tab, "Shift+Enter", "Shift+Enter")  # asked once, as nothing is decided
    tab.page.wait_for_selector(".toast:has-text('That was the last one')")
    assert tab.page.is_visible(".banner")
    assert set(tab.states().values()) == {"not taken"}
    go_to_example(tab, fake_server, "fishing-quotas")
    tab.page.wait_for_selector(".banner")
    assert tab.states()["103"] == "implied"  # by 104, which stands below it


def test_undo_reaches_into_another_document_and_names_it_by_its_id_where_titles_are_hidden(
    fake_server: Server, open_page: OpenPage
) -> None:
    store = Store.open(f"sqlite:///{fake_server.home}/strata.sqlite")
    set_preference(store, default_person(store).person_id, HIDE_TITLES, True)
    store.close()
    tab = opened(fake_server, open_page, "honey-labelling")
    go_to_example(tab, fake_server, "fishing-quotas")
    tab.page.focus(row("101"))
    press(tab, "Shift+Enter", "Shift+Enter")
    tab.page.wait_for_selector(".toast:has-text('Finished document example-fishing-quotas: 0')")
    tab.page.wait_for_selector(".workbench[data-document='example-honey-labelling']")
    tab.wait_until_saved()
    tab.wait_for_suggestions()
    listed = ".documents [data-document='example-fishing-quotas'] .status"
    tab.page.wait_for_selector(f"{listed}[data-status=finished]")
    press(tab, "z")
    tab.page.wait_for_selector(".toast:has-text('Undone in document example-fishing-quotas')")
    tab.page.wait_for_selector(f"{listed}:not([data-status=finished])")
    assert tab.page.get_attribute(".documents .filter input", "placeholder") == "Find by id"
    tab.page.click(".toast button")
    tab.page.wait_for_selector(".workbench[data-document='example-fishing-quotas']")
    assert tab.page.is_hidden(".banner")


def test_every_action_has_a_button(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.click(f"{row('101')} .label")
    for action, state in [("accept", "accepted"), ("reject", "rejected"), ("clear", "unresolved")]:
        tab.page.click(f"{row('101')} .label")
        tab.page.click(f"[data-do={action}]")
        assert tab.states()["101"] == state
    tab.page.click(f"{row('101')} .label")
    tab.page.click("[data-do=mark]")
    tab.page.click("[data-do=next]")
    tab.page.click(".tool.undo")
    wait_for_state(tab, "101", "unresolved")
    tab.page.click(f"{row('101')} .label")
    tab.page.click("[data-do=exclude]")
    assert tab.states()["101"] == "excluded"
    small = tab.page.eval_on_selector_all(
        ".workbench button:visible",
        "(all) => all.map((one) => one.getBoundingClientRect())"
        ".filter(({ width, height }) => width < 24 || height < 24).length",
    )
    assert small == 0


NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
NO_COPYING = "document.execCommand = () => false"


def test_label_and_uri_are_copied_by_whatever_the_browser_has(act_tab: ActTab) -> None:
    tab, page = act_tab, act_tab.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("window.asked = navigator.clipboard")
    for without, sentence in (
        ("0", "Copied sole and its URI."),
        (NO_CLIPBOARD, "Copied sole and its URI."),
        (NO_COPYING, "This browser lets no page copy. The URI is https://example.org/104"),
    ):
        page.evaluate("window.asked.writeText('before')")
        page.evaluate(without)
        page.focus(row("104"))
        press(tab, "Shift+C")
        expect(page.locator(".toast")).to_contain_text(sentence)
        is_copied = without != NO_COPYING
        copied = "sole\thttps://example.org/104" if is_copied else "before"
        page.wait_for_function("async (text) => await window.asked.readText() === text", arg=copied)
    assert tab.states()["104"] == "unresolved"
    press(tab, "a")
    wait_for_state(tab, "104", "accepted")
    page.reload()  # what was taken from this page
