"""A thesaurus without a model ends with one of its own: retrained, taken, and taken back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

TITLE = "Slimy visitors ate more lettuce, new traps were set"


def test_a_model_is_retrained_taken_and_taken_back(
    garden_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(garden_server, "models")
    tab.page.get_by_role("button", name="Retrain").click()
    expect(tab.page.get_by_text("you can go on working meanwhile")).to_be_visible()
    garden_server.kill()
    garden_server.start(forked=True)

    tab.open("models")
    offer = tab.page.get_by_text("A retrained model is offered")
    expect(offer).to_be_visible(timeout=120_000)
    expect(tab.page.get_by_text("Too few documents to say which is better")).to_be_visible()
    tab.page.get_by_text("Where they differ").click()
    expect(tab.page.get_by_text("assigned 1 to 9 times")).to_be_visible()

    tab.page.get_by_role("button", name="Take this model").click()
    expect(tab.page.get_by_text("garden is served now.")).to_be_visible()
    expect(offer).to_have_count(0)
    expect(tab.page.get_by_text("13 documents", exact=True)).to_be_visible()
    assert percent(tab, "Monday") > 50

    tab.page.get_by_role("link", name="Models", exact=True).click()
    tab.page.get_by_text("Changes of the model").click()
    expect(tab.page.get_by_text("retrained from 13 finished documents: nDCG@5")).to_be_visible()
    tab.page.get_by_role("button", name="Go back to").click()
    expect(tab.page.get_by_text("Labels and decisions alone suggest from now on.")).to_be_visible()
    expect(tab.page.get_by_text("The open project has no model.")).to_be_visible()
    tab.page.get_by_text("Changes of the model").click()
    expect(tab.page.get_by_text("went back")).to_be_visible()


def percent(tab: AnnotatePage, day: str) -> int:
    """Have a note read, and return how probable it is that it is about snails."""
    tab.page.get_by_role("link", name="Annotate", exact=True).click()
    open_form(tab.page)
    tab.page.fill(".st-key-new_title input", f"{TITLE} on {day}")
    tab.page.click(".st-key-suggest button")
    row = tab.page.locator("[data-concept=snail] > .row .percent").first
    expect(row).to_have_text(re.compile(r"\d%"))  # once the note is read
    return int(row.inner_text().rstrip("%"))


def open_form(page: Page) -> None:
    """Wait for the form of a new document, which stands open where none was opened before."""
    page.wait_for_selector(".st-key-new button, .st-key-new_title input")
    if page.locator(".st-key-new_title input").count() == 0:
        page.click(".st-key-new button")
        page.wait_for_selector(".st-key-new_title input")
