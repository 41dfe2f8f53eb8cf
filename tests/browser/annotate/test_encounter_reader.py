"""The notes of an encounter in the reader: by tabs, beside each other, with their sections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

NOTES = ".reader .clinical"


@pytest.fixture
def coder_server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "home", fake=True, STRATA_FAKE_VOCABULARY="icd10cm")
    server.start()
    yield server
    server.close()


@pytest.fixture
def tab(coder_server: Server, open_page: OpenPage) -> AnnotatePage:
    page = open_page(coder_server)
    page.open_example("broken-hip")
    expect(page.page.locator(".reader .tab")).to_have_count(3)
    return page


def shown(tab: AnnotatePage) -> list[int]:
    notes = tab.page.locator(NOTES).all()
    return [number for number, note in enumerate(notes) if note.is_visible()]


def test_notes_stand_one_at_a_time_or_side_by_side(tab: AnnotatePage) -> None:
    page, beside = tab.page, tab.page.locator(".reader .beside")
    assert shown(tab) == [0]
    page.locator(".reader .tab").nth(2).click()
    assert shown(tab) == [2]
    page.keyboard.press("ArrowLeft")
    assert shown(tab) == [1]
    beside.click()
    assert len(shown(tab)) == 2
    assert beside.get_attribute("aria-pressed") == "true"
    first, second = (page.locator(NOTES).nth(n).bounding_box() for n in shown(tab))
    assert first and second
    assert first["x"] + first["width"] <= second["x"]
    assert first["y"] == second["y"]
    page.set_viewport_size({"width": 420, "height": 900})
    expect(beside).to_be_hidden()
    assert len(shown(tab)) == 1


def test_sections_are_gone_to_and_searched_alone(tab: AnnotatePage) -> None:
    page = tab.page
    page.locator(".contents > button").click()
    page.locator(".panel .section", has_text="Brief Hospital Course").click()
    assert shown(tab) == [2]
    expect(page.locator(".panel")).to_be_hidden()
    expect(page.get_by_role("heading", name="Brief Hospital Course:")).to_be_in_viewport()
    page.fill(".find input", "stroke")
    expect(page.locator(".find .count")).to_have_text("1 of 1")
    assert shown(tab) == [0], "a hit brings its note"
    page.select_option(".find .scope", "past history")
    expect(page.locator(".find .count")).to_have_text("not found")
    page.select_option(".find .scope", "family history")
    expect(page.locator(".find .count")).to_have_text("1 of 1")
