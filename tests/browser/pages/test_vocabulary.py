"""The Vocabulary page as a person uses it: by keys, with rules, and with hostile labels."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser
PRESS = """(item, keys) => keys.forEach((key) =>
    item.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))"""


def vocabulary(open_page: OpenPage, server: Server) -> Page:
    page = open_page(server, "vocabulary").page
    page.wait_for_selector(".vocabulary[data-ready]")
    return page


def row(concept_id: str) -> str:
    return f"[role=treeitem][data-concept='{concept_id}']"


def test_the_page_opens_on_what_is_used_here(seeded_server: Server, open_page: OpenPage) -> None:
    page = vocabulary(open_page, seeded_server)
    lists = page.locator(".overview-list")
    expect(lists.locator("h2")).to_have_text(
        ["Most used here", "Accepted last", "Branches not used yet"]
    )
    used = lists.first.locator("button").first
    label = used.inner_text()
    expect(page.locator(".card-place")).to_be_hidden()
    used.click()
    expect(page.locator(".card-place h2")).to_have_text(label)
    expect(lists.first).to_be_hidden()
    page.click(".to-overview")
    expect(lists.first).to_be_visible()


def test_the_tree_is_browsed_by_keys_and_the_card_follows(
    fake_server: Server, open_page: OpenPage
) -> None:
    page = vocabulary(open_page, fake_server)
    page.focus(row("d1"))
    # In one turn of the page: no row that a key asks for is there when the next one is pressed.
    page.locator(row("d1")).evaluate(PRESS, ["ArrowRight", "ArrowDown", "ArrowRight"])
    page.wait_for_selector(row("102"))
    page.keyboard.type("he")
    expect(page.locator(".card-place h2")).to_have_text("herring")
    expect(page.locator(row("102"))).to_be_focused()
    paths = page.locator(".card-place .paths")
    expect(paths).to_have_text("AGRICULTURE AND FOOD›fisheries", use_inner_text=True)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(row("m1"))).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("/")
    page.keyboard.type("high sped")
    # The list answers each letter: what is awaited is the answer to the last.
    expect(page.locator("[role=listbox]")).to_contain_text("near to it")
    expect(page.locator("[role=option]").first).to_contain_text("high-speed train")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(row("303"))).to_be_focused()
    expect(page.locator(".card-place h2")).to_have_text("high-speed train")
    page.reload()
    page.wait_for_selector(".vocabulary[data-ready]")
    expect(page.locator(row("303"))).to_have_attribute("aria-selected", "true")
    a_rule_is_set_with_a_click_and_lifted_with_another(page)


def a_rule_is_set_with_a_click_and_lifted_with_another(page: Page) -> None:
    page.click(f"{row('d2')} > .row")
    page.wait_for_selector(row("m3")) if page.is_visible(row("m3")) else page.keyboard.press(
        "ArrowRight"
    )
    page.click("[data-kind=never_assigned]")
    expect(page.locator(f"{row('d2')} > .row .ruled")).to_have_text("never assigned")
    expect(page.locator(f"{row('m3')} > .row .ruled")).to_have_text("in a branch never assigned")
    expect(page.locator(".in-force summary")).to_have_text("1 rule in force")
    expect(page.locator("[data-kind=never_assigned]")).to_have_attribute("aria-pressed", "true")
    page.click("[data-kind=never_assigned]")
    expect(page.locator(f"{row('d2')} > .row .ruled")).to_have_text("")
    # A heading is not suggested, and so not offered to be never suggested.
    never = page.locator(".rule-button[data-kind=never_suggested]")
    expect(never).to_be_hidden()
    page.focus(row("d1"))
    page.locator(row("d1")).evaluate(PRESS, ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown"])
    expect(never).to_be_visible()


def test_a_note_that_is_typed_outlasts_a_look_at_another_concept(
    fake_server: Server, open_page: OpenPage
) -> None:
    page = vocabulary(open_page, fake_server)
    page.focus(row("d1"))
    page.fill("#advice", "Headings alone.")
    page.click(f"{row('d2')} > .row .label")
    expect(page.locator("#advice")).to_have_value("")
    page.click(f"{row('d1')} > .row .label")
    expect(page.locator("#advice")).to_have_value("Headings alone.")
    page.click(".advise button")
    expect(page.locator(".live")).to_have_text("Saved.")
    page.reload()
    page.wait_for_selector(".vocabulary[data-ready]")
    expect(page.locator("#advice")).to_have_value("Headings alone.")
