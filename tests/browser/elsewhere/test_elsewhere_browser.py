"""A suggester elsewhere in a browser: named in Settings, marked in the tree, left out where it is down."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.support.browser.server import Server
from tests.support.suggester_host import SuggesterHost

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)> yso"


def name_it(page: Page, address: str, name: str) -> None:
    """Name the suggester in the first project's card."""
    page.get_by_role("tab", name="Projects").click()
    page.get_by_text("Suggester elsewhere:").first.click()
    page.get_by_role("textbox", name="Address").fill(address)
    page.get_by_label("Annif project, or model").fill(name)
    page.get_by_role("button", name="Ask it as well").click()


def test_it_is_named_in_settings_marked_in_the_tree_and_left_out_where_it_is_down(
    asking_server: Server, host: SuggesterHost, open_page: OpenPage
) -> None:
    host.results = [{"uri": "https://example.org/104", "label": "<b>sole</b>", "score": 0.9}]
    tab = open_page(asking_server, "settings")
    page = tab.page
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    name_it(page, "https://other.example", HOSTILE)
    expect(page.get_by_role("alert").first).to_contain_text("other.example is not allowed here")
    page.get_by_role("textbox", name="Address").fill(host.address)
    page.get_by_role("button", name="Ask it as well").click()
    expect(page.get_by_text(f"Suggester elsewhere: {HOSTILE} at {host.name}")).to_be_visible()
    page.get_by_role("tab", name="Privacy").click()
    said = page.locator("p", has_text="A suggester elsewhere is asked")
    expect(said).to_contain_text(f"{HOSTILE} at {host.name}")

    page.get_by_role("link", name="Annotate", exact=True).click()
    tab.paste("On honey", "Honey is sweet.")
    row = page.locator("[data-concept='104'] > .row")
    expect(row.locator(".tag")).to_contain_text("elsewhere")
    row.locator(".label").click()
    page.click(".card-panel summary")
    expect(page.locator(".card .sources")).to_contain_text(
        f"by {HOSTILE} at {host.name}, elsewhere"
    )

    host.failing = "status"
    tab.open()
    tab.paste("On herring", "Herring is salty.")
    note = page.locator(".reader [role=note]")
    expect(note).to_contain_text(f"{HOSTILE} at {host.name} refused with the status 500")
    expect(page.get_by_role("button", name="Suggest again, and ask")).to_be_visible()
    assert dialogs == []
