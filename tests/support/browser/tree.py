"""The tree as a person works in it."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import Page

from core.documents.document import Document
from tests.browser.conftest import OpenPage
from tests.support.browser.documents import keep, keep_example
from tests.support.browser.page import AnnotatePage
from tests.support.browser.profile import WIDE
from tests.support.browser.server import Server


def row(concept_id: str) -> str:
    return f"[role=treeitem][data-concept='{concept_id}']"


def opened(server: Server, open_page: OpenPage, example: str = "fishing-quotas") -> AnnotatePage:
    """A tab at an example, without the way there over the page for new documents."""
    tab = open_page(server, keep_example(server, example))
    tab.wait_for_suggestions()
    return tab


class ActTab(AnnotatePage):
    """A tab that shows one copy of a document after the other, with its own decisions alone."""

    def __init__(self, page: Page, server: Server, document: Document, vocabulary: str) -> None:
        super().__init__(page, server.url)
        self.server, self.document, self.vocabulary = server, document, vocabulary
        self.n_opened = self.n_stored_before = 0

    def open_anew(self) -> None:
        """Leave the document, forget how it was looked at, and open another copy."""
        self.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        self.page.mouse.move(0, 0)
        if self.page.locator(".workbench").count():  # none where a test is tried once more
            self.wait_until_saved()
        self.n_opened += 1
        copy = f"copy-{self.n_opened}"
        keep(
            self.server,
            replace(self.document, document_id=copy),
            vocabulary=self.vocabulary,
        )
        self.n_stored_before = len(self.server.events())
        self.page.click(".st-key-new button")
        self.page.wait_for_selector(".st-key-welcome")
        self.page.wait_for_selector(".workbench", state="detached")
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.click(f".documents [data-document='{copy}'] a")
        self.wait_for_suggestions()

    def stored(self) -> list[tuple[str, str]]:
        """Actions and concepts of what was decided on this copy."""
        return stored(self.server)[self.n_stored_before :]


def go_to_example(tab: AnnotatePage, server: Server, example: str) -> None:
    tab.open(keep_example(server, example))
    tab.wait_for_suggestions()


def press(tab: AnnotatePage, *keys: str) -> None:
    for key in keys:
        tab.page.keyboard.press(key)


def stored(server: Server) -> list[tuple[str, str]]:
    return [(action, concept_id) for _, _, action, concept_id in server.events()]


def wait_for_state(tab: AnnotatePage, concept_id: str, state: str) -> None:
    tab.page.wait_for_selector(f'{row(concept_id)}[data-state="{state}"]')
