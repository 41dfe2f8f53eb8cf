"""What the notes deny: folded in one group at the end of the tree, and waiting for nobody."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.support.browser import tree
from tests.support.browser.keyboard_user import KeyboardUser
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser


def test_what_is_denied_is_folded_counts_nowhere_and_can_be_accepted(
    coding_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(coding_server, "?document=encounter-1")
    tab.wait_for_suggestions()
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
    assert tree.stored(coding_server) == [("accept", "E10.9")]
