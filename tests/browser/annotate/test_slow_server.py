"""Clicks and typing on a page that a slow server is about to draw anew.

Each click does what it says, once, and what is typed stays where it is typed.
"""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenPage
from tests.support.browser.connection import Connection
from tests.support.browser.page import SUGGESTED, AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

BEING_READ = ".documents li .status:has-text('being read')"


def held_tab(server: Server, open_page: OpenPage) -> tuple[AnnotatePage, Connection]:
    """A tab whose messages can be held back."""
    tab = open_page(server)
    connection = Connection(tab.page)
    tab.open()
    return tab, connection


def read_unseen(tab: AnnotatePage, connection: Connection, title: str) -> None:
    """Have the tab show a document as being read, while the server has drawn it as read."""
    tab.page.fill(".st-key-new_title input", title)
    tab.page.fill(".st-key-new_text textarea", f"{title}: herring and sole.")
    tab.page.click(".st-key-suggest button")
    tab.page.wait_for_selector(BEING_READ)
    connection.holds_answers = True
    connection.wait_for_whole_runs()


def test_a_click_holds_though_what_it_was_on_is_gone_or_drawn_anew(
    reading_server: Server, open_page: OpenPage
) -> None:
    tab, connection = held_tab(reading_server, open_page)
    read_unseen(tab, connection, "First act")
    tab.page.hover(".documents li")
    tab.page.click(".documents li .remove")
    connection.release()
    tab.page.wait_for_selector(".removed:has-text('First act') button")

    tab.page.wait_for_selector(".st-key-new_title input")
    read_unseen(tab, connection, "Second act")
    tab.page.hover(".documents li .remove")
    tab.page.mouse.down()  # and the button is drawn anew before the release
    connection.release()
    tab.page.wait_for_selector(BEING_READ, state="detached")
    tab.page.mouse.up()
    tab.page.wait_for_selector(".removed:has-text('Second act') button")


def test_of_clicks_that_arrive_together_none_is_lost_or_done_twice(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab, connection = held_tab(fake_server, open_page)
    for name in ("fishing-quotas", "honey-labelling", "railway-ticketing"):
        if tab.page.locator(".st-key-new button").is_visible():
            tab.page.click(".st-key-new button")
        tab.open_example(name)
    connection.holds_requests = True
    listed = tab.page.locator(".documents li")
    for at in range(3):
        listed.nth(at).hover()
        listed.nth(at).locator(".remove").click()
    connection.release()
    tab.page.wait_for_selector(".documents:not(:has(li))")
    the_form_for_a_new_document_is_empty_after_a_long_text(tab, connection)
    the_cursor_is_in_the_title_however_long_the_form_takes_to_be_drawn(tab, connection)


def test_whoever_types_in_the_search_box_before_the_suggestions_come_decides_nothing(
    reading_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(reading_server)
    tab.page.fill(".st-key-new_title input", "Third act")
    tab.page.fill(".st-key-new_text textarea", "Herring and sole.")
    tab.page.click(".st-key-suggest button")
    tab.page.click("[role=combobox]:enabled")
    tab.page.keyboard.type("her")
    tab.wait_for_suggestions()
    tab.page.wait_for_selector(BEING_READ, state="detached")
    tab.page.keyboard.type("r")  # rejects in the tree
    assert tab.page.input_value("[role=combobox]") == "herr"
    assert "rejected" not in tab.states().values()


def form(tab: AnnotatePage) -> tuple[str, str]:
    """What stands in the form for a new document, once it is there."""
    tab.page.wait_for_selector(".st-key-new_text textarea")
    title = tab.page.input_value(".st-key-new_title input")
    return title, tab.page.input_value(".st-key-new_text textarea")


def the_form_for_a_new_document_is_empty_after_a_long_text(
    tab: AnnotatePage, connection: Connection
) -> None:
    n_characters = 300_000
    tab.paste(f"Act of {n_characters}", f"{n_characters} herring. " * (n_characters // 16))
    connection.holds_answers = True
    tab.page.click(".st-key-new button")
    connection.wait_for_whole_runs()
    connection.release()
    assert form(tab) == ("", "")
    tab.page.go_back()
    tab.page.wait_for_selector(f".reader h1:has-text('Act of {n_characters}')")
    tab.page.go_forward()
    assert form(tab) == ("", "")
    tab.page.reload()
    assert form(tab) == ("", "")


IN_TITLE = "() => document.activeElement?.getAttribute('placeholder') === 'Regulation … on …'"
LONGER_THAN_TRIED_MS = 6_000


def the_cursor_is_in_the_title_however_long_the_form_takes_to_be_drawn(
    tab: AnnotatePage, connection: Connection
) -> None:
    tab.open_example("fishing-quotas")
    tab.page.locator(SUGGESTED).first.focus()
    connection.holds_answers = True
    tab.page.keyboard.press("Shift+N")
    connection.wait_for_whole_runs()
    connection.release_all_but_the_end()
    tab.page.wait_for_function(IN_TITLE)
    tab.page.wait_for_timeout(LONGER_THAN_TRIED_MS)
    tab.page.evaluate("() => document.activeElement.blur()")  # as where a field is drawn once more
    connection.release()
    tab.page.wait_for_function(IN_TITLE)
