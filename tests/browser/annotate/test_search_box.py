"""The search box beyond labels: what the model suggests for the words, and what was used here."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenPage
from tests.support.browser.server import Server
from tests.support.browser.tree import ActTab, opened

pytestmark = pytest.mark.browser

OPTION = "[role=option]:not(.propose)"


def test_what_the_model_suggests_for_the_words_comes_after_what_they_name(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.fill("[role=combobox]", "fishing boats")
    related = tab.page.locator(f"{OPTION}:has(.word:text-is('related'))")
    related.first.wait_for()
    options = tab.page.locator(OPTION).all_inner_texts()
    marked = ["related" in option for option in options]
    assert marked == sorted(marked)
    assert any("fishing" in option for option in options)


def test_an_empty_box_offers_what_was_used_here_and_takes_it(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)  # where nobody has searched: what was used is kept a while
    tab.decide("101", "accept")
    tab.wait_until_saved()
    tab.page.click(".st-key-new button")
    tab.paste("Another act", "About trains.")
    tab.page.click("[role=combobox]")
    tab.page.locator(OPTION, has_text="fishing quota").wait_for()
    assert "Used here recently and often" in tab.page.inner_text("[role=listbox]")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector("[role=treeitem][data-concept='101'][data-state=accepted]")


def test_enter_without_a_choice_says_what_to_press_and_down_goes_to_the_first_hit(
    act_tab: ActTab,
) -> None:
    tab = act_tab
    tab.page.fill("[role=combobox]", "hering")
    tab.page.locator(OPTION).first.wait_for()
    tab.page.keyboard.press("Enter")
    note = tab.page.locator("[role=listbox] .note")
    note.wait_for()
    assert "Choose one with ↓ first" in note.inner_text()
    assert "accepted" not in tab.states().values()

    # What is highlighted by itself is still the first that ↓ goes to; the proposal is after it.
    tab.page.fill("[role=combobox]", "herring")
    tab.page.wait_for_selector("#hit-0[aria-selected=true]:has-text('herring')")
    assert tab.page.locator(OPTION).count() == 1
    tab.page.keyboard.press("ArrowDown")
    assert tab.page.get_attribute("#hit-0", "aria-selected") == "true"
    tab.page.keyboard.press("ArrowDown")
    assert tab.page.get_attribute(".propose", "aria-selected") == "true"
    tab.page.keyboard.press("ArrowUp")
    tab.page.keyboard.press("Enter")
    tab.wait_until_saved()
    assert tab.stored() == [("accept", "102")]
