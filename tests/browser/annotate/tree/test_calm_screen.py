"""Text and tree keep their room, and keys their meaning, whatever is open, told or clicked."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.support.browser.tree import ActTab

WINDOW = {"width": 1440, "height": 900}
LEAST = 0.65  # of the height of the window
PARTS = (".reader .pane", "[role=tree]", ".dock")
TOAST = ".toast:not([hidden])"
ACCEPTED = ".chip[data-filter=accepted] .number"
COMPOSED = """(field, key) => field.dispatchEvent(new KeyboardEvent("keydown",
    { key, bubbles: true, cancelable: true, composed: true, isComposing: true }))"""


def boxes(page: Page) -> list[dict[str, float]]:
    found = [page.locator(part).first.bounding_box() for part in PARTS]
    return [box for box in found if box is not None]


def has_room(page: Page) -> bool:
    text, tree, _ = boxes(page)
    return min(text["height"], tree["height"]) >= LEAST * WINDOW["height"]


def test_text_and_tree_have_two_thirds_of_the_window_and_nothing_moves_them(
    act_tab: ActTab,
) -> None:
    page = act_tab.page
    page.set_viewport_size(WINDOW)  # type: ignore[arg-type]
    page.wait_for_selector(".evidence .passage")
    assert has_room(page)
    before = boxes(page)
    page.click(".card-panel > summary")
    page.wait_for_selector(".card-panel[open] .card h2")
    assert boxes(page) == before
    card = page.locator(".card-panel .card").bounding_box()
    assert card is not None
    assert card["x"] + card["width"] < before[1]["x"]  # over the text, not over the tree
    page.keyboard.press("g")  # nothing is given, which is told
    page.wait_for_selector(TOAST)
    assert boxes(page) == before
    page.click(".card-panel > summary")
    page.keyboard.press("Shift+Enter")  # nothing is decided: it is asked once
    page.wait_for_selector(".prompt:not([hidden])")
    assert boxes(page) == before
    page.keyboard.press("Escape")
    page.click(".icons-only")
    assert boxes(page)[1]["height"] > before[1]["height"]
    page.keyboard.press("a")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".workbench[data-finished=true] .banner:not([hidden])")
    assert has_room(page)


def test_keys_mean_the_same_wherever_a_person_has_clicked(act_tab: ActTab) -> None:
    page = act_tab.page
    page.wait_for_selector(".evidence .passage")
    page.click(".reader .body p")
    page.keyboard.press("a")
    expect(page.locator(ACCEPTED)).to_have_text("1")
    page.click(".evidence .after")
    page.keyboard.press("z")
    expect(page.locator(ACCEPTED)).to_have_text("0")
    page.wait_for_selector(".evidence .passage")
    page.click(".evidence .passage")
    page.keyboard.press("a")
    expect(page.locator(ACCEPTED)).to_have_text("1")
    page.click(".card-panel > summary")
    page.click(".card-panel .card h2")
    page.keyboard.press("a")
    expect(page.locator(ACCEPTED)).to_have_text("2")
    page.click(".sizes .larger")
    page.keyboard.press("?")
    expect(page.locator("dialog.help")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    expect(page.locator(".reader .find input")).to_be_focused()
    page.keyboard.type("are")  # typed, and decides nothing
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # back to the tree
    page.keyboard.press("r")
    expect(page.locator(".chip[data-filter=rejected] .number")).to_have_text("1")


def test_an_input_method_decides_nothing_and_a_search_is_finished_from(act_tab: ActTab) -> None:
    page = act_tab.page
    box = page.locator(".search input")
    box.fill("herring")
    page.wait_for_selector("[role=listbox][data-query=herring] [role=option][aria-selected=true]")
    for key in ("Enter", "ArrowDown", "Escape"):
        box.evaluate(COMPOSED, key)
    expect(box).to_have_value("herring")
    expect(page.locator(ACCEPTED)).to_have_text("0")
    box.press("Enter")
    expect(page.locator(ACCEPTED)).to_have_text("1")
    expect(box).to_be_focused()
    box.press("Control+z")
    expect(page.locator(ACCEPTED)).to_have_text("0")
    box.press("Shift+Enter")
    expect(page.locator(".prompt .sentence")).to_have_text("Nothing is decided on this document.")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".workbench[data-finished=true]")
