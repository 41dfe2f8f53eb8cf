"""What a person sees and does on the Annotate page, with the fake model."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Route

from tests.browser.conftest import OpenPage
from tests.support.browser.hostile import HOSTILE_LABELS
from tests.support.browser.server import Server
from tests.support.browser.tree import opened

pytestmark = pytest.mark.browser

N_KEYS = 50
PRESS_KEYS = """([n, pause]) => {
    let active = document.activeElement;
    const focused = () => {
        let node = document.activeElement;
        while (node.shadowRoot && node.shadowRoot.activeElement) node = node.shadowRoot.activeElement;
        return node;
    };
    for (let at = 0; at < n; at++) setTimeout(() => focused().dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ar'[at % 2], bubbles: true, composed: true })), at * pause);
    return new Promise((done) => setTimeout(done, n * pause));
}"""


def test_a_burst_of_keys_is_stored_to_the_last(fake_server: Server, open_page: OpenPage) -> None:
    tab = opened(fake_server, open_page)
    tab.page.focus("[role=treeitem][data-concept='202']")
    tab.page.evaluate(PRESS_KEYS, [N_KEYS, 10])  # returns after the last
    tab.wait_until_saved()
    stored = fake_server.events()
    assert [sequence for _, sequence, _, _ in stored] == list(range(1, N_KEYS + 1))
    assert [action for _, _, action, _ in stored] == ["accept", "reject"] * (N_KEYS // 2)


def test_nothing_in_a_label_or_a_text_is_run(hostile_server: Server, open_page: OpenPage) -> None:
    tab = open_page(hostile_server)
    title = "On herring <img src=x onerror=window.hacked=1>"
    text = "herring <script>window.hacked=1</script>\n\n[click](javascript:window.hacked=1)"
    tab.paste(title, text)
    assert tab.page.inner_text(".reader h1") == title
    assert "<script>window.hacked=1</script>" in tab.page.inner_text(".reader")
    assert HOSTILE_LABELS["102"] in {row.label for row in tab.rows()}
    tab.page.fill("[role=combobox]", "img")
    tab.page.wait_for_selector("[role=option]")
    assert HOSTILE_LABELS["102"] in tab.page.inner_text("[role=listbox]")
    tab.page.hover(".documents li")
    tab.page.click(".documents .remove")
    tab.page.wait_for_selector(".removed button")
    assert title in tab.page.inner_text(".removed")
    assert tab.page.evaluate("window.hacked") is None


def test_the_tree_is_worked_by_keys_alone(fake_server: Server, open_page: OpenPage) -> None:
    tab = opened(fake_server, open_page)
    tab.page.focus("[role=treeitem][data-concept='202']")
    press = tab.page.keyboard.press
    press("Home")
    press("ArrowLeft")
    top = "[role=treeitem][data-concept='d1']"
    assert tab.page.get_attribute(top, "aria-expanded") == "false"
    press("ArrowRight")
    press("n")
    press("a")
    assert tab.states()["202"] == "accepted"
    assert tab.page.get_attribute(top, "data-state") == "implied"
    assert tab.summary == "1 accepted · 0 rejected · 8 unresolved"
    press("r")
    assert tab.states()["103"] == "rejected"
    name = tab.page.get_attribute("[role=treeitem][data-concept='103']", "aria-label")
    assert name is not None
    assert "percent, from fake, rejected" in name
    assert len([row for row in tab.rows() if row.concept_id == "103"]) == 1
    press("z")
    tab.wait_until_saved()
    tab.page.wait_for_selector("[role=treeitem][data-concept='103'][data-state=unresolved]")
    assert tab.summary == "1 accepted · 0 rejected · 8 unresolved"
    press("/")
    tab.page.keyboard.type("trai")
    tab.page.wait_for_selector("[role=option]")
    press("ArrowDown")
    press("ArrowUp")
    press("Enter")  # which waits for the answer to all four letters
    tab.page.wait_for_selector("[role=treeitem][data-concept='302'][data-state=accepted]")
    tab.wait_until_saved()
    assert [row.state for row in tab.rows() if row.label == "travel ticket"] == ["accepted"]
    assert [(a, c) for _, _, a, c in fake_server.events()] == [
        ("accept", "202"),
        ("reject", "103"),
        ("undo", None),
        ("accept", "302"),
    ]


def test_enter_takes_what_was_typed_not_what_was_found_before(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    tab.page.fill("[role=combobox]", "fish")
    tab.page.wait_for_selector("[role=option]")
    assert "travel ticket" not in tab.page.inner_text("[role=listbox]")

    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    tab.page.route(re.compile(r"[?&]q=t"), late)
    tab.page.focus("[role=combobox]")
    tab.page.keyboard.press("Control+A")
    tab.page.keyboard.type("trai")
    tab.page.keyboard.press("Enter")
    # Whoever goes on at once loses neither what was typed nor its place before what follows.
    tab.page.focus("[role=treeitem][data-concept='102']")
    tab.page.keyboard.press("a")
    tab.page.wait_for_selector("[role=treeitem][data-concept='302'][data-state=accepted]")
    tab.wait_until_saved()
    assert [(a, c) for _, _, a, c in fake_server.events()] == [("accept", "302"), ("accept", "102")]


def test_a_guess_is_taken_only_where_it_was_chosen(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    tab.page.fill("[role=combobox]", "hering")
    tab.page.wait_for_selector(
        "[role=listbox][data-query=hering] [role=option]:has-text('herring')"
    )
    tab.page.keyboard.press("Enter")
    assert tab.page.input_value("[role=combobox]") == "hering"
    assert "accepted" not in tab.states().values()
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    tab.wait_until_saved()
    assert [(a, c) for _, _, a, c in fake_server.events()] == [("accept", "102")]


def test_the_slider_chooses_how_many_and_never_hides_a_decision(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    assert len(tab.concept_ids()) == 9
    tab.decide("302", "reject")
    tab.page.focus(".slider")
    for _ in range(8):
        tab.page.keyboard.press("ArrowLeft")
    assert tab.page.inner_text(".shown-count") == "1 of 9"
    assert tab.concept_ids() == ["202", "302"]
    assert tab.summary == "0 accepted · 1 rejected · 1 unresolved"
    tab.wait_until_saved()
    tab.page.reload()
    tab.wait_for_suggestions()
    assert tab.concept_ids() == ["202", "302"]


def test_a_closed_tab_loses_nothing_that_was_decided_while_the_server_was_away(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    fake_server.kill()
    tab.decide("101", "accept")
    tab.decide("102", "reject")
    tab.page.wait_for_selector(".badge[data-status=away]")
    assert "2 decisions kept in this browser" in tab.badge
    context = tab.page.context
    tab.page.close(run_before_unload=False)
    fake_server.start()
    reopened = context.new_page()
    reopened.goto(fake_server.url)
    reopened.wait_for_selector(".sender", state="attached")
    reopened.wait_for_function(
        "() => !Object.keys(localStorage).some((key) => key.startsWith('strata.decision.'))"
    )
    assert [(a, c) for _, _, a, c in fake_server.events()] == [("accept", "101"), ("reject", "102")]


def test_decisions_go_on_while_the_server_is_away_for_longer(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = opened(fake_server, open_page)
    tab.page.focus("[role=treeitem][data-concept='202']")
    fake_server.kill()
    tab.page.wait_for_timeout(9_000)  # Streamlit has put its dialog over the page by now
    tab.page.keyboard.press("a")
    tab.decide("101", "reject")
    assert tab.summary == "1 accepted · 1 rejected · 7 unresolved"
    fake_server.start()
    tab.wait_until_saved()
    assert tab.badge == "Saved"
    assert [(a, c) for _, _, a, c in fake_server.events()] == [("accept", "202"), ("reject", "101")]


def test_nothing_is_asked_of_any_other_machine(fake_server: Server, open_page: OpenPage) -> None:
    tab = open_page(fake_server)
    asked = []
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.open()
    tab.open_example("honey-labelling")
    elsewhere = [url for url in asked if not url.startswith((fake_server.url, "blob:", "data:"))]
    assert asked
    assert elsewhere == []


def test_the_page_stays_alive_with_five_megabytes(fake_server: Server, open_page: OpenPage) -> None:
    tab = open_page(fake_server)
    text = "On herring\n\n" + "Herring and sole are shared.\n\n" * 170_000
    file = {"name": "big.txt", "mimeType": "text/plain", "buffer": text.encode()}
    tab.page.set_input_files(".st-key-uploads input[type=file]", files=[file])
    tab.wait_for_suggestions()
    assert "read about the first 8,192 of 850,000 words" in tab.page.inner_text(".reader")
    tab.decide("102", "accept")
    tab.wait_until_saved()
    assert len(fake_server.events()) == 1
