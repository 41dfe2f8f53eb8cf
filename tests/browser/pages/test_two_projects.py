"""Two projects of two vocabularies at the same time, in two tabs of one browser."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from tests.support.browser.page import AnnotatePage
from tests.support.browser.profile import Profile
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser


def project_of(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query).get("project", [""])[0]


def on(tab: AnnotatePage, project: str, first: str) -> None:
    """The tab is in this project, with its own suggestions."""
    tab.wait_for_suggestions()
    assert project_of(tab.page) == project
    assert first in tab.concept_ids()


def test_two_tabs_of_one_browser_keep_their_projects(
    two_projects_server: Server, profile: Profile
) -> None:
    url = two_projects_server.url
    tabs = [AnnotatePage(profile.tab(url), url) for _ in range(2)]
    acts, ward = tabs
    acts.open("?project=1&document=act")
    ward.open("?project=2&document=encounter-1")
    on(acts, "1", "102")
    on(ward, "2", "J18.1")
    acts.decide("102", "reject")
    ward.decide("I10", "accept")
    for tab, project in ((acts, "1"), (ward, "2")):
        tab.wait_until_saved()
        page = tab.page
        page.get_by_role("link", name="Documents", exact=True).click()
        page.wait_for_selector(".shelf[data-ready=true]")
        page.wait_for_url(f"**/documents?project={project}")
        link = page.get_by_role("link", name="Vocabulary", exact=True).get_attribute("href")
        assert link is not None and f"project={project}" in link
        page.get_by_role("link", name="Annotate", exact=True).click()
        tab.wait_for_suggestions()
        assert project_of(page) == project
    assert (acts.states()["102"], ward.states()["I10"]) == ("rejected", "accepted")
