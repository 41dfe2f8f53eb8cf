"""Signing in with the access key, in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.api.protection.access import WRONG
from core.api.protection.access_key import KEY_FILE
from tests.support.browser.axe import violations
from tests.support.browser.policy import policy_reports
from tests.support.browser.profile import Profile
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

KEY = "correct horse battery staple"
NARROW = {"width": 800, "height": 1000}
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


def test_one_signs_in_on_a_page_for_everybody_and_out_again(
    tmp_path: Path, profile: Profile
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / KEY_FILE).write_text(KEY)
    server = Server(home, fake=True)
    server.start()
    page = profile.tab(server.url, viewport=NARROW)
    with policy_reports(page) as reports:
        page.goto(f"{server.url}settings?project=1")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
            assert page.evaluate(OVERFLOW) <= 0
        key = page.get_by_label("Access key")
        expect(key).to_be_focused()
        key.fill("another key")
        key.press("Enter")
        expect(page.get_by_role("alert")).to_have_text(WRONG)
        assert violations(page) == []
        page.get_by_label("Access key").fill(KEY)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector(".st-key-settings_page")
        assert page.url.endswith("/settings?project=1")
        (cookie,) = (own for own in page.context.cookies() if own["name"].startswith("strata_"))
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
        page.goto(f"{server.url}sign-in")
        assert violations(page) == []
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.goto(server.url)
        expect(page.get_by_label("Access key")).to_be_visible()
    server.close()
    assert reports == []
