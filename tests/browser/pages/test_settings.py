"""The Settings page in a browser: a key is pressed, the colours are switched."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.support.browser.connection import Connection
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

APP = "[data-testid=stApp]"
IS_DARK = (
    f"Number(getComputedStyle(document.querySelector('{APP}')).backgroundColor"
    ".match(/[0-9]+/)[0]) < 60"
)
KEYS = ".keys-settings[data-ready=true]"


def test_a_pressed_key_is_kept_and_a_taken_one_refused(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server, color_scheme="light")
    page, connection = tab.page, Connection(tab.page)
    tab.open("settings")
    field = page.locator(f"{KEYS} tr[data-action=accept] input")
    field.focus()
    page.keyboard.press("j")
    page.wait_for_selector(f"{KEYS} tr[data-action=accept][data-key=j]")
    assert field.input_value() == "J"
    page.keyboard.press("r")
    page.get_by_role("alert").get_by_text("R is chosen twice").wait_for()
    page.reload()
    page.wait_for_selector(f"{KEYS} tr[data-action=accept][data-key=j]")
    page.get_by_role("button", name="Reset all keys").click()
    page.wait_for_selector(f"{KEYS} tr[data-action=accept][data-key=a]")
    a_key_that_is_typed_as_a_word_stays_while_another_row_is_answered(page, connection)
    the_colours_are_switched_for_all_pages(page, fake_server)


def a_key_that_is_typed_as_a_word_stays_while_another_row_is_answered(
    page: Page, connection: Connection
) -> None:
    page.focus(f"{KEYS} tr[data-action=accept] input")
    connection.holds_answers = True
    page.keyboard.press("j")
    page.focus(f"{KEYS} tr[data-action=reject] input")
    page.keyboard.insert_text("Shift+E")
    connection.release()
    page.wait_for_selector(f"{KEYS} tr[data-action=accept][data-key=j]")
    assert page.input_value(f"{KEYS} tr[data-action=reject] input") == "Shift+E"
    page.keyboard.press("Tab")
    page.wait_for_selector(f"{KEYS} tr[data-action=reject][data-key='Shift+E']")


def the_colours_are_switched_for_all_pages(page: Page, fake_server: Server) -> None:
    assert not page.evaluate(f"() => {IS_DARK}")
    page.get_by_role("tab", name="Appearance").click()
    page.get_by_role("radio", name="Dark").click()
    page.wait_for_function(f"() => document.querySelector('{APP}') && {IS_DARK}")
    page.goto(fake_server.url)
    page.wait_for_selector(".st-key-welcome")
    page.wait_for_function(f"() => {IS_DARK}")
