"""Taking over what was assigned to similar finished documents, by one key or with ticks."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.support.browser.documents import keep_indexed
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

TEXT = "Vessels catch herring at sea under a fishing quota. Herring is landed in the bay."
SHAPE = """(button) => { const words = button.querySelector('.words');
    const [inner, outer] = [words.getBoundingClientRect(), button.getBoundingClientRect()];
    return words.scrollWidth <= words.clientWidth + 1 && words.scrollHeight <= words.clientHeight + 1
        || (inner.right <= outer.right && inner.bottom <= outer.bottom); }"""
NUMBERED = "Regulation (EU) 2019/1020 of 20 June 2019 on market surveillance of products"


def open_beside_indexed(server: Server, open_page: OpenPage) -> AnnotatePage:
    """Open a document beside three finished ones: all have 103, two 101, one 202."""
    keep_indexed(server, "On herring", TEXT, "103", "101")
    keep_indexed(server, NUMBERED, f"{TEXT} So it is.", "103", "101")
    keep_indexed(server, "On labels", f"{TEXT} It is labelled.", "103", "202")
    tab = open_page(server)
    tab.paste("On herring in the bay", f"{TEXT} And more.")
    tab.page.wait_for_selector(".similar .head kbd")
    return tab


def panel_states(tab: AnnotatePage) -> dict[str, str]:
    """How each concept of the panel stands there, as its line says."""
    lines = tab.page.locator(".similar .concepts li").all()
    return {str(line.get_attribute("data-key")): line.inner_text() for line in lines}


def test_one_key_takes_what_at_least_half_have_and_one_undo_takes_it_back(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_beside_indexed(fake_server, open_page)
    before = {i for i, state in tab.states().items() if state == "accepted"}
    tab.page.locator("[role=treeitem]").first.focus()
    tab.page.keyboard.press("k")
    toast = tab.page.locator(".toast", has_text="Took 2 concepts from similar documents")
    expect(toast).to_contain_text("sea fish and fishing quota")
    tab.wait_until_saved()
    assert {i for i, s in tab.states().items() if s == "accepted"} == before | {"101", "103"}
    tab.page.keyboard.press("z")
    tab.page.wait_for_selector(".workbench[data-accepted='0'][data-pending='0']")

    tab.decide("101", "reject")  # what is rejected stays so
    tab.page.locator("[role=treeitem]").first.focus()
    tab.page.keyboard.press("k")
    taken = "Took 1 concept from similar documents: sea fish"
    tab.page.locator(".toast", has_text=taken).wait_for()
    tab.wait_until_saved()
    assert tab.states()["101"] == "rejected"
    tab.page.keyboard.press("k")
    tab.page.locator(".toast", has_text="Nothing to take: what at least half of the 3").wait_for()
    assert tab.page.locator(".similar .head .offer").inner_text().startswith("What at least half")


def test_ticks_take_fewer_and_the_button_is_whole_and_says_how_many(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_beside_indexed(fake_server, open_page)
    tab.page.set_viewport_size({"width": 800, "height": 1000})
    tab.page.click(".similar .head")
    button = tab.page.locator(".similar .take")
    assert button.locator(".words").inner_text() == "Take what at least half have: 2 concepts"
    assert button.evaluate(SHAPE)
    shares = [panel_states(tab)[i].split("\n")[-1].strip() for i in ("103", "101", "202")]
    assert shares == ["3 of 3", "2 of 3", "1 of 3"]
    tab.page.uncheck(".similar [type=checkbox][data-key='101']")
    assert button.locator(".words").inner_text() == "Take what is ticked: 1 concept"
    button.click()
    tab.wait_until_saved()
    assert tab.states()["103"] == "accepted"
    assert tab.states().get("101") != "accepted"
    tab.page.locator(".similar .concepts li", has_text="3 of 3 · accepted").wait_for()
    # Titles show the subject, and open their document.
    link = tab.page.locator(".similar .documents a", has_text="2019/1020")
    assert link.locator(".about").inner_text() == "market surveillance of products"
    link.click()
    tab.page.locator(".reader h1", has_text="market surveillance").wait_for()
