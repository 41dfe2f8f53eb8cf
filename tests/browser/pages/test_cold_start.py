"""A vocabulary that no model knows: suggested from at once, and better with what is finished."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.review.decisions.recording import Operation
from core.review.reports.finished import taught_versions
from core.review.store.arrivals import add_document
from core.review.store.projects import list_projects
from core.review.store.store import Store
from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server
from tests.support.garden import SLUGS, turtle
from tests.support.stores import send

pytestmark = pytest.mark.browser

N_BY_HAND = 2
SLIMY = "Slimy visitors ate more lettuce, new traps were set"


def test_a_thesaurus_is_suggested_from_and_learned(
    fake_server: Server, open_page: OpenPage, tmp_path: Path
) -> None:
    tab = open_page(fake_server, "vocabulary")
    take(tab.page, tmp_path / "garden.ttl")
    expect(tab.page.get_by_text("No model has learned this vocabulary")).to_be_visible()

    annotate(tab.page)
    tab.paste("Sharpening a lawn mower", "The lawn-mowers of two gardens, and a rake.")
    assert {row.label for row in tab.rows()} == {"lawn mower", "lawn", "rake"}
    expect(tab.page.locator("[data-concept=lawn-mower] > .row")).to_contain_text("by name")

    for number, slug in enumerate(SLUGS[:N_BY_HAND]):
        read(tab, slug.document.title)
        if not number:
            assert tab.rows() == []
            search(tab.page, "snail")
        else:
            tab.decide("snail", "accept")
        tab.wait_until_saved()
        tab.page.click("[data-command=finish]")
        tab.page.wait_for_selector(".workbench[data-finished=true], .st-key-new_text textarea")
    finish_the_others(fake_server)
    fake_server.kill()
    fake_server.start()

    tab.open("?project=2")
    read(tab, SLIMY)
    (snail,) = tab.rows()
    assert (snail.concept_id, snail.state) == ("snail", "unresolved")
    assert int(snail.percent.rstrip("%")) > 50

    reopen_all(fake_server)
    tab.page.reload()
    tab.wait_until_settled()
    tab.page.wait_for_selector(".tree-empty, .empty")
    assert tab.rows() == []


def take(page: Page, file: Path) -> None:
    """Import the thesaurus, and take it into use."""
    file.write_text(turtle(), "utf-8")
    page.click("[role=tab]:has-text('Versions')")
    page.set_input_files("input[type=file]", file)
    page.get_by_text("was read in").wait_for()
    page.click(".st-key-vocabulary_take button")


def annotate(page: Page) -> None:
    page.get_by_role("link", name="Annotate", exact=True).click()
    page.wait_for_selector(".st-key-new_text textarea")


def read(tab: AnnotatePage, title: str) -> None:
    """Add a document by its title."""
    tab.page.click(".st-key-new button")
    tab.page.fill(".st-key-new_title input", title)
    tab.page.click(".st-key-suggest button")
    tab.page.wait_for_function(
        "(title) => [...document.querySelectorAll('*')].some((host) => host.shadowRoot &&"
        " host.shadowRoot.textContent.includes(title))",
        arg=title,
    )
    tab.wait_until_settled()


def search(page: Page, label: str) -> None:
    """Add a concept that is not suggested."""
    page.fill("[role=combobox]", label)
    page.wait_for_selector(f"[role=listbox][data-query='{label}'] [role=option] .head")
    page.keyboard.press("Enter")


def finish_the_others(server: Server) -> None:
    """Finish the rest of ten documents, as somebody else does."""
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    (garden,) = (row for row in list_projects(store) if row.vocabulary_id == "garden")
    for slug in SLUGS[N_BY_HAND:]:
        add_document(store, slug.document, project_id=garden.project_id)
        name = slug.document.document_id
        decided = (Operation(1, "add", "snail"), Operation(2, "finish", None))
        send(store, *decided, client_id=name, document_id=name)
    store.close()


def reopen_all(server: Server) -> None:
    """Reopen what was finished, as if it had been by mistake."""
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    (garden,) = (row for row in list_projects(store) if row.vocabulary_id == "garden")
    for name in taught_versions(store, garden.project_id):
        send(store, Operation(9, "reopen", None), client_id=f"again-{name}", document_id=name)
    store.close()
