"""Giving a document another title, above its text."""

from __future__ import annotations

import pytest

from core.review.reports.summaries import list_documents
from core.review.store.documents import fetch_document, set_title
from core.review.store.store import Store
from tests.browser.conftest import OpenPage
from tests.support.browser.connection import Connection
from tests.support.browser.page import READ_ROWS, AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

FIELD = ".reader .titled textarea"
IN_FOCUS = """(name) => { let at = document.activeElement;
    while (at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
    return at.matches(name); }"""
PASTE = """(text) => { const data = new DataTransfer(); data.setData('text/plain', text);
    let at = document.activeElement;
    while (at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
    at.dispatchEvent(new ClipboardEvent('paste',
        { clipboardData: data, bubbles: true, composed: true, cancelable: true })); }"""
NAME = "THE EUROPEAN COMMISSION"


def begin(tab: AnnotatePage) -> None:
    """Open a document whose title says nothing, and the field for another."""
    tab.paste(NAME, "Vessels land sole in the bay.")
    tab.page.click(".reader .edit")
    tab.page.wait_for_function(IN_FOCUS, arg="textarea")
    assert tab.page.input_value(FIELD) == NAME


def heading(tab: AnnotatePage) -> str:
    return tab.page.inner_text(".reader h1")


def test_another_title_stands_everywhere_and_brings_other_suggestions(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    begin(tab)
    tab.page.keyboard.type("n/p [")
    assert tab.page.input_value(FIELD) == "n/p [", "letters are no commands here"
    tab.page.keyboard.press("Escape")
    assert heading(tab) == NAME
    assert tab.page.evaluate(IN_FOCUS, ".edit")
    tab.page.keyboard.press("Enter")
    tab.page.fill(FIELD, "  ")
    assert tab.page.is_disabled(".reader .save")
    assert "needs a title" in tab.page.inner_text(".reader .said")
    tab.page.press(FIELD, "Enter")
    assert tab.page.is_visible(FIELD)
    tab.page.click(".reader .cancel")
    assert heading(tab) == NAME
    tab.page.click(".reader .edit")
    before = {row.concept_id: row.percent for row in tab.rows()}
    tab.decide("103", "accept")
    tab.wait_until_saved()
    tab.page.fill(FIELD, "A fishing quota\nfor herring")
    tab.page.press(FIELD, "Enter")
    tab.page.locator(".reader h1", has_text="A fishing quota for herring").wait_for()
    tab.page.wait_for_function(IN_FOCUS, arg=".edit")
    tab.page.locator(".documents li", has_text="A fishing quota for herring").wait_for()
    tab.page.wait_for_function(
        f"(was) => ({READ_ROWS})().some((row) => row.concept_id === '101' && row.percent !== was)",
        arg=before["101"],
    )
    assert tab.states()["103"] == "accepted"
    tab.page.click(".reader .edit")
    tab.page.fill(FIELD, "A fishing quota for Pe\u0302che")  # stored in other signs
    tab.page.press(FIELD, "Enter")
    tab.page.locator(".reader h1", has_text="A fishing quota for Pêche").wait_for()
    tab.page.click(".reader .edit")
    tab.page.fill(FIELD, "A fishing quota for herring")
    tab.page.click(".reader .save")
    tab.page.locator(".reader h1", has_text="A fishing quota for herring").wait_for()
    tab.page.wait_for_function(IN_FOCUS, arg=".edit")
    tab.page.reload()
    tab.wait_for_suggestions()
    assert heading(tab) == "A fishing quota for herring"
    tab.page.click(".reader .edit")
    tab.page.wait_for_function(IN_FOCUS, arg="textarea")
    tab.page.evaluate(PASTE, "Vessels land herring. " * 30)  # a text, and no title
    tab.page.locator(".reader .body", has_text="Vessels land herring.").wait_for()


def test_what_is_typed_while_a_title_is_saved_stays_in_the_field(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    connection = Connection(tab.page)
    tab.open()
    begin(tab)
    save_unanswered(tab, connection)
    tab.page.press(FIELD, "End")
    tab.page.keyboard.type(" for herring")
    connection.release()
    tab.page.wait_for_selector(".reader .save:enabled")
    assert tab.page.input_value(FIELD) == "A fishing quota for herring"
    assert tab.page.evaluate(IN_FOCUS, "textarea")
    tab.page.keyboard.press("Enter")
    tab.page.locator(".reader h1", has_text="A fishing quota for herring").wait_for()

    # So does a field that is opened again meanwhile.
    tab.page.wait_for_function(IN_FOCUS, arg=".edit")
    tab.page.click(".reader .edit")
    save_unanswered(tab, connection)
    tab.page.keyboard.press("Escape")
    tab.page.click(".reader .edit")
    connection.release()
    tab.page.wait_for_selector(".reader .save:enabled")
    assert tab.page.input_value(FIELD) == "A fishing quota"
    assert tab.page.evaluate(IN_FOCUS, "textarea")


def save_unanswered(tab: AnnotatePage, connection: Connection) -> None:
    """Send a title, while the answer is held back."""
    tab.page.fill(FIELD, "A fishing quota")
    connection.holds_answers = True
    tab.page.press(FIELD, "Enter")
    connection.wait_for_whole_runs()


def test_another_title_leaves_whoever_steps_through_the_text_where_they_are(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    tab.paste(NAME, "Sole is landed. Sole is sold. Sole is weighed.")
    tab.page.fill(".reader .find input", "sole")
    tab.page.locator(".reader .count", has_text="1 of 3").wait_for()
    tab.page.press(".reader .find input", "Enter")
    tab.page.click(".reader .edit")
    tab.page.fill(FIELD, "A fishing quota")
    tab.page.press(FIELD, "Enter")
    tab.page.locator(".reader h1", has_text="A fishing quota").wait_for()
    assert tab.page.inner_text(".reader .count") == "2 of 3"


def test_a_draft_waits_for_its_document_and_overwrites_nothing_unseen(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    begin(tab)
    store = Store.open(f"sqlite:///{fake_server.home}/strata.sqlite")
    (document,) = list_documents(store, 1)
    set_title(store, document.document_id, "On sole")
    tab.page.fill(FIELD, "A fishing quota")
    tab.after_run(lambda: tab.page.click(".st-key-new button"))
    tab.page.wait_for_selector(FIELD, state="hidden")  # a moment after the run
    tab.page.locator(".documents li a", has_text="On sole").click()
    tab.page.wait_for_selector(FIELD)
    tab.page.press(FIELD, "Enter")
    tab.page.locator("[data-testid=stAlert]", has_text="was changed elsewhere").wait_for()
    assert tab.page.input_value(FIELD) == "A fishing quota"
    tab.page.wait_for_selector(".reader .save:enabled")  # the reader hears of it behind the page
    tab.page.press(FIELD, "Enter")
    tab.page.locator(".reader h1", has_text="A fishing quota").wait_for()
    assert fetch_document(store, document.document_id).title == "A fishing quota"

    # It is done with where its document has that title by now.
    tab.page.wait_for_function(IN_FOCUS, arg=".edit")
    tab.page.click(".reader .edit")
    tab.page.fill(FIELD, "On  honey")
    set_title(store, document.document_id, "On honey")
    store.close()
    tab.page.click(".st-key-new button")
    tab.page.locator(".documents li a", has_text="On honey").click()
    tab.page.locator(".reader h1", has_text="On honey").wait_for()
