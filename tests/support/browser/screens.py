"""Every page and state that a person sees, and how to get there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page

from pages.navigation import screen as page_file
from tests.support.browser.acts import HERRING, TICKETS
from tests.support.browser.page import PATIENCE_MS, SETTLED, SUGGESTED
from tests.support.browser.server import Server

WIDE = {"width": 1440, "height": 900}
MOST_ROWS = 30


def as_it_is(_: Page) -> None:
    """Nothing to do."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A page in one of its states.

    Attributes:
        path: after the server's address.
        ready: what is on it when it can be used.
        prepare: what a person does to come to this state.
        part: what this state adds to the page of another screen, or "" for a page of its own.
    """

    name: str
    path: str
    ready: str
    prepare: Callable[[Page], None] = as_it_is
    part: str = ""


def press(*keys: str) -> Callable[[Page], None]:
    """Press keys on the first suggestion."""

    def prepare(page: Page) -> None:
        page.locator(SUGGESTED).first.focus()
        for key in keys:
            page.keyboard.press(key)

    return prepare


def go_to_next(page: Page) -> None:
    """Go to the next suggestion, and wait for its evidence, which a narrow screen folds away."""
    press("n")(page)
    shown = ".evidence:not([hidden])"
    found = f"{shown} .passage, {shown}:has-text('No passage stands out')"
    page.wait_for_selector(found, state="attached")


def search(query: str) -> Callable[[Page], None]:
    """Type into the search box of the tree."""

    def prepare(page: Page) -> None:
        page.locator(SUGGESTED).first.focus()
        page.keyboard.press("/")
        page.keyboard.type(query)
        page.wait_for_selector("[role=option]")

    return prepare


def back_off(page: Page) -> None:
    """Ask for the broader concept on the first row that has one."""
    page.locator(SUGGESTED).first.focus()
    for _ in range(MOST_ROWS):
        page.keyboard.press("b")
        if page.locator(".prompt:visible").count():
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError("no row has a broader concept that can be assigned")


def open_branches(page: Page) -> None:
    """Open the first branches of the vocabulary, and select what is in them."""
    page.locator("[role=treeitem]").first.focus()
    for level in (1, 2):
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f"[role=treeitem][aria-level='{level + 1}']")
        page.keyboard.press("ArrowDown")
    page.wait_for_timeout(500)  # for its card


def click(selector: str, then: str) -> Callable[[Page], None]:
    """Click something, and wait for what it brings."""

    def prepare(page: Page) -> None:
        page.click(selector)
        page.wait_for_selector(then)

    return prepare


def open_card(page: Page) -> None:
    """Open the card of the first suggestion."""
    page.locator(SUGGESTED).first.focus()
    click(".card-panel summary", ".card-panel[open] .card > *")(page)


def draw_chart(page: Page) -> None:
    """Have the chart drawn; on a narrow screen, its button stands in the folded sidebar."""
    if page.locator("[data-testid=stExpandSidebarButton]").is_visible():
        page.click("[data-testid=stExpandSidebarButton]")
    click(".st-key-chart button", "[data-testid=stPlotlyChart]")(page)


BEGUN = f"?document={HERRING.name}"
FINISHED = f"?document={TICKETS.name}"
ALL = (
    Screen("start", "", ".st-key-welcome"),
    Screen("annotate", BEGUN, SUGGESTED, go_to_next),
    Screen("help", BEGUN, SUGGESTED, press("?"), "dialog.help"),
    Screen("card", BEGUN, SUGGESTED, open_card, ".card-panel"),
    Screen("back-off", BEGUN, SUGGESTED, back_off, ".prompt"),
    Screen("search", BEGUN, SUGGESTED, search("food"), "[role=listbox]"),
    Screen("chart", BEGUN, SUGGESTED, draw_chart),
    Screen("finished", FINISHED, SUGGESTED),
    Screen("documents", "documents", "tbody tr"),
    Screen(
        "branches",
        "documents",
        "[data-testid=stExpander]",
        click("[data-testid=stExpander] summary", "[data-testid=stPlotlyChart]"),
        "[data-testid=stExpander]",
    ),
    Screen("overview", "vocabulary", ".overview-list"),
    Screen("vocabulary", "vocabulary", "[role=treeitem]", open_branches),
    Screen("insights", "insights", ".st-key-insights_page h1"),
    Screen("models", "models", ".st-key-models_page h2"),
    Screen("export", "export", ".st-key-export_download button"),
    Screen("settings", "settings", ".st-key-settings_page kbd, .st-key-settings_page input"),
)
SCREENS = [one for one in ALL if page_file(one.path.partition("?")[0] or "annotate").exists()]


@contextmanager
def opened(screen: Screen, server: Server, browser: Browser, **options: Any) -> Iterator[Page]:
    """The screen in a browser profile of its own."""
    context = browser.new_context(**{"viewport": WIDE, **options})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    try:
        go_to(page, screen, server)
        yield page
    finally:
        context.close()


def go_to(page: Page, screen: Screen, server: Server) -> None:
    """Open the screen in a tab, and wait until it stands still."""
    page.goto(server.url + screen.path)
    come_to(page, screen)


def come_to(page: Page, screen: Screen) -> None:
    """Come to the screen on its page, and wait until it stands still."""
    page.wait_for_selector(screen.ready)
    page.wait_for_selector(SETTLED)
    page.wait_for_selector("[data-testid=stSkeleton]", state="detached")
    screen.prepare(page)
    page.wait_for_timeout(300)  # for what moves or fades in
