"""The button for work on one branch: it begins and ends it, and no other button moves for it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.tree import ActTab, row

pytestmark = pytest.mark.browser

BUTTON = ".actions [data-do=only]"
PLACES = """(buttons) => buttons.map((button) => { const { x, y, width } = button.getBoundingClientRect();
    return [button.dataset.do, x, y, width]; })"""


def test_branch_work_has_a_button_for_which_nothing_moves(act_tab: ActTab) -> None:
    page = act_tab.page
    for width in (1440, 800):
        page.set_viewport_size({"width": width, "height": 1000})
        begin_and_end_branch_work(page)
    before = places(page)
    page.click(".actions [data-do=mark]")
    expect(page.locator(".actions [data-do=mark]")).to_have_attribute("aria-pressed", "true")
    assert places(page) == before


def begin_and_end_branch_work(page: Page) -> None:
    page.locator(f"{row('102')} > .row .label").first.click()
    button = page.locator(BUTTON)
    expect(button).to_have_attribute("aria-pressed", "false")
    before = places(page)

    button.click()
    page.locator(".only", has_text="Only fisheries").wait_for()
    expect(page.locator(row("201"))).to_have_count(0)
    expect(button).to_have_attribute("aria-pressed", "true")
    assert places(page) == before

    button.click()
    page.locator(".only").wait_for(state="hidden")
    expect(page.locator(row("201")).first).to_be_visible()
    expect(button).to_have_attribute("aria-pressed", "false")
    assert places(page) == before


def places(page: Page) -> list[list[object]]:
    found: list[list[object]] = page.locator(".actions button:visible").evaluate_all(PLACES)
    return found


def test_the_button_leads_from_the_flat_view_into_the_branch_of_a_row(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.click("[data-sort=probability]")
    tab.page.locator(f"{row('201')} > .row .label").first.click()
    tab.page.click(BUTTON)
    tab.page.locator(".only", has_text="Only foodstuffs").wait_for()
