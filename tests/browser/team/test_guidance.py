"""Guidelines over the document, notes in cards, and who else is there, in two browsers."""

from __future__ import annotations

from contextlib import closing

import pytest
from playwright.sync_api import expect

from core.review.guidance import write_guidelines
from core.review.store.store import Store
from tests.support.browser.profile import Profile, signed_in
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

HERRING = "?project=1&document=herring"
HOSTILE = (
    "# Fish\n\n<img src=x onerror=alert(1)> ![p](https://x.example/a.png) [a](javascript:alert(1))"
)


def test_who_has_the_document_open_and_what_holds_for_it(
    team_server: Server, profile: Profile, second_profile: Profile
) -> None:
    maria = signed_in(profile, team_server, "maria", HERRING)
    maria.wait_for_suggestions()
    expect(maria.page.locator(".guidelines")).to_be_hidden()
    maria.page.keyboard.press("Shift+G")
    expect(maria.page.locator(".toast").last).to_contain_text("No guidelines are written")
    with closing(Store.open(f"sqlite:///{team_server.home}/strata.sqlite")) as store:
        write_guidelines(store, 1, HOSTILE, 1, former=None)
    jo = signed_in(second_profile, team_server, "jo", HERRING)
    jo.wait_for_suggestions()
    expect(jo.page.locator(".here")).to_have_text("Maria Lund is here too.")
    expect(maria.page.locator(".here")).to_have_text("Jo Berg is here too.")
    jo.page.keyboard.press("Shift+G")
    dialog = jo.page.get_by_role("dialog")
    expect(dialog).to_contain_text("<img src=x onerror=alert(1)>")
    assert dialog.locator("img").count() == 0
    assert dialog.locator("a[href^=javascript]").count() == 0
    jo.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    jo.page.close()
    expect(maria.page.locator(".here")).to_have_text("", timeout=15_000)
