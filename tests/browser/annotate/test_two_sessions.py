"""Two sessions on one document: each sees what the other decides, and neither overwrites it."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

DOCUMENT = "sole"  # nobody has decided anything on it
ELSEWHERE = "honey"


def session(server: Server, open_page: OpenPage) -> AnnotatePage:
    """A browser of its own, with nothing in it that could tell of a reload."""
    tab = open_page(server, f"?document={DOCUMENT}")
    tab.wait_for_suggestions()
    tab.page.evaluate("window.neverReloaded = true")
    return tab


def wait_for(tab: AnnotatePage, concept_id: str, state: str) -> None:
    item = f"[role=treeitem][data-concept='{concept_id}'][data-state='{state}']"
    tab.page.wait_for_selector(item)


def test_two_sessions_see_each_other_and_overwrite_nothing(
    seeded_server: Server, open_page: OpenPage
) -> None:
    one, other = session(seeded_server, open_page), session(seeded_server, open_page)
    one.decide("104", "accept")
    other.decide("103", "reject")
    wait_for(other, "104", "accepted")
    wait_for(one, "103", "rejected")

    other.decide("202", "accept")
    one.decide("104", "reject")  # another mind: the last one holds, in both
    wait_for(one, "202", "accepted")
    wait_for(other, "104", "rejected")
    for tab in (one, other):
        tab.wait_until_saved()
        states = tab.states()
        assert {c: states[c] for c in ("103", "104", "202")} == {
            "103": "rejected",
            "104": "rejected",
            "202": "accepted",
        }
        assert tab.page.evaluate("window.neverReloaded") is True

    other.page.fill("[role=combobox]", "hone")
    other.page.wait_for_selector("[role=listbox][data-query=hone] [role=option]")
    other.page.keyboard.press("Enter")
    wait_for(one, "201", "accepted")

    made = [made for made in seeded_server.events() if not made[0].startswith("seeds-")]
    assert len({client for client, _, _, _ in made}) == 2
    stored = [(action, concept_id) for _, _, action, concept_id in made]
    assert sorted(stored[:2]) == [("accept", "104"), ("reject", "103")]
    assert sorted(stored[2:4]) == [("accept", "202"), ("reject", "104")]
    assert stored[4:] == [("accept", "201")]

    # What one finishes the other can only read.
    one.page.click(".finish")
    for tab in (one, other):
        tab.page.wait_for_selector(".workbench[data-finished=true]")
    before = len(seeded_server.events())
    other.page.locator("[role=treeitem][data-concept='302']").first.focus()
    other.page.keyboard.press("a")
    other.page.wait_for_timeout(500)
    assert len(seeded_server.events()) == before
    other.page.click(".banner .reopen")
    other.page.wait_for_selector(".workbench[data-finished=false]")


def test_an_undo_takes_back_what_the_same_browser_decided_and_nothing_else(
    seeded_server: Server, open_page: OpenPage
) -> None:
    one, other = session(seeded_server, open_page), session(seeded_server, open_page)
    second = AnnotatePage(one.page.context.new_page(), one.url)
    second.open(f"?document={DOCUMENT}")
    second.wait_for_suggestions()
    for concept_id in ("301", "302"):
        one.decide(concept_id, "accept")
        wait_for(second, concept_id, "accepted")
    other.open(f"?document={ELSEWHERE}")
    other.wait_for_suggestions()
    other.decide("104", "accept")
    wait_for(other, "104", "accepted")
    other.wait_until_saved()
    one.page.reload()
    one.wait_for_suggestions()
    one.page.click(".undo")
    wait_for(one, "302", "unresolved")
    second.page.click(".undo")
    wait_for(one, "301", "unresolved")
    wait_for(other, "104", "accepted")
    assert [made[2:] for made in seeded_server.events()][-3:] == [
        ("accept", "104"),
        ("undo", None),
        ("undo", None),
    ]
