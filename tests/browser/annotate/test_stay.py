"""A stay from its admission to its export: codes of two systems, marks, a remedy, a finish."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.browser.conftest import OpenPage
from tests.support.browser.axe import violations_of_ours
from tests.support.browser.coding import exported, resources, wait_for_codes
from tests.support.browser.keyboard_user import KeyboardUser
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser
DRAINAGE = "0W9930Z"
PROCEDURES = "http://www.cms.gov/Medicare/Coding/ICD10"
# Of the row of a code: whether it goes beyond its panel, where its button ends, and its name's room.
FITS = """(row) => { const [list, words] = [row.closest('.codes'), row.querySelector('.words')];
    const marks = [...row.querySelectorAll('.marks > *')].map((one) => one.getBoundingClientRect().left);
    return { between: Math.min(...marks) - words.getBoundingClientRect().right, beyond: list.scrollWidth - list.clientWidth, name: words.clientWidth,
        end: list.getBoundingClientRect().right - row.querySelector('[data-code=clear]').getBoundingClientRect().right }; }"""
# Of the panel: how far it goes beyond its width, how far the list in it scrolls by itself, and how
# many rows are seen whole.
ROOM = """(panel) => { panel.scrollTop = 0; const [list, end] = [panel.querySelector('ol'), panel.getBoundingClientRect().bottom];
    return { beyond: panel.scrollWidth - panel.clientWidth, scrolled: list.scrollHeight - list.clientHeight,
        rows: [...list.children].filter((row) => row.getBoundingClientRect().bottom <= end).length }; }"""
ASKED = ".prompt li:has-text('mark of presence on admission')"


def have_procedures(server: Server, tab: AnnotatePage) -> None:
    """Import an invented list of procedures, and choose it beside the project's vocabulary."""
    above = Concept("0W9", f"{PROCEDURES}/0W9", "0W9", {"en": "Drainage"}, assignable=False)
    code = Concept(
        DRAINAGE,
        f"{PROCEDURES}/{DRAINAGE}",
        DRAINAGE,
        {"en": "Drainage of Right Pleural Cavity with Drainage Device"},
        broader=("0W9",),
    )
    listed = Hierarchy(
        (above, code), vocabulary_id="icd10pcs", version="2026", uri_base=f"{PROCEDURES}/"
    )
    versions = VocabularyVersions(server.home)
    versions.add(listed, file_name="invented.txt", sha256="0" * 64, report={})
    tab.open("settings")
    tab.page.get_by_role("tab", name="Projects").click()
    tab.page.get_by_role("combobox", name="Further code systems").fill("ICD-10-PCS")
    tab.after_run(lambda: tab.page.get_by_role("option", name="ICD-10-PCS").click())
    tab.page.wait_for_selector("[role=tab][aria-selected=true]:has-text('Projects')")
    assert tab.page.get_by_role("combobox", name="Further code systems").is_visible()


def describe_stay(tab: AnnotatePage) -> None:
    """Say age and sex in the form above the text."""
    page = tab.page
    page.click(".st-key-stay button:has-text('Add admission, age and sex')")
    page.get_by_label("Age", exact=True).fill("64")
    page.get_by_role("combobox", name="Sex").fill("female")
    page.get_by_role("option", name="female", exact=True).click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector(".st-key-stay button:has-text('64 years, female')")
    page.keyboard.press("Escape")


def find_procedure(tab: AnnotatePage, user: KeyboardUser) -> None:
    """Accept the procedure by the search, and give its day."""
    user.press("/")
    tab.page.keyboard.type("drainage pleural")
    tab.page.wait_for_selector(f"[role=option]:has-text('{DRAINAGE}')")
    user.press("ArrowDown", "Enter")
    tab.wait_until_saved()
    tab.page.fill(f".codes [data-concept='{DRAINAGE}'] input.day", "2026-05-05")
    tab.wait_until_saved()


def finish_mending(tab: AnnotatePage, user: KeyboardUser) -> None:
    """Finish, and mend on the way what the list of findings offers to; marks are given one by one."""
    page = tab.page
    page.focus("[role=treeitem].suggested")
    user.press("Shift+Enter")
    page.locator(ASKED).first.wait_for()
    page.focus(".prompt li:has-text('I12.9 stands instead') .what")
    user.press("f")
    page.wait_for_selector(".prompt:has-text('Before it is finished: ')")
    wait_for_codes(tab, ["J18.1", "I12.9", "N18.4", DRAINAGE])
    user.press("Escape")
    for concept_id in ("J18.1", "I12.9", "N18.4"):
        page.focus(f".codes [data-concept='{concept_id}']")
        user.press("p")
        page.wait_for_selector(
            f".codes [data-concept='{concept_id}'] [data-mark=Y][aria-pressed=true]"
        )
    tab.wait_until_saved()
    page.focus("[role=treeitem].suggested")
    user.press("Shift+Enter")
    page.wait_for_selector(".banner:visible")


