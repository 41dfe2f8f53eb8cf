"""On no page, light or dark, axe-core finds a violation of ours, and the browser one of the policy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.support.browser.axe import OF_COLOURS, TAGS, is_streamlits, violations
from tests.support.browser.page import SETTLED
from tests.support.browser.policy import policy_reports
from tests.support.browser.profile import Profile
from tests.support.browser.screens import SCREENS, Screen, go_to
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

BACKGROUND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
FADING_MS = 300  # until what fades from one colour to the other has begun to
IS_STILL = """() => [document, ...[...document.querySelectorAll('*')].map((host) => host.shadowRoot)]
    .flatMap((root) => root ? root.getAnimations() : [])
    .every((moving) => !(moving instanceof CSSTransition))"""


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_axe_finds_nothing_of_ours(screen: Screen, seeded_server: Server, profile: Profile) -> None:
    page = profile.same_tab(seeded_server.url)
    with policy_reports(page) as reports:
        go_to(page, screen, seeded_server)
        light = ours(page, TAGS, screen.part)
        turn_dark(page)
        dark = ours(page, OF_COLOURS, screen.part)
    assert reports == []
    assert light == dark == []


def turn_dark(page: Page) -> None:
    """Have the colours of a page that is open follow those of the system."""
    before = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(before) => ({BACKGROUND})() !== before", arg=before)
    page.wait_for_selector(SETTLED)
    page.wait_for_timeout(FADING_MS)
    page.wait_for_function(IS_STILL)


def ours(page: Page, rules: list[str], part: str) -> list[str]:
    """What axe finds, without what Streamlit draws."""
    found = [found for found in violations(page, rules, part) if not is_streamlits(found)]
    return [f"{violation.rule}: {violation.target}: {violation.summary}" for violation in found]
