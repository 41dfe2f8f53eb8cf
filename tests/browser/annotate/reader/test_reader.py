"""The document beside the tree: its text, the search inside it, and what speaks for a concept."""

from __future__ import annotations

import json
import re

import pytest

from tests.support.browser.profile import Profile
from tests.support.browser.reading import READ_TITLE, Reading, in_shadow
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

FOCUS = """() => { let at = document.activeElement;
    while (at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
    return at.dataset.concept || at.className; }"""
MARKED = "[...root.querySelectorAll('mark')].map((mark) => mark.textContent)"
# Streamlit imports the script of a component from a blob.
HELD = """document.addEventListener('strata:select', () => { window.isTold = true; });
window.Blob = class extends Blob { constructor(parts, options) {
    const isReader = String(parts).includes('class EvidencePanel');
    super(isReader ? ["await new Promise((go) => { globalThis.letGo = go; });", ...parts] : parts, options);
} };"""
SCROLLED = "root.querySelector('.pane').scrollTop"


def test_a_title_of_many_lines_is_not_larger_than_the_text(reading: Reading) -> None:
    tab = reading
    tab.page.click(".st-key-new button")
    size = "parseFloat(getComputedStyle(root.querySelector('{}')).fontSize)"
    for n_words, is_larger in ((12, True), (60, False)):
        title = "Regulation on herring " * (n_words // 3)
        tab.paste(title, f"Herring is caught, in {n_words} words.")
        tab.wait_for("h1", title.strip())
        assert (tab.ask(size.format("h1")) > tab.ask(size.format(".body"))) is is_larger
        tab.page.click(".st-key-new button")


def test_what_speaks_for_a_concept_is_marked_in_the_text(reading: Reading) -> None:
    selecting_a_concept_marks_what_speaks_for_it(reading)
    keys_step_through_the_passages(reading)
    hovering_marks_without_scrolling_and_leaves_what_is_selected(reading)
    selection_scrolls_to_the_first_mark(reading)
    a_broader_concept_marks_the_union_of_what_is_suggested_below(reading)
    a_passage_tells_which_concepts_it_supports(reading)


def test_the_text_is_searched_and_its_size_remembered(reading: Reading) -> None:
    the_search_counts_and_steps_and_leads_back_to_the_tree(reading)
    marks_and_hits_share_the_text_and_change_nothing_of_it(reading)
    the_size_of_the_text_is_remembered(reading)


def selecting_a_concept_marks_what_speaks_for_it(reading: Reading) -> None:
    shown = reading.ask("[...root.querySelector('.body').children].map((one) => one.tagName)")
    assert shown[:4] == ["P", "H2", "P", "P"]
    assert reading.pane(".body h2") == "Article 1"
    assert reading.pane("h1") == READ_TITLE
    reading.select("101", "fishing quota")
    assert reading.ask(MARKED) == ["fishing", "quota", "quota"]
    ranks = reading.ask("[...root.querySelectorAll('mark')].map((mark) => mark.dataset.rank)")
    assert ranks == ["2", "1", "1"]
    assert "an approximation" in reading.pane(".evidence .head")
    assert reading.pane(".evidence .list").split() == [
        "1",
        "quota",
        "67%",
        "×2",
        "2",
        "fishing",
        "33%",
    ]
    assert reading.page.evaluate(FOCUS) == "101", "the tree keeps the focus"


# At every width of the text: how wide the first line of the narrowest mark is, number and all.
NARROWEST = """(() => { const body = root.querySelector('.body'); let least = Infinity;
    for (let width = 80; width < 300; width += 3) {
        body.style.width = `${width}px`;
        for (const mark of root.querySelectorAll('mark.begins')) least = Math.min(least, mark.getClientRects()[0].width);
    }
    body.style.width = ''; return least; })()"""


def hovering_marks_without_scrolling_and_leaves_what_is_selected(reading: Reading) -> None:
    reading.select("101", "fishing quota")
    before = reading.ask(SCROLLED)
    reading.label("104").hover()
    reading.wait_for(".evidence .head", "Evidence for sole")
    assert reading.ask(MARKED) == ["sole", "sole"]
    assert reading.ask(SCROLLED) == before
    assert reading.page.evaluate(FOCUS) == "101"
    reading.page.locator(".find input").hover()
    reading.wait_for(".evidence .head", "Evidence for fishing quota")
    marks_stay_while_the_mouse_comes_from_the_tree(reading)


def selection_scrolls_to_the_first_mark(reading: Reading) -> None:
    reading.select("102", "herring")
    assert reading.ask(NARROWEST) > 30, "the number of a passage stays with its word"
    reading.page.locator(".evidence .after").click()
    reading.wait_for(".evidence .where", "place 2 of 2")
    reading.page.wait_for_function(in_shadow(f"{SCROLLED} > 500"))
    assert reading.ask("root.querySelector('mark.active').textContent") == "Herring"


def a_broader_concept_marks_the_union_of_what_is_suggested_below(reading: Reading) -> None:
    reading.label("m1").click()
    reading.wait_for(".evidence .head", "suggestions below fisheries")
    marked = reading.ask(MARKED)
    assert {"fishing", "quota", "herring", "sole"} <= set(marked)
    assert not reading.page.locator(".evidence .test").is_visible()


def a_passage_tells_which_concepts_it_supports(reading: Reading) -> None:
    reading.select("101", "fishing quota")
    reading.page.evaluate(
        "() => document.addEventListener('strata:support', (e) => { window.supported = e.detail; })"
    )
    reading.page.locator(".reader mark", has_text="fishing").click()
    reading.page.wait_for_function("() => window.supported")
    detail = reading.page.evaluate("() => window.supported")
    assert detail["conceptIds"][0] == "101"
    assert detail["documentId"] == reading.ask("root.querySelector('.reader').dataset.document")
    # Without it, the concept is less probable.
    reading.page.locator(".evidence .test").click()
    reading.wait_for(".evidence .result", "point")
    assert re.fullmatch(r"−\d+ points?", reading.pane(".evidence .result"))


def marks_stay_while_the_mouse_comes_from_the_tree(reading: Reading) -> None:
    reading.page.evaluate(in_shadow("window.marked = root.querySelector('mark')"))
    mark = reading.page.locator(".reader mark").first.bounding_box()
    reading.page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    reading.page.mouse.down()
    # Leaving the tree is told after the next frame.
    reading.page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))"
    )
    assert reading.page.evaluate("() => window.marked.isConnected")
    reading.page.mouse.up()
    reading.wait_for(".evidence .where", "speaks for")