def check_export(tab: AnnotatePage) -> None:
    """Export the stay, and look at what is in the file."""
    content = exported(tab)
    conditions = [one["code"]["coding"][0]["code"] for one in resources(content, "Condition")]
    assert conditions == ["J18.1", "I12.9", "N18.4"]
    (encounter,) = resources(content, "Encounter")
    marks = [
        one["extension"][0]["valueCodeableConcept"]["coding"][0]["code"]
        for one in encounter["diagnosis"]
        if "extension" in one
    ]
    assert marks == ["Y", "Y", "Y"]
    (procedure,) = resources(content, "Procedure")
    assert procedure["performedDateTime"] == "2026-05-05"
    coding = procedure["code"]["coding"][0]
    assert (coding["system"], coding["code"]) == (PROCEDURES, DRAINAGE)
    (patient,) = resources(content, "Patient")
    assert patient["gender"] == "female"


def check_row_fits(tab: AnnotatePage) -> None:
    """Look at the row of a dated principal procedure with what it does to the group."""
    page, row = tab.page, tab.page.locator(f".codes [data-concept='{DRAINAGE}']")
    row.locator(".effect").wait_for()
    for width in (800, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        fits = row.evaluate(FITS)
        assert fits["beyond"] == 0, fits
        assert fits["end"] >= 0, fits
        assert fits["name"] > 200, fits
        assert fits["between"] >= 0, fits
    field, said = row.locator("input.day"), row.locator(".day-said")
    field.focus()
    expect(said).to_be_hidden()
    row.focus()
    expect(said).to_have_text("5 May 2026")
    over, under = said.bounding_box(), field.bounding_box()  # one date: the words cover the figures
    assert over and under
    assert under["x"] < over["x"] < over["x"] + over["width"] < under["x"] + under["width"]


def check_codes_have_room(tab: AnnotatePage) -> None:
    """Look at the panel where the window is low and narrow, with a note that a button mends."""
    page = tab.page
    tab.decide("Z79.4", "accept")
    page.click(".codes [data-concept='Z79.4'] [data-mark=Y]")
    page.wait_for_selector(".codes .finding.note .mend")
    for width in (800, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        room = page.locator(".codes").evaluate(ROOM)
        assert room["beyond"] == 0, room
        assert room["scrolled"] == 0, room  # a list that scrolls within a panel that scrolls
        assert room["rows"] >= 1, room


def test_a_stay_goes_from_its_admission_over_its_group_to_an_export_that_validates(
    coding_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(coding_server)
    have_procedures(coding_server, tab)
    tab.open("?document=encounter-1")
    tab.wait_for_suggestions()
    describe_stay(tab)
    page, user = tab.page, KeyboardUser(tab.page)
    tab.decide("J18.1", "accept")
    tab.wait_until_saved()
    assert page.is_hidden(".stay-group")
    in_order = tab.concept_ids()

    tab.open("settings")
    page.get_by_role("tab", name="Projects").click()
    tab.after_run(lambda: page.get_by_text("Show the MS-DRG of a stay").click())
    tab.open("?document=encounter-1")
    tab.wait_for_suggestions()
    group = page.locator(".stay-group:has-text('MS-DRG 195')")
    group.wait_for()
    assert "not an official grouper" in group.inner_text()
    assert "version 43.1, in force from 1 April 2026" in group.inner_text()
    assert tab.concept_ids() == in_order
    offered = page.locator("[role=treeitem][data-concept='N18.4'] .effect")
    assert offered.inner_text() == "CC → 194"
    excluded = page.locator("[role=treeitem][data-concept='J18.9'] .effect")
    assert excluded.inner_text() == "MCC · not counted"
    assert excluded.get_attribute("title") == "MCC: a major complication, excluded by J18.1"

    tab.decide("N18.4", "accept")
    page.wait_for_selector(".stay-group:has-text('MS-DRG 194')")
    accepted = page.locator(".codes [data-concept='N18.4'] .effect")
    assert accepted.inner_text() == "CC"
    assert "without it 195" in (accepted.get_attribute("title") or "")
    assert page.locator(".codes [data-concept='J18.1'] .effect").count() == 0

    page.focus("[role=treeitem].suggested")
    find_procedure(tab, user)
    check_row_fits(tab)
    check_codes_have_room(tab)
    assert violations_of_ours(page) == []

    page.click(".codes [data-concept='Z79.4'] [data-code=clear]")
    tab.decide("I10", "accept")
    wait_for_codes(tab, ["J18.1", "N18.4", "I10", DRAINAGE])
    finish_mending(tab, user)
    said = page.locator(".toast:visible, [data-testid=stToast]:visible").all_inner_texts()
    assert len(said) == 1, said
    assert "Finished" in said[0]
    check_export(tab)
