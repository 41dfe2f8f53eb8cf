"""Two projects of two vocabularies at the same time: in two browsers, and in two tabs of one."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.profile import Profile
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser


def project_of(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query).get("project", [""])[0]


def found(page: Page, query: str) -> list[str]:
    """What the search box offers, by its labels or codes."""
    page.fill("[role=combobox]", query)
    page.wait_for_selector(f"[role=listbox][data-query='{query}'] [role=option] .head")
    heads = page.locator("[role=listbox] [role=option] .head").all_inner_texts()
    page.keyboard.press("Escape")
    return heads


def exported(tab: AnnotatePage) -> list[dict[str, str]]:
    """All decisions that the sidebar exports."""
    page = tab.page
    tab.wait_until_settled()
    page.click(".st-key-export button")
    # The file is made for the button of the last run: one that goes on would draw another.
    tab.after_run(page.get_by_text("All documents").click)
    with page.expect_download() as download:
        page.click(".st-key-download button")
    content = Path(download.value.path()).read_text("utf-8-sig")
    page.keyboard.press("Escape")
    return list(csv.DictReader(io.StringIO(content)))


def evidence(page: Page, document: str, concept: str) -> list[str]:
    """The passages that speak for a concept, as the page asks for them."""
    asked = f"api/evidence?document={document}&concept={concept}&project={project_of(page)}"
    answer = page.evaluate("async (path) => await (await fetch(path)).json()", asked)
    return [passage["text"].lower() for passage in answer["concepts"][concept]["passages"]]


def health(page: Page) -> dict[str, str]:
    asked = f"api/health?project={project_of(page)}"
    return dict(page.evaluate("async (path) => await (await fetch(path)).json()", asked))


def on(tab: AnnotatePage, project: str, first: str) -> None:
    """The tab is in this project, with its own suggestions."""
    tab.wait_for_suggestions()
    assert project_of(tab.page) == project
    assert first in tab.concept_ids()


def test_two_browsers_work_in_two_projects(
    two_projects_server: Server, open_page: OpenPage
) -> None:
    acts = open_page(two_projects_server, "?project=1&document=act")
    on(acts, "1", "102")
    acts.page.evaluate("window.neverReloaded = true")
    before, rows = health(acts.page)["server"], acts.rows()

    ward = open_page(two_projects_server, "?project=2&document=encounter-1")
    on(ward, "2", "J18.1")
    assert health(acts.page)["server"] == before  # opening another one changes nothing here
    assert acts.rows() == rows
    assert health(ward.page)["model"] != health(acts.page)["model"] == "fake"

    assert any("herring" in head for head in found(acts.page, "herr"))
    assert any("E11.9" in head for head in found(ward.page, "E11"))
    acts.decide("102", "accept")
    ward.decide("J18.1", "accept")
    for tab in (acts, ward):
        tab.wait_until_saved()
    assert {concept for _, _, _, concept in two_projects_server.events()} == {"102", "J18.1"}
    assert evidence(acts.page, "act", "102") == ["herring"]
    assert "lobar pneumonia" in evidence(ward.page, "encounter-1", "J18.1")
    assert [row["uri"].rsplit("/")[-1] for row in exported(acts)] == ["102"]
    assert [row["uri"].rsplit("/")[-1] for row in exported(ward)] == ["J18.1"]
    assert acts.page.evaluate("window.neverReloaded") is True

    for tab, project, concept in ((acts, "1", "102"), (ward, "2", "J18.1")):
        tab.page.reload()
        on(tab, project, concept)
        assert tab.states()[concept] == "accepted"


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
