"""From the empty page into a document, and from one document to another, without a mouse."""

from __future__ import annotations

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

ACT = "on the quota\n\nFishing for herring is limited."
FOCUSED = "() => document.activeElement.closest('.st-key-new_title') !== null"
IN_NOTE = "((note) => document.activeElement.closest(note) !== null)"
PASTE = """(text) => { const data = new DataTransfer(); data.setData('text/plain', text);
    document.activeElement.blur();
    document.body.dispatchEvent(new ClipboardEvent('paste',
        { clipboardData: data, bubbles: true, cancelable: true })); }"""
PASTE_IN_TITLE = """(text) => { const data = new DataTransfer(); data.setData('text/plain', text);
    document.activeElement.dispatchEvent(new ClipboardEvent('paste',
        { clipboardData: data, bubbles: true, composed: true, cancelable: true })); }"""
DROP = """(text) => { const data = new DataTransfer();
    data.items.add(new File([text], 'act.txt', { type: 'text/plain' }));
    for (const kind of ['dragover', 'drop']) document.body.dispatchEvent(new DragEvent(kind,
        { dataTransfer: data, bubbles: true, cancelable: true })); }"""


def test_what_is_pasted_or_dropped_anywhere_becomes_a_document(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    what_is_pasted_into_a_field_stays_there(tab)
    the_focus_goes_to_the_answer_when_a_batch_is_asked_about(tab.page)
    for number, brought in enumerate([PASTE, PASTE_IN_TITLE, DROP]):
        tab.page.wait_for_function(FOCUSED)
        tab.page.evaluate(brought, f"Regulation {number}\n\nFishing is limited to {number} boats.")
        tab.page.locator(".reader h1", has_text=f"Regulation {number}").wait_for()
        expect(tab.page.locator(".reader .body")).to_contain_text(f"limited to {number} boats.")
        tab.wait_for_suggestions()
        tab.page.locator("[role=treeitem]").first.focus()
        tab.page.keyboard.press("Shift+N")


def what_is_pasted_into_a_field_stays_there(tab: AnnotatePage) -> None:
    title, text = ".st-key-new_title input", ".st-key-new_text textarea"
    tab.page.wait_for_function(FOCUSED)
    tab.page.fill(text, "Half an act")
    tab.page.evaluate(PASTE, "another half")
    assert tab.page.input_value(text) == "Half an act"
    tab.page.focus(title)
    tab.page.evaluate(PASTE_IN_TITLE, ACT)  # beside what is there already
    assert tab.page.input_value(text) == f"Half an act\n\n{ACT}"
    assert tab.page.locator(".reader").count() == 0
    for field in (text, title):
        tab.page.fill(field, "")


def the_focus_goes_to_the_answer_when_a_batch_is_asked_about(page: Page) -> None:
    page.wait_for_function(FOCUSED)
    rows = {"name": "acts.csv", "mimeType": "text/csv", "buffer": b"title,text\nA,Fish\nB,Bees\n"}
    page.set_input_files(".st-key-uploads input", rows)
    expect(page.locator(".st-key-batch_add button")).to_be_focused()
    page.locator(".st-key-batch_cancel button").focus()
    page.keyboard.press("Enter")


def fill_form(page: Page) -> None:
    """Type a title and a text, and leave the cursor in the text."""
    page.wait_for_function(FOCUSED)
    page.keyboard.type("The fishing quota")
    page.keyboard.press("Tab")
    page.keyboard.type("Fishing is limited.")


def expect_form(page: Page) -> None:
    expect(page.locator(".st-key-new_title input")).to_have_value("The fishing quota")
    expect(page.locator(".st-key-new_text textarea")).to_have_value("Fishing is limited.")


def test_the_form_survives_a_reload_until_it_is_sent(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    fill_form(tab.page)
    for _ in range(2):  # the second one before the form is drawn
        tab.page.reload(wait_until="domcontentloaded")
    expect_form(tab.page)
    tab.page.wait_for_function(FOCUSED)
    tab.page.get_by_role("link", name="Documents").click()
    tab.page.wait_for_selector(".shelf[data-ready=true]")
    tab.page.reload()
    tab.page.wait_for_selector(".shelf[data-ready=true]")
    tab.page.get_by_role("link", name="Annotate").click()
    expect_form(tab.page)
    tab.page.click(".st-key-suggest button")
    tab.wait_for_suggestions()
    assert "Fishing is limited." in tab.page.inner_text(".reader .body")
    tab.page.reload()
    tab.wait_for_suggestions()
    tab.page.keyboard.press("Shift+N")
    tab.page.wait_for_function(FOCUSED)
    tab.wait_until_settled()
    expect(tab.page.locator(".st-key-new_title input")).to_have_value("")


def test_a_note_of_a_patient_is_asked_about_and_kept_in_no_browser(
    coding_server: Server, open_page: OpenPage
) -> None:
    page = open_page(coding_server).page
    fill_form(page)
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.reload()
    page.wait_for_function(FOCUSED)
    assert asked == ["beforeunload"]
    assert "limited" not in page.evaluate("() => JSON.stringify({...sessionStorage})")
    for number in (1, 2):  # the cursor goes to a note that is added
        page.locator(".st-key-note_add button").press("Enter")
        page.wait_for_function(f"() => {IN_NOTE}('.st-key-note_{number}')")
        assert page.evaluate("document.activeElement.getAttribute('role')") == "combobox"


def test_keys_lead_to_a_new_document_and_to_the_next_unfinished_one(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    tab.page.wait_for_function(FOCUSED)
    tab.page.keyboard.type("The first")
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.type("Fishing is limited.")
    tab.page.keyboard.press("Control+Enter")
    tab.wait_for_suggestions()
    expect(tab.page.locator(".reader .body")).to_contain_text("Fishing is limited.")
    tab.page.keyboard.press("Shift+N")
    tab.page.wait_for_function(FOCUSED)
    tab.paste("The second", "Fishing for herring.")
    tab.page.locator("[role=treeitem]").first.focus()
    tab.page.keyboard.press("s")
    tab.page.locator(".reader h1", has_text="The first").wait_for()
    # The keys go to a document that is opened from the list, too.
    tab.page.keyboard.press("Shift+N")
    tab.page.wait_for_function(FOCUSED)
    tab.page.get_by_role("link", name="The first").focus()
    tab.page.keyboard.press("Enter")
    tab.page.locator(".reader h1", has_text="The first").wait_for()
    expect(tab.page.locator("[role=treeitem]:focus")).to_have_count(1)
    tab.page.keyboard.press("a")
    tab.page.wait_for_selector("[role=treeitem][data-state=accepted]")


SEA, BEES = "Fishing for herring is limited.", "Honey comes from bees. Fishing for herring."


def test_the_documents_of_a_branch_follow_each_other_and_show_nothing_else(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    for number, text in enumerate((SEA, "The railway runs.", BEES)):
        tab.paste(f"Act {number}", text)
        tab.page.locator("[role=treeitem]").first.focus()
        tab.page.keyboard.press("Shift+N")
        tab.page.wait_for_function(FOCUSED)
    tab.paste("Act 3", "Sea fish and honey.")
    tab.page.locator('[role=treeitem][data-concept="m1"]').first.focus()
    tab.page.keyboard.press("o")
    tab.page.locator(".only", has_text="Only fisheries").wait_for()
    assert "branch=m1" in tab.page.url
    assert tab.page.locator('[role=treeitem][data-concept="m2"]').count() == 0
    assert tab.page.locator('[role=treeitem][data-concept="103"]').count() == 1
    seen = [tab.page.inner_text(".reader h1")]
    for _ in range(2):
        tab.page.keyboard.press("s")
        tab.page.wait_for_function(
            f"() => ![{', '.join(map(repr, seen))}].includes(document.body && "
            "[...document.querySelectorAll('*')].map((host) => host.shadowRoot && "
            "host.shadowRoot.querySelector('.reader h1')).find(Boolean)?.textContent)"
        )
        tab.wait_for_suggestions()
        seen.append(tab.page.inner_text(".reader h1"))
    assert "Only fisheries" in tab.page.inner_text(".only")
    tab.page.locator("[role=treeitem]").first.focus()
    tab.page.keyboard.press("Escape")
    tab.page.locator(".only").wait_for(state="hidden")
    assert "branch=" not in tab.page.url
    tab.page.locator('[role=treeitem][data-concept="201"]').first.wait_for()
