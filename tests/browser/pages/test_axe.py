"""On no page, light or dark, axe-core finds a violation of ours, and the browser one of the policy."""

from __future__ import annotations

import pytest

from tests.support.browser.axe import is_streamlits, violations
from tests.support.browser.policy import policy_reports
from tests.support.browser.profile import Profile
from tests.support.browser.screens import SCREENS, Screen, go_to
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_axe_finds_nothing_of_ours(
    screen: Screen, scheme: str, seeded_server: Server, profile: Profile
) -> None:
    page = profile.same_tab(seeded_server.url, color_scheme=scheme)
    with policy_reports(page) as reports:
        go_to(page, screen, seeded_server)
    assert reports == []
    ours = [found for found in violations(page) if not is_streamlits(found)]
    assert not ours, "\n".join(f"{one.rule}: {one.target}\n  {one.summary}" for one in ours)
