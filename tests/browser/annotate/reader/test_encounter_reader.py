"""The notes of an encounter in the reader: by tabs, beside each other, with their sections."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.page import AnnotatePage

pytestmark = pytest.mark.browser

NOTES = ".reader .clinical"
FOCUSED_ROW = "() => document.activeElement.shadowRoot.activeElement.matches('[role=treeitem]')"
# As a German keyboard of a Mac types it: Option and 6.
BRACKET_OF_A_MAC = """(row) => row.dispatchEvent(
    new KeyboardEvent('keydown', { key: ']', code: 'Digit6', altKey: true, bubbles: true, composed: true }))"""
# Where the values stand in two lines of a table that was pasted with its tabs.
COLUMNS = """(block) => ['Sodium', 'Hemoglobin'].map((name) => {
    block.textContent = `${name}\\t122`;
    const range = document.createRange();
    range.setStart(block.firstChild, name.length + 1);
    range.setEnd(block.firstChild, name.length + 4);
    return Math.round(range.getBoundingClientRect().left);
})"""
NARROW = """(() => { const [text, tree] = document.querySelectorAll('.st-key-annotation [data-testid=stColumn]');
    return tree.getBoundingClientRect().top >= text.getBoundingClientRect().bottom; })()"""


def shown(tab: AnnotatePage) -> list[int]:
    notes = tab.page.locator(NOTES).all()
    return [number for number, note in enumerate(notes) if note.is_visible()]


def test_notes_stand_one_at_a_time_or_side_by_side(encounter_tab: AnnotatePage) -> None:
    page, beside = encounter_tab.page, encounter_tab.page.locator(".reader .beside")
    assert shown(encounter_tab) == [0]
    page.locator(".reader .tab").nth(2).click()
    assert shown(encounter_tab) == [2]
    page.keyboard.press("ArrowLeft")
    assert shown(encounter_tab) == [1]
    page.focus("[role=treeitem].suggested")
    page.keyboard.press("]")  # where a coder's hands are
    assert shown(encounter_tab) == [2]
    page.keyboard.press("[")
    assert shown(encounter_tab) == [1]
    assert page.evaluate(FOCUSED_ROW)
    page.locator("[role=treeitem].suggested").first.evaluate(BRACKET_OF_A_MAC)
    assert shown(encounter_tab) == [2]
    page.keyboard.press("[")
    page.focus(".workbench [role=combobox]")
    page.keyboard.press("]")
    assert shown(encounter_tab) == [1]
    page.keyboard.press("Escape")
    beside.click()
    assert len(shown(encounter_tab)) == 2
    assert beside.get_attribute("aria-pressed") == "true"
    first, second = (page.locator(NOTES).nth(n).bounding_box() for n in shown(encounter_tab))
    assert first and second
    assert first["x"] + first["width"] <= second["x"]
    assert first["y"] == second["y"]
    page.set_viewport_size({"width": 420, "height": 900})
    expect(beside).to_be_hidden()
    assert len(shown(encounter_tab)) == 1


def test_notes_stand_side_by_side_by_themselves_where_they_have_the_height(
    encounter_tab: AnnotatePage,
) -> None:
    page, beside = encounter_tab.page, encounter_tab.page.locator(".reader .beside")
    page.set_viewport_size({"width": 800, "height": 1900})
    expect(beside).to_have_attribute("aria-pressed", "true")
    page.set_viewport_size({"width": 800, "height": 700})
    expect(beside).to_have_attribute("aria-pressed", "false")
    beside.click()
    expect(beside).to_have_attribute("aria-pressed", "true")
    the_reader_ends_above_the_tree_at_twice_the_size(page)
    columns_behind_tabs_stand_in_line_and_tools_fit_a_phone(page)


def test_sections_are_gone_to_and_searched_alone(encounter_tab: AnnotatePage) -> None:
    page = encounter_tab.page
    page.locator(".contents > button").click()
    page.locator(".panel .section", has_text="Brief Hospital Course").click()
    assert shown(encounter_tab) == [2]
    expect(page.locator(".panel")).to_be_hidden()
    expect(page.get_by_role("heading", name="Brief Hospital Course:")).to_be_in_viewport()
    page.fill(".find input", "stroke")
    expect(page.locator(".find .count")).to_have_text("1 of 1")
    assert shown(encounter_tab) == [0], "a hit brings its note"
    page.select_option(".find .scope", "past history")
    expect(page.locator(".find .count")).to_have_text("not found")
    page.select_option(".find .scope", "family history")
    expect(page.locator(".find .count")).to_have_text("1 of 1")


def the_reader_ends_above_the_tree_at_twice_the_size(page: Page) -> None:
    page.set_viewport_size({"width": 720, "height": 450})  # a window of 1440 by 900, at 200 %
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
    page.wait_for_function(f"() => {NARROW}")
    page.wait_for_selector(".reader .evidence")  # which the server is asked for after the drawing
    evidence = page.locator(".reader .evidence").bounding_box()
    search = page.locator(".workbench .search").bounding_box()
    assert evidence is not None
    assert search is not None
    assert evidence["y"] + evidence["height"] <= search["y"]


def columns_behind_tabs_stand_in_line_and_tools_fit_a_phone(page: Page) -> None:
    ends = page.locator(f"{NOTES} > *").first.evaluate(COLUMNS)
    assert len(set(ends)) == 1, ends
    page.set_viewport_size({"width": 320, "height": 640})
    scope, sections = (page.locator(f".reader {part}").first for part in (".scope", ".contents"))
    over, under = scope.bounding_box(), sections.bounding_box()
    assert over and under
    assert over["y"] + over["height"] <= under["y"] or over["x"] + over["width"] <= under["x"]
    page.wait_for_selector(".reader .evidence")
    evidence, search = page.locator(".reader .evidence"), page.locator(".workbench [role=combobox]")
    above, below = evidence.bounding_box(), search.bounding_box()
    assert above and below
    assert above["y"] + above["height"] <= below["y"] + 1


SELECT = """(block) => { const text = document.createTreeWalker(block, NodeFilter.SHOW_TEXT).nextNode();
    getSelection().setBaseAndExtent(text, 0, text, Math.min(12, text.length)); return text.data.slice(0, 12); }"""


def test_selected_words_become_evidence_of_the_code_at_the_cursor(
    encounter_tab: AnnotatePage,
) -> None:
    page = encounter_tab.page
    page.locator("[role=treeitem].suggested").first.focus()
    code = page.evaluate("document.activeElement.shadowRoot.activeElement.dataset.concept")
    words = page.locator(f"{NOTES} p").first.evaluate(SELECT)
    page.locator(".reader .selected .cite").click()
    encounter_tab.wait_until_saved()
    page.wait_for_selector(f".codes [data-concept='{code}']")
    page.wait_for_selector(".toast:has-text('is evidence for')")
    page.locator(f"{NOTES} p").first.evaluate(SELECT)
    page.locator(".reader .selected .look").click()
    assert page.input_value(".workbench [role=combobox]") == words.strip()
