"""The folded tree under the keys and the mouse of a real browser."""

from __future__ import annotations

import pytest

from core.review.store.people import NEXT_ORDER, default_person, set_preference
from core.review.store.store import Store
from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server
from tests.support.browser.tree import ActTab, opened, press, row, wait_for_state

pytestmark = pytest.mark.browser

IN_SIGHT = """(item) => {
    const [line, box] = [item.firstChild, item.closest('[role=tree]')].map((one) => one.getBoundingClientRect());
    return line.top >= box.top - 1 && line.bottom <= box.bottom + 1;
}"""


def prefer(server: Server, name: str, value: object) -> None:
    store = Store.open(f"sqlite:///{server.home}/strata.sqlite")
    set_preference(store, default_person(store).person_id, name, value)
    store.close()


def selected(tab: AnnotatePage) -> str | None:
    return tab.page.get_attribute("[role=treeitem][aria-selected]", "data-concept")


def drawn(tab: AnnotatePage) -> list[str]:
    """The concepts of all rows, suggested or not, in reading order."""
    found: list[str] = tab.page.eval_on_selector_all(
        "[role=treeitem]", "(all) => all.map((one) => one.dataset.concept)"
    )
    return found


def test_a_key_unfolds_a_chain_and_folds_it_again(act_tab: ActTab) -> None:
    tab = act_tab
    folded = drawn(tab)
    assert "d2" not in folded
    name = tab.page.get_attribute(row("m3"), "aria-label") or ""
    assert name.endswith("below TRANSPORT")
    assert tab.page.get_attribute(row("m3"), "aria-level") == "1"
    tab.page.focus(row("m3"))
    press(tab, "l")
    assert selected(tab) == "m3"
    assert tab.page.get_attribute(row("m3"), "aria-level") == "2"
    assert tab.page.get_attribute(row("d2"), "aria-expanded") == "true"
    press(tab, "ArrowUp", "l")
    assert drawn(tab) == folded
    assert selected(tab) == "m3"
    press(tab, "l")
    tab.page.wait_for_function(
        '() => Object.values(sessionStorage).some((view) => view.includes(\'"unfolded":["d2"]\'))'
    )
    tab.page.reload()
    tab.page.wait_for_selector(row("d2"))


def test_a_click_on_a_folded_concept_goes_to_it(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.click("[data-fold=d2]")
    assert selected(tab) == "d2"
    tab.page.click(f"{row('d2')} > .row .fold-again")
    tab.page.wait_for_selector(row("d2"), state="detached")
    assert selected(tab) == "m3"
    tab.page.evaluate(
        """() => document.dispatchEvent(new CustomEvent("strata:support", { detail: { conceptIds: ["d2"] } }))"""
    )
    tab.page.wait_for_selector(f"{row('d2')}[aria-selected=true]")


def test_an_undo_shows_a_concept_that_was_folded_again(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.click("[data-fold=d2]")
    press(tab, "Shift+R")
    wait_for_state(tab, "d2", "excluded")
    tab.page.focus(row("d2"))
    press(tab, "l", "z")
    tab.wait_until_saved()
    tab.page.locator(".toast", has_text="Undone:").wait_for()
    tab.page.wait_for_selector(f"{row('d2')}[aria-selected=true]:not([data-state=excluded])")


def test_rows_stay_where_they_are_while_one_decides(act_tab: ActTab) -> None:
    tab = act_tab
    before = drawn(tab)
    for concept_id, key in [("101", "r"), ("202", "a"), ("104", "r")]:
        tab.page.focus(row(concept_id))
        press(tab, key)
    tab.wait_until_saved()
    assert drawn(tab) == before
    chained = tab.page.locator(".name:has(> .chain) > .label")
    assert chained.count()
    cut = "(labels) => labels.filter((label) => label.scrollWidth > label.clientWidth).length"
    assert chained.evaluate_all(cut) == 0, "a label is whole whatever is folded into its row"


def test_the_next_suggestion_goes_by_probability_where_that_is_chosen(
    fake_server: Server, open_page: OpenPage
) -> None:
    prefer(fake_server, NEXT_ORDER, "probability")
    tab = opened(fake_server, open_page)
    percents = {one.concept_id: int(one.percent.rstrip("%")) for one in tab.rows()}
    best = max(percents, key=lambda concept_id: percents[concept_id])
    tab.page.focus(row(best))
    met = []
    for _ in range(len(percents) - 1):
        press(tab, "n")
        met.append(percents[selected(tab) or ""])
    assert met == sorted(met, reverse=True)
    press(tab, "n")
    assert percents[selected(tab) or ""] == percents[best]


def test_the_flat_view_shows_its_cursor(act_tab: ActTab) -> None:
    tab = act_tab
    tab.page.set_viewport_size({"width": 1200, "height": 520})
    last = tab.rows()[-1].concept_id
    tab.page.focus(row(last))
    for order in ("probability", "tree"):
        tab.page.eval_on_selector("[role=tree]", "(tree) => { tree.scrollTop = 0; }")
        tab.page.click(f"[data-sort={order}]")
        tab.page.wait_for_timeout(300)  # until heights are no guesses any more
        assert tab.page.eval_on_selector(row(last), IN_SIGHT)
