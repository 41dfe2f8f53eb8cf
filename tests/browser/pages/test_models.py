"""Another model takes the place of the one that serves, while a document is open elsewhere."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("single_thread")]

TITLE, TEXT = "Regulation on fish quota", "Fish quota in the bay, and honey. " * 4
PERCENTS = "[...document.querySelectorAll('*')].flatMap((e) => e.shadowRoot ? [...e.shadowRoot.querySelectorAll('.percent')] : []).map((e) => e.textContent).join()"


def serve(lead: AnnotatePage, name: str) -> None:
    lead.page.click(f"[class*=st-key-serve_][class*=_{name}] button")
    lead.page.click(".st-key-serve_confirmed button")
    lead.page.get_by_text(f"{name} is served now.").wait_for()


def test_models_are_exchanged_while_a_document_is_open(
    two_models_server: Server, open_page: OpenPage
) -> None:
    reader = open_page(two_models_server)
    reader.paste(TITLE, TEXT)
    before = reader.page.evaluate(PERCENTS)
    accepted, *_, other = reader.concept_ids()
    reader.decide(accepted, "accept")
    reader.wait_until_saved()
    reader.page.evaluate("window.neverReloaded = true")

    lead = open_page(two_models_server, "models")
    serve(lead, "second")
    lead.page.get_by_text("1 unfinished document was read by another model").first.wait_for()

    # The open document is told without a reload, and decisions go on as before.
    reader.page.wait_for_selector(".st-key-again button")
    reader.wait_until_settled()  # the button moves the tree, which may be drawn once more
    reader.page.wait_for_selector(
        f"[role=treeitem][data-concept='{accepted}'][data-state=accepted]"
    )
    assert reader.page.evaluate(PERCENTS) == before
    reader.decide(other, "reject")
    reader.wait_until_saved()

    reader.page.click(".st-key-again button")
    reader.page.wait_for_function(f"(before) => {PERCENTS} !== before", arg=before)
    reader.page.wait_for_selector(".st-key-again button", state="detached")
    states = reader.states()
    assert (states[accepted], states[other]) == ("accepted", "rejected")
    assert reader.page.evaluate("window.neverReloaded") is True
    assert [(action, concept) for _, _, action, concept in two_models_server.events()] == [
        ("accept", accepted),
        ("reject", other),
    ]

    two_models_server.kill()
    two_models_server.start(forked=True)
    two_models_server.wait_for_model()
    again = open_page(two_models_server, "models")
    again.page.get_by_text("served now").wait_for()
    assert "second" in again.page.inner_text(".st-key-models_page h2")
