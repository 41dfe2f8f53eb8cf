"""What was probably missed or is doubtful, as a person sees it before finishing."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import expect

from core.review.store.people import default_person, set_preference
from core.review.store.store import Store
from tests.browser.conftest import OpenPage
from tests.support.browser.axe import violations
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server
from tests.support.browser.tree import opened, press, row, stored, wait_for_state

pytestmark = pytest.mark.browser

MISSED = ".hints [data-kind=missed] button"
ODD = ".hints [data-kind=odd] button"
NARROW = {"width": 800, "height": 1000}


def add(tab: AnnotatePage, words: str) -> None:
    tab.page.fill("[role=combobox]", words)
    tab.page.wait_for_selector("#hits [role=option]")
    press(tab, "Enter")


def test_what_was_missed_is_gone_to_accepted_and_counted(
    hints_server: Server, open_page: OpenPage
) -> None:
    tab = opened(hints_server, open_page)
    page = tab.page
    expect(page.locator(".hints")).to_be_hidden()
    page.focus(row("102"))
    press(tab, "a")
    strip = page.get_by_role("region", name="Before finishing")
    expect(strip.get_by_role("list", name="Probably missed")).to_be_visible()
    expect(page.locator(f"{MISSED}[data-hint='104']")).to_have_text("sole76%")
    expect(page.locator(ODD)).to_have_count(0)
    assert page.locator(MISSED).count() == 3
    found = violations(page)
    assert not found, "\n".join(f"{one.rule}: {one.target}\n  {one.summary}" for one in found)

    page.locator(f"{MISSED}[data-hint='104']").click()
    expect(page.locator(f"{row('104')}[aria-selected=true]")).to_be_focused()
    assert stored(hints_server) == [("accept", "102")], "a click decides nothing"
    press(tab, "a")
    wait_for_state(tab, "104", "accepted")
    expect(page.locator(f"{MISSED}[data-hint='104']")).to_have_count(0)

    add(tab, "honey")
    expect(page.locator(ODD)).to_have_text("honeynot suggested")
    page.locator(ODD).click()
    press(tab, "r")
    expect(page.locator(ODD)).to_have_count(0)
    left = [button.get_attribute("data-hint") for button in page.locator(MISSED).all()]
    press(tab, "Shift+Enter")  # once: nothing stands in the way of a finish
    page.wait_for_selector(".workbench[data-finished=true]")
    expect(page.locator(".hints")).to_be_hidden()
    tab.wait_until_saved()
    told = finish_value(hints_server)
    assert told == {"missed": [*left, "104"], "odd": ["201"], "opened": ["104", "201"]}

    page.get_by_role("link", name="Insights", exact=True).click()
    page.get_by_role("radio", name="Decisions here").click()
    count = len(left) + 1
    said = f"{count} concept{'s' * (count > 1)} (taken: 1) probably missed and 1 concept (taken: 1)"
    expect(page.get_by_text(said)).to_be_visible()


def finish_value(server: Server) -> object:
    query = "SELECT value FROM decision_event WHERE action = 'finish'"
    with closing(sqlite3.connect(server.home / "strata.sqlite")) as database:
        ((value,),) = database.execute(query).fetchall()
    return json.loads(value)


def test_a_key_goes_from_one_to_the_next_and_nothing_overhangs(
    hints_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(hints_server, viewport=NARROW)
    tab.open_example("fishing-quotas")
    page = tab.page
    page.focus(row("102"))
    press(tab, "a")
    page.wait_for_selector(MISSED)
    expected = [button.get_attribute("data-hint") for button in page.locator(MISSED).all()]
    page.focus(row("102"))
    for concept_id in [*expected, expected[0]]:
        press(tab, "h")
        expect(page.locator(f"{row(concept_id or '')}[aria-selected=true]").first).to_be_focused()
    press(tab, "r")
    expect(page.locator(f"{MISSED}[data-hint='{expected[0]}']")).to_have_count(0)
    overhang = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overhang) <= 0
    lengthen = "(name) => { name.textContent = 'a long name '.repeat(9); }"
    page.eval_on_selector(".hint-name", lengthen)
    gap = "(button) => button.parentElement.offsetWidth - button.offsetWidth"
    assert page.eval_on_selector(".hints button", gap) == 0, "the next stands right behind it"

    with closing(Store.open(f"sqlite:///{hints_server.home}/strata.sqlite")) as store:
        set_preference(store, default_person(store).person_id, "hints", False)
    page.reload()
    tab.wait_for_suggestions()
    page.focus(row("102"))
    press(tab, "h")
    expect(page.locator(".toast")).to_have_text("Nothing is probably missed or doubtful here.")


def test_the_focus_stays_on_a_hint_when_another_one_goes(
    hints_server: Server, open_page: OpenPage
) -> None:
    tab = opened(hints_server, open_page)
    other = opened(hints_server, open_page)
    tab.decide("102", "accept")
    tab.page.wait_for_selector(MISSED)
    gone, stays = [button.get_attribute("data-hint") for button in tab.page.locator(MISSED).all()][
        :2
    ]
    tab.page.focus(f"{MISSED}[data-hint='{stays}']")
    other.decide(gone or "", "reject")
    expect(tab.page.locator(f"{MISSED}[data-hint='{gone}']")).to_have_count(0)
    expect(tab.page.locator(f"{MISSED}[data-hint='{stays}']")).to_be_focused()
    other.decide(stays or "", "reject")
    expect(tab.page.locator("[role=treeitem]:focus")).to_have_count(1)
