"""Text and tree share the window, and nothing takes the tree's rows or lies over them."""

from __future__ import annotations

import pytest
from playwright.sync_api import FloatRect, Page

from tests.browser.conftest import OpenPage
from tests.support.browser.page import SUGGESTED
from tests.support.browser.server import Server
from tests.support.waiting import wait_until

pytestmark = pytest.mark.browser

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 800, "height": 1000}
MOST_ROWS = 8
# A tag that has room for the first of its words alone: whether that one is seen whole, the other not.
SQUEEZED = """(tag) => {
    const said = Object.assign(document.createElement('span'), { className: 'said', textContent: 'negated' });
    const name = Object.assign(document.createElement('span'), { textContent: 'by name' });
    tag.replaceChildren(name, said);
    tag.style.flex = '0 0 70px';
    const [box, first, second] = [tag, said, name].map((one) => one.getBoundingClientRect());
    return { whole: first.right <= box.right + 1 && first.bottom <= box.bottom + 1, hidden: second.top >= box.bottom - 1 };
}"""
IN_MAIN = """() => { const main = document.querySelector('[data-testid=stMain]');
    return main.scrollHeight - main.clientHeight; }"""


def box(page: Page, selector: str) -> FloatRect:
    found = page.locator(selector).first.bounding_box()
    assert found is not None, selector
    return found


def bottom(found: FloatRect) -> float:
    return found["y"] + found["height"]


def holds_eight_rows(page: Page) -> bool:
    row = box(page, f"{SUGGESTED} > .row")
    return box(page, "[role=tree]")["height"] >= MOST_ROWS * row["height"]


def card_stands_apart(page: Page) -> bool:
    tree, card = box(page, "[role=tree]"), box(page, ".card-panel .card")
    is_beside = card["x"] + card["width"] <= tree["x"] + 1
    return is_beside or bottom(card) <= tree["y"] or card["y"] >= bottom(tree)


def test_neither_the_card_nor_a_toast_takes_the_rows(
    seeded_server: Server, open_page: OpenPage
) -> None:
    page = open_page(seeded_server, "?document=herring", viewport=NARROW).page
    page.wait_for_selector(SUGGESTED)
    page.click(f"{SUGGESTED} > .row .label")
    on_a_narrow_screen_the_evidence_is_a_line_that_opens(page)
    page.click(".evidence .fold")
    page.click(".card-panel summary")
    check_rows(page, NARROW)
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    check_rows(page, WIDE)


def check_rows(page: Page, viewport: dict[str, int]) -> None:
    page.wait_for_selector(".card-panel[open] .card > *")

    # More of the card comes with the next answer; it lies over the text.
    wait_until(lambda: card_stands_apart(page), 30, "the card lies over the tree")
    wait_until(lambda: holds_eight_rows(page), 30, "the tree is too low")
    wait_until(lambda: page.evaluate(IN_MAIN) <= 0, 30, "the page scrolls")
    tree, reader = box(page, "[role=tree]"), box(page, ".reader .pane")
    assert bottom(tree) <= viewport["height"]
    assert bottom(reader) <= viewport["height"]
    assert reader["height"] >= 150

    page.locator(SUGGESTED).first.focus()
    page.keyboard.press("Shift+C")
    toast = box(page, ".toast:not([hidden])")
    assert box(page, "[role=tree]") == tree, "what is told moves nothing"
    assert bottom(toast) <= bottom(tree)
    last = page.locator(f"{SUGGESTED} > .row").last
    last.scroll_into_view_if_needed()
    page.locator(SUGGESTED).last.focus()
    assert bottom(box(page, f"{SUGGESTED}:focus > .row")) <= toast["y"], "it can be seen"


def on_a_narrow_screen_the_evidence_is_a_line_that_opens(page: Page) -> None:
    page.wait_for_selector(".evidence:not([hidden]) .passage", state="attached")
    folded = box(page, ".evidence")["height"]
    assert folded <= 45
    page.click(".evidence .fold")
    page.wait_for_selector(".evidence .passage")
    assert box(page, ".evidence")["height"] > folded
    assert box(page, ".reader .pane")["height"] >= 75


def test_an_encounter_with_its_stay_fits_into_the_window(
    coding_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(coding_server, "?document=encounter-1", viewport=WIDE)
    page = tab.page
    page.wait_for_selector(SUGGESTED)
    tab.wait_until_settled()
    page.locator(SUGGESTED).first.focus()
    page.wait_for_selector(".evidence .passage", state="attached")
    assert page.locator(".st-key-stay button").is_visible()
    tag = page.locator(f"{SUGGESTED} .tag").first
    assert tag.evaluate(SQUEEZED) == {"whole": True, "hidden": True}
    for viewport in (WIDE, NARROW):
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        check_in_view(page, viewport)
    page.click(".card-panel summary")
    page.wait_for_selector(".card-panel h2")
    for viewport in (NARROW, WIDE):
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        wait_until(lambda: card_stands_apart(page), 30, "the card lies over the tree")


def check_in_view(page: Page, viewport: dict[str, int]) -> None:
    boxes = (".evidence", ".reader .pane", ".codes", ".dock", ".card-panel")

    def fits() -> bool:
        in_view = all(bottom(box(page, selector)) <= viewport["height"] for selector in boxes)
        return in_view and page.evaluate(IN_MAIN) <= 0

    # Heights are shared out anew when the evidence has come, some frames later on a busy machine.
    wait_until(fits, 30, "something stands below the window")
