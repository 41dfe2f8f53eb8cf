"""What a person sees and does on the Annotate page, with the fake model."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Route

from tests.browser.conftest import OpenPage
from tests.support.browser.server import Server
from tests.support.browser.tree import opened

pytestmark = pytest.mark.browser

N_KEYS = 50
PRESS_KEYS = """([n, pause]) => {
    let active = document.activeElement;
    const focused = () => {
        let node = document.activeElement;
        while (node.shadowRoot && node.shadowRoot.activeElement) node = node.shadowRoot.activeElement;
        return node;
    };
    for (let at = 0; at < n; at++) setTimeout(() => focused().dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ar'[at % 2], bubbles: true, composed: true })), at * pause);
    return new Promise((done) => setTimeout(done, n * pause));
}"""


def test_a_burst_of_keys_is_stored_to_the_last(fake_server: Server, open_page: OpenPage) -> None:
    tab = opened(fake_server, open_page)
    tab.page.focus("[role=treeitem][data-concept='202']")
    tab.page.evaluate(PRESS_KEYS, [N_KEYS, 10])  # returns after the last
    tab.wait_until_saved()
    stored = fake_server.events()
    assert [sequence for _, sequence, _, _ in stored] == list(range(1, N_KEYS + 1))
    assert [action for _, _, action, _ in stored] == ["accept", "reject"] * (N_KEYS // 2)


def test_enter_takes_what_was_typed_not_what_was_found_before(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    tab.page.fill("[role=combobox]", "fish")
    tab.page.wait_for_selector("[role=option]")
    assert "travel ticket" not in tab.page.inner_text("[role=listbox]")

    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    tab.page.route(re.compile(r"[?&]q=t"), late)
    tab.page.focus("[role=combobox]")
    tab.page.keyboard.press("Control+A")
    tab.page.keyboard.type("trai")
    tab.page.keyboard.press("Enter")
    # Whoever goes on at once loses neither what was typed nor its place before what follows.
    tab.page.focus("[role=treeitem][data-concept='102']")
    tab.page.keyboard.press("a")
    tab.page.wait_for_selector("[role=treeitem][data-concept='302'][data-state=accepted]")
    tab.wait_until_saved()
    assert [(a, c) for _, _, a, c in fake_server.events()] == [("accept", "302"), ("accept", "102")]


def test_the_slider_chooses_how_many_and_never_hides_a_decision(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    assert len(tab.concept_ids()) == 9
    tab.decide("302", "reject")
    tab.page.focus(".slider")
    for _ in range(8):
        tab.page.keyboard.press("ArrowLeft")
    assert tab.page.inner_text(".shown-count") == "1 of 9"
    assert tab.concept_ids() == ["202", "302"]
    assert tab.summary == "0 accepted · 1 rejected · 1 unresolved"
    tab.wait_until_saved()
    tab.page.reload()
    tab.wait_for_suggestions()
    assert tab.concept_ids() == ["202", "302"]


def test_decisions_go_on_while_the_server_is_away_for_longer(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    tab.page.focus("[role=treeitem][data-concept='202']")
    fake_server.kill()
    tab.page.wait_for_timeout(9_000)  # Streamlit has put its dialog over the page by now
    tab.page.keyboard.press("a")
    tab.decide("101", "reject")
    assert tab.summary == "1 accepted · 1 rejected · 7 unresolved"
    fake_server.start()
    tab.wait_until_saved()
    assert tab.badge == "Saved"
    assert [(a, c) for _, _, a, c in fake_server.events()] == [("accept", "202"), ("reject", "101")]