def keys_step_through_the_passages(reading: Reading) -> None:
    reading.select("101", "fishing quota")
    reading.page.locator(".reader .pane").focus()
    reading.page.keyboard.press("e")
    reading.wait_for(".evidence .where", "passage 1, place 2 of 2")
    reading.page.keyboard.press("e")
    reading.wait_for(".evidence .where", "passage 2, place 1 of 1")
    reading.page.keyboard.press("w")
    reading.wait_for(".evidence .where", "passage 1, place 2 of 2")
    assert reading.page.evaluate(FOCUS) == "pane"


def the_search_counts_and_steps_and_leads_back_to_the_tree(reading: Reading) -> None:
    reading.label("101").click()
    box = reading.page.locator(".reader .find input")
    box.fill("the PARTIES  meet")
    reading.wait_for(".find .count", "1 of 80")
    box.press("Shift+Enter")
    reading.wait_for(".find .count", "80 of 80")
    reading.page.wait_for_function(in_shadow(f"{SCROLLED} > 500"))
    box.press("Enter")
    reading.wait_for(".find .count", "1 of 80")
    box.fill("(nothing*")
    reading.wait_for(".find .count", "not found")
    box.press("Escape")
    assert reading.ask("root.querySelectorAll('.hit').length") == 0
    assert reading.page.evaluate(FOCUS) != "101"
    box.press("Escape")
    assert reading.page.evaluate(FOCUS) == "101", "the empty box gives the keys back to the tree"


def marks_and_hits_share_the_text_and_change_nothing_of_it(reading: Reading) -> None:
    written = reading.ask("root.querySelector('.pane').textContent")
    reading.select("101", "fishing quota")
    reading.page.locator(".reader .find input").fill("ing quo")
    reading.wait_for(".find .count", "1 of 1")
    assert (
        reading.ask("[...root.querySelectorAll('.hit')].map((hit) => hit.textContent).join('')")
        == "ing quo"
    )
    assert reading.ask("root.querySelector('.pane').textContent") == written


def the_size_of_the_text_is_remembered(reading: Reading) -> None:
    size = "parseFloat(getComputedStyle(root.querySelector('.pane')).fontSize)"
    before = reading.ask(size)
    reading.page.locator(".larger").click()
    larger = reading.ask(size)
    assert larger > before
    reading.page.reload()
    reading.wait_for_suggestions()
    assert reading.ask(size) == larger


def test_a_text_that_comes_after_the_tree_has_the_evidence_for_what_is_selected(
    text_server: Server, profile: Profile
) -> None:
    tab = Reading(profile.tab(text_server.url), text_server.url)
    tab.page.add_init_script(HELD)
    tab.open("?document=act")
    tab.wait_for_suggestions()
    tab.page.wait_for_function("() => window.letGo && window.isTold")
    tab.page.evaluate("() => window.letGo()")
    tab.page.wait_for_selector(".evidence .passage")


def test_four_hundred_thousand_characters_stay_quick(text_server: Server, profile: Profile) -> None:
    tab = Reading(profile.tab(text_server.url), text_server.url)
    tab.open()
    tab.upload("On herring", "The herring 😀 and the cod swim in the bay.\n\n" * 9_300)
    tab.select("102", "herring")
    timing = """(() => { const reader = root.querySelector('.reader'); const before = performance.now();
        document.dispatchEvent(new CustomEvent('strata:select', { detail: {
            documentId: reader.dataset.document, conceptId: '102', conceptIds: ['102'],
            label: 'herring', hover: true } }));
        return performance.now() - before; })()"""
    took = min(float(json.loads(str(tab.ask(timing)))) for _ in range(5))
    assert took < 100, f"{took:.0f} ms to mark"
    tab.page.locator(".reader .find input").fill("cod swim")
    tab.wait_for(".find .count", "1 of 9,")
