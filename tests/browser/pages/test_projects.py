"""The menu of projects: absent for one, and by keyboard from one to the other and back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.support.browser.keyboard_user import KeyboardUser
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

MENU = ".st-key-project button"


def make(page: Page, name: str, vocabulary: str) -> None:
    """A project of the list, under Settings > Projects."""
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("tab", name="Projects").click()
    page.fill(".st-key-project_name input", name)
    page.get_by_role("combobox", name="Vocabulary").fill(vocabulary)
    page.get_by_role("option", name=vocabulary).click()
    page.click(".st-key-make_project button")
    page.wait_for_selector(f"[class*=st-key-project_]:has-text('{name}'):has-text('open')")
    page.get_by_role("link", name="Annotate").click()
    page.wait_for_selector(f"{MENU}:has-text('{name}')")


def add(page: Page, title: str) -> None:
    page.fill(".st-key-new_title input", title)
    page.fill(".st-key-new_text textarea", "It was quiet.")
    page.click(".st-key-suggest button")
    page.wait_for_selector(listed(title))


def listed(title: str) -> str:
    return f"nav.documents li:has-text('{title}')"


def switch(user: KeyboardUser, name: str) -> None:
    """Open another project, by the menu in the sidebar and the keyboard alone."""
    user.page.focus(MENU)
    user.press("Enter")
    user.page.wait_for_selector("[data-testid=stPopoverBody] [class*=st-key-open_project] button")
    user.tab_to("button", name)
    user.press("Enter")
    user.page.wait_for_selector(f"{MENU}:has-text('{name}')")


def test_projects_are_switched_by_keyboard_and_each_has_its_documents(
    server_with_lists: Server, open_page: OpenPage
) -> None:
    tab = open_page(server_with_lists)
    tab.open_example("fishing-quotas")
    page, user = tab.page, KeyboardUser(tab.page)
    assert not page.locator(MENU).count()  # there is but one project

    make(page, "Ward 7", "ward-list")
    add(page, "Night shift")
    make(page, "Kitchen", "meal-list")
    add(page, "Sunday lunch")
    assert not page.locator(listed("Night shift")).count()

    switch(user, "Ward 7")
    page.wait_for_selector(listed("Night shift"))
    assert not page.locator(listed("Sunday lunch")).count()
    switch(user, "Kitchen")
    page.wait_for_selector(listed("Sunday lunch"))
    assert not page.locator(listed("Night shift")).count()
