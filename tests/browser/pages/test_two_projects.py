"""Two projects of two vocabularies at the same time: in two browsers, and in two tabs of one."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page

from core.documents.document import Document
from core.review.jobs import running_jobs, start_job
from core.review.store.arrivals import add_document
from core.review.store.predictions import latest_prediction
from core.review.store.projects import keep_choices, make_project
from core.review.store.store import Store
from core.serving.setup import WITHOUT
from core.vocabulary.conventions import ICD10CM
from tests.browser.conftest import OpenPage
from tests.support import clinical_fakes
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server
from tests.support.clinical_fakes import ENCOUNTER
from tests.support.fakes import fake_session

pytestmark = pytest.mark.browser

ACT = Document.from_text("act", "On herring", "Herring and sole; the fishing quota for herring.")
NOTES = [Document.from_text(f"note-{n}", f"Visit {n}", "Lobar pneumonia.") for n in range(3)]
PATIENCE_SECONDS = 60.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A thesaurus with the fake model, and codes whose names are found in the text."""
    home = tmp_path / "home"
    place = fake_session(home)
    add_document(place.store(), ACT, project_id=place.project_id())
    codes = clinical_fakes.hierarchy(ICD10CM)
    place.server.versions.add(codes, file_name="codes.csv", sha256="1", report={})
    ward = make_project(place.store(), "Ward 7", ICD10CM)
    keep_choices(place.store(), ward.project_id, bundle=WITHOUT, vocabulary_choice=codes.version)
    for document in (ENCOUNTER, *NOTES):
        add_document(place.store(), document, project_id=ward.project_id)
    start_job(place.store(), [note.document_id for note in NOTES], project_id=ward.project_id)
    place.server.close()
    server = Server(home, fake=True)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def store(server: Server) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    yield store
    store.close()


def project_of(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query).get("project", [""])[0]


def found(page: Page, query: str) -> list[str]:
    """What the search box offers, by its labels or codes."""
    page.fill("[role=combobox]", query)
    page.wait_for_selector(f"[role=listbox][data-query='{query}'] [role=option] .head")
    heads = page.locator("[role=listbox] [role=option] .head").all_inner_texts()
    page.keyboard.press("Escape")
    return heads


def exported(page: Page) -> list[dict[str, str]]:
    """All decisions that the sidebar exports."""
    page.click(".st-key-export button")
    page.get_by_text("All documents").click()
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


def test_two_browsers_work_in_two_projects(server: Server, open_page: OpenPage) -> None:
    acts = open_page(server, "?project=1&document=act")
    on(acts, "1", "102")
    acts.page.evaluate("window.neverReloaded = true")
    before, rows = health(acts.page)["server"], acts.rows()

    ward = open_page(server, "?project=2&document=encounter-1")
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
    assert {concept for _, _, _, concept in server.events()} == {"102", "J18.1"}
    assert evidence(acts.page, "act", "102") == ["herring"]
    assert "lobar pneumonia" in evidence(ward.page, "encounter-1", "J18.1")
    assert [row["uri"].rsplit("/")[-1] for row in exported(acts.page)] == ["102"]
    assert [row["uri"].rsplit("/")[-1] for row in exported(ward.page)] == ["J18.1"]
    assert acts.page.evaluate("window.neverReloaded") is True

    for tab, project, concept in ((acts, "1", "102"), (ward, "2", "J18.1")):
        tab.page.reload()
        on(tab, project, concept)
        assert tab.states()[concept] == "accepted"


def test_two_tabs_of_one_browser_keep_their_projects(server: Server, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tabs = [AnnotatePage(context.new_page(), server.url) for _ in range(2)]
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
    context.close()


def test_a_job_goes_on_while_nobody_has_its_project_open(
    server: Server, open_page: OpenPage, store: Store
) -> None:
    acts = open_page(server, "?project=1&document=act")
    on(acts, "1", "102")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while running_jobs(store, 2):
        assert time.monotonic() < deadline
        acts.page.wait_for_timeout(50)
    for note in NOTES:
        stored = latest_prediction(store, note.document_id)
        assert stored is not None
        assert [found.concept_id for found in stored.prediction.suggestions[:1]] == ["J18.1"]
    assert json.dumps(health(acts.page)["model"]) == '"fake"'
