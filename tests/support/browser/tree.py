"""The tree as a person works in it."""

from __future__ import annotations

from tests.browser.conftest import OpenPage
from tests.support.browser.documents import keep_example
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server


def row(concept_id: str) -> str:
    return f"[role=treeitem][data-concept='{concept_id}']"


def opened(server: Server, open_page: OpenPage, example: str = "fishing-quotas") -> AnnotatePage:
    """A tab at an example, without the way there over the page for new documents."""
    tab = open_page(server, keep_example(server, example))
    tab.wait_for_suggestions()
    return tab


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
