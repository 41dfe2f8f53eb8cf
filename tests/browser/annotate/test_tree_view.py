"""How the tree is looked at: filters, order, what survives a reload, help, other sessions."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from core.review.store.people import EVERY_LEVEL, default_person, set_preference
from core.review.store.store import Store
from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server
from tests.support.browser.tree import ActTab, go_to_example, opened, press, row

pytestmark = pytest.mark.browser

VIEW_IS_KEPT = """(id) => Object.entries(sessionStorage).some(
    ([key, value]) => key.startsWith('strata.view.document.') && JSON.parse(value).conceptId === id)"""


def chip(name: str) -> str:
    return f".chip[data-filter={name}]"


def visible_labels(tab: AnnotatePage) -> list[str]:
    """Of rows, and of the broader concepts that are folded into them."""
    return tab.page.eval_on_selector_all(
        "[role=treeitem] > .row :is(.segment, .label):visible",
        "(all) => all.map((one) => one.textContent)",
    )


def test_a_filter_keeps_what_is_above_and_what_was_just_decided(act_tab: ActTab) -> None:
    tab = act_tab
    tab.decide("302", "reject")
    tab.page.click(chip("rejected"))
    assert visible_labels(tab) == ["TRANSPORT", "land transport", "travel ticket"]
    tab.page.click(chip("unresolved"))
    assert "travel ticket" not in visible_labels(tab)
    tab.page.focus(row("101"))
    press(tab, "a")
    assert "fishing quota" in visible_labels(tab)
    tab.page.click(chip("all"))
    tab.page.click(chip("unresolved"))
    assert "fishing quota" not in visible_labels(tab)
    assert tab.page.inner_text(f"{chip('unresolved')} .number") == "7"


def test_words_find_rows_and_the_flat_order_shows_their_way(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.fill("input.filter", "honéy")
    assert visible_labels(tab) == ["AGRICULTURE AND FOOD", "foodstuffs", "honey"]
    tab.page.fill("input.filter", "land transport")
    assert "high-speed train" in visible_labels(tab)
    assert "honey" not in visible_labels(tab)
    tab.page.fill("input.filter", "nothing like it")
    assert tab.page.inner_text(".empty") == "No concept passes the filter."
    tab.page.fill("input.filter", "")
    tab.page.click("[data-sort=probability]")
    percents = [int(one.percent.rstrip("%")) for one in tab.rows()]
    assert percents == sorted(percents, reverse=True)
    assert len(percents) == 9
    expect(tab.page.locator(f"{row('303')} .path")).to_have_text(
        "TRANSPORT › land transport › rail transport"
    )


def test_the_view_survives_a_reload_and_another_document(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    tab.page.focus(row("301"))
    press(tab, "ArrowLeft")
    tab.page.click(chip("unresolved"))
    tab.page.fill("input.filter", "r")
    tab.page.focus(row("302"))
    tab.page.wait_for_function(VIEW_IS_KEPT, arg="302")

    def check() -> None:
        tab.page.wait_for_selector(f"{row('302')}[aria-selected=true]")
        assert tab.page.get_attribute(row("301"), "aria-expanded") == "false"
        assert tab.page.get_attribute(chip("unresolved"), "aria-pressed") == "true"
        assert tab.page.input_value("input.filter") == "r"

    tab.page.reload()
    check()
    go_to_example(tab, fake_server, "honey-labelling")
    assert tab.page.get_attribute(chip("all"), "aria-pressed") == "true"
    tab.open("?document=example-fishing-quotas")
    check()


def test_help_lists_the_keys_and_gives_the_focus_back(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.focus(row("101"))
    press(tab, "?")
    assert "Nothing in this branch" in tab.page.inner_text("dialog.help")
    press(tab, "a")
    press(tab, "Escape")
    assert tab.page.is_hidden("dialog.help")
    press(tab, "r")
    assert tab.states()["101"] == "rejected"


def test_a_person_has_keys_of_their_own_and_sees_every_level(
    fake_server: Server, open_page: OpenPage
) -> None:
    store = Store.open(f"sqlite:///{fake_server.home}/strata.sqlite")
    set_preference(store, default_person(store).person_id, "keys", {"accept": "y"})
    set_preference(store, default_person(store).person_id, EVERY_LEVEL, True)
    store.close()
    tab = opened(fake_server, open_page)
    drawn = tab.page.eval_on_selector_all(
        "[role=treeitem]", "(all) => all.map((one) => one.dataset.concept)"
    )
    assert drawn.count("103") == 2
    assert {"d1", "d2", "m1", "m2", "m3"} <= set(drawn)
    tab.page.focus(row("101"))
    press(tab, "a")
    assert tab.states()["101"] == "unresolved"
    press(tab, "y")
    assert tab.states()["101"] == "accepted"
    assert tab.page.inner_text("[data-do=accept] kbd") == "Y"


def test_a_term_that_the_vocabulary_lacks_is_noted_and_withdrawn(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.fill("[role=combobox]", "spurdog fishery")
    tab.page.click("[role=option].propose")
    tab.page.wait_for_selector(".term:has-text('spurdog fishery')")
    assert "Noted “spurdog fishery”" in (tab.page.text_content(".toast") or "")
    tab.page.reload()
    tab.page.wait_for_selector(".term")
    tab.page.click(".term button")
    tab.page.wait_for_selector(".term", state="detached")


def test_a_concept_that_is_looked_up_stands_in_its_place_undecided(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.focus(".slider")
    press(tab, "Home")
    assert "303" not in tab.concept_ids()
    tab.page.fill("[role=combobox]", "high-speed")
    tab.page.wait_for_selector("[role=option] .hit")
    press(tab, "Control+Enter")
    tab.page.wait_for_selector(f"{row('303')}[aria-selected=true]")
    assert visible_labels(tab)[-3:] == ["land transport", "rail transport", "high-speed train"]
    assert tab.stored() == []
    press(tab, "a")
    tab.wait_until_saved()
    assert [concept_id for _, concept_id in tab.stored()] == ["303"]


def test_the_card_follows_the_selection_and_stays_open(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.click(".card-panel summary")
    tab.page.focus(row("104"))
    tab.page.wait_for_selector(".card-panel .card:has-text('sea fish')")
    tab.page.reload()
    tab.wait_for_suggestions()
    assert tab.page.get_attribute(".card-panel", "open") is not None


def test_languages_that_were_opened_on_a_card_stay_open(act_tab: ActTab) -> None:
    page = act_tab.page
    page.route("**/api/concept*", in_other_languages)
    page.click(".card-panel > summary")
    page.focus(row("104"))
    languages = page.locator(".card details:has(.languages)")
    languages.locator("summary").click()
    expect(languages).to_have_attribute("open", "")
    page.focus(row("102"))
    expect(page.locator(".card h2")).not_to_have_text("sole")
    expect(languages).to_have_attribute("open", "")
    page.unroute("**/api/concept*")


def in_other_languages(asked: Route) -> None:
    """Answer with labels in four more languages."""
    facts = asked.fetch().json()
    facts["labels"] |= {
        language: f"{language} {facts['label']}" for language in ("bg", "cs", "da", "de")
    }
    asked.fulfill(json=facts)
