"""A model that gets better with what is finished, as long as somebody wants it to."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.predictions import save_prediction
from core.review.store.projects import list_projects
from core.review.store.store import Store
from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.stores import send

pytestmark = pytest.mark.browser

SLIMY = "Slimy visitors ate more lettuce, new traps were set"


def test_finished_documents_correct_the_model_until_that_is_switched_off(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    tab.paste(f"{SLIMY} on Monday", "")
    alone = percent(tab, "104")
    assert alone < 10
    finish_ten(fake_server)

    another(tab, f"{SLIMY} on Tuesday")
    learned = percent(tab, "104")
    assert learned >= 3 * alone
    tab.page.locator("[data-concept='104'] > .row .label").first.click()
    tab.page.click(".card-panel summary")
    expect(tab.page.locator(".card")).to_contain_text("after correction by decisions here")
    expect(tab.page.locator(".card")).to_contain_text("10 documents of all that are finished here")

    switch(tab.page, "10 finished documents in this project.")
    expect(tab.page.get_by_text("10 finished documents in this project.")).to_have_count(0)
    tab.page.get_by_role("link", name="Annotate", exact=True).click()
    another(tab, f"{SLIMY} on Wednesday")
    # The tree follows the text, some frames later on a busy machine.
    expect(percent_of(tab, "104")).to_have_text(f"{alone}%")


def percent(tab: AnnotatePage, concept_id: str) -> int:
    return int(percent_of(tab, concept_id).inner_text().rstrip("%"))


def percent_of(tab: AnnotatePage, concept_id: str) -> Locator:
    return tab.page.locator(f"[data-concept='{concept_id}'] > .row .percent").first


def another(tab: AnnotatePage, title: str) -> None:
    """Add a document by its title."""
    tab.page.click(".st-key-new button")
    tab.page.wait_for_selector(".st-key-new_title input")
    tab.paste(title, "")
    tab.page.wait_for_function(
        "(title) => [...document.querySelectorAll('*')].some((host) => host.shadowRoot &&"
        " host.shadowRoot.textContent.includes(title))",
        arg=title,
    )
    tab.wait_until_settled()


def switch(page: Page, said: str) -> None:
    """Go to the models, read what is said of learning there, and switch it off."""
    page.get_by_role("link", name="Models", exact=True).click()
    expect(page.get_by_text(said)).to_be_visible()
    page.get_by_text("Learn from finished documents").click()


def finish_ten(server: Server) -> None:
    """Finish ten documents that read alike, as somebody else does."""
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    (project,) = list_projects(store)
    model = FakePredictor(hierarchy())
    for number in range(10):
        name = f"slug-{number}"
        document = Document.from_text(name, f"Slimy visitors ate the lettuce in week {number}", "")
        add_document(store, document, project_id=project.project_id)
        save_prediction(store, name, model.suggest(document), settings={})
        decided = (Operation(1, "add", "104"), Operation(2, "finish", None))
        send(store, *decided, client_id=name, document_id=name)
    store.close()
