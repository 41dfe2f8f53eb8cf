from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from pages.screens import SCREENS
from tests.browser.conftest import OpenPage
from tests.support.browser.connection import Connection
from tests.support.browser.page import SETTLED, SUGGESTED
from tests.support.browser.profile import Profile
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

EXAMPLE = "document=example-fishing-quotas"
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 800, "height": 1000}
FRAME = """() => ['[data-testid=stSidebar]', '[data-testid=stMainBlockContainer] > div'].flatMap((part) => {
    const box = document.querySelector(part).getBoundingClientRect(); return [box.x, box.width]; })"""
BLOCK = """() => { const title = [...document.querySelectorAll('h1')].find((h) => h.offsetParent);
    const box = title.closest('[data-testid=stVerticalBlock]').getBoundingClientRect();
    return [box.x, box.width]; }"""

LINKS = "(links) => links.map((link) => link.getBoundingClientRect().x)"
AT_REST = "() => !document.querySelector('[data-testid=stSidebar]').getAnimations().length"


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_all_pages_have_one_frame_and_a_title(
    seeded_server: Server, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    page = open_page(seeded_server, viewport=viewport).page
    frames, blocks, links = [], [], []
    for _, title, _ in SCREENS:
        page.get_by_role("link", name=title, exact=True).click()
        expect(page).to_have_title(f"{title} · Strata")
        page.wait_for_selector("h1:visible")
        page.wait_for_selector(SETTLED)
        page.wait_for_selector(".documents a", state="attached")  # the list in the sidebar
        page.wait_for_function(AT_REST)  # a narrow page folds it at its start
        links.append(page.locator("[data-testid=stTopNavLink]").evaluate_all(LINKS))
        frames.append(page.evaluate(FRAME))
        blocks.append(page.evaluate(BLOCK))
    assert all(each == links[0] for each in links), links
    assert all(frame == frames[0] for frame in frames), frames
    assert all(block == blocks[0] for block in blocks), blocks


def test_the_sidebar_opens_documents_on_any_page_and_is_skipped_and_seen_without_a_mouse(
    seeded_server: Server, open_page: OpenPage
) -> None:
    page = open_page(seeded_server, "documents", viewport=WIDE).page
    remove = page.locator(".documents .remove").first
    expect(remove).to_have_css("opacity", "0")
    by_touch = page.context.new_cdp_session(page)
    by_touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    expect(remove).to_have_css("opacity", "0.75")
    by_touch.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    page.wait_for_selector("tbody tr")
    page.locator("[data-testid=stSkipToContent]").press("Enter")
    assert page.evaluate("document.activeElement.dataset.testid") == "stMain"
    the_focus_is_seen_on_links_to_pages(page, "stTopNavLink")
    page.click(".documents a >> nth=0")
    page.wait_for_url("**/?*document=*")
    page.wait_for_selector(".reader h1")
    page.get_by_role("link", name="Export", exact=True).click()
    page.wait_for_selector(".st-key-export_page h1")
    every_form_of_an_export_is_in_sight(page)
    page.click(".st-key-new button")
    page.wait_for_selector(".st-key-welcome h1")


def every_form_of_an_export_is_in_sight(page: Page) -> None:
    forms = page.locator(".st-key-export_form [role=radio]")
    expect(forms.last).to_have_text("History, JSONL")
    column = page.locator("[data-testid=stColumn]", has=forms.first).last.bounding_box()
    last = forms.last.bounding_box()
    assert column is not None
    assert last is not None
    assert last["x"] + last["width"] <= column["x"] + column["width"]


def the_focus_is_seen_on_links_to_pages(page: Page, kind: str) -> None:
    link = page.locator(f"[data-testid={kind}]").nth(1)
    page.keyboard.press("Tab")  # who uses keys is shown the focus
    link.focus()
    expect(link).to_have_css("outline-style", "solid")


def test_on_a_narrow_screen_the_sidebar_is_folded_until_it_is_asked_for_and_folds_behind_what_it_opens(
    seeded_server: Server, open_page: OpenPage
) -> None:
    page = open_page(seeded_server, "documents", viewport=NARROW).page
    sidebar = page.locator("[data-testid=stSidebar]")
    expect(sidebar).to_be_hidden()
    unfold(page)
    page.click(".documents a >> nth=0")
    page.wait_for_selector(".reader h1")
    expect(sidebar).to_be_hidden()

    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    expect(sidebar).to_be_visible()
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    expect(sidebar).to_be_hidden()

    page.wait_for_selector(SUGGESTED)
    unfold(page)
    page.click(".st-key-chart button")
    page.wait_for_selector("[data-testid=stPlotlyChart]")
    expect(sidebar).to_be_hidden()
    dialog = page.get_by_role("dialog")
    dialog.press("Escape")
    expect(dialog).to_be_hidden()
    unfold(page)
    page.get_by_role("link", name="Insights").click()
    page.wait_for_selector(".st-key-insights_page h1")
    expect(sidebar).to_be_hidden()
    page.set_viewport_size({"width": 720, "height": 900})  # opened so, it has the links to pages
    page.reload()
    page.wait_for_selector("body[data-sidebar-folds]", state="attached")
    page.wait_for_selector(SETTLED)
    unfold(page)
    the_focus_is_seen_on_links_to_pages(page, "stSidebarNavLink")


def unfold(page: Page) -> None:
    page.click("[data-testid=stExpandSidebarButton]")
    expect(page.locator("[data-testid=stSidebar]")).to_be_visible()


def test_a_sidebar_that_a_narrow_screen_folded_stays_so_until_the_page_is_opened_wide(
    seeded_server: Server, open_page: OpenPage, profile: Profile
) -> None:
    narrow = open_page(seeded_server, "documents", viewport={"width": 320, "height": 900}).page
    folded = narrow.locator("[data-testid=stSidebar]")
    narrow.wait_for_selector("body[data-sidebar-folds]", state="attached")
    narrow.set_viewport_size(NARROW)  # type: ignore[arg-type]
    # Streamlit opens it above 768 pixels.
    narrow.wait_for_function("() => localStorage.getItem('strata.sidebar.folded') !== null")
    expect(folded).to_be_hidden()
    expect(folded).to_have_attribute("data-collapsed", "true")
    narrow.close()
    wide = profile.tab(seeded_server.url)
    wide.goto(f"{seeded_server.url}documents")
    sidebar = wide.locator("[data-testid=stSidebar]")
    expect(sidebar).to_have_attribute("data-collapsed", "false")

    # What somebody folds stays folded.
    sidebar.hover()
    sidebar.locator("[data-testid=stSidebarCollapseButton] button").click()
    expect(sidebar).to_have_attribute("data-collapsed", "true")
    wide.wait_for_function(
        "() => document.querySelector('[data-testid=stMain]').getBoundingClientRect().left === 0"
    )
    wide.reload()
    wide.wait_for_selector("body[data-sidebar-folds]", state="attached")
    expect(sidebar).to_have_attribute("data-collapsed", "true")


def test_the_document_that_was_open_is_open_again_after_a_look_at_another_page(
    fake_server: Server, open_page: OpenPage
) -> None:
    page = open_page(fake_server)
    page.open_example("fishing-quotas")
    page.page.get_by_role("link", name="Settings").click()
    page.page.wait_for_url("**/settings?project=1*")
    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_url(f"**/?project=1&{EXAMPLE}")
    page.wait_for_suggestions()

    # The way back through the addresses is not turned round.
    for _ in range(3):  # Streamlit may have put an address of its own in between
        if "/settings" not in (left := page.page.url):
            page.page.go_back()
            page.page.wait_for_url(lambda url, left=left: url != left)
            page.page.wait_for_selector(SETTLED)
    page.page.wait_for_url("**/settings?project=1*")
    page.page.wait_for_selector(SETTLED)

    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_url(f"**/?project=1&{EXAMPLE}")
    page.wait_for_suggestions()
    page.page.wait_for_selector(SETTLED)
    page.page.click(".st-key-new button")
    page.page.wait_for_selector(".st-key-example-fishing-quotas")
    page.page.get_by_role("link", name="Settings").click()
    page.page.wait_for_url("**/settings?project=1*")
    page.page.wait_for_selector(SETTLED)
    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_selector(".st-key-example-fishing-quotas")
    assert EXAMPLE not in page.page.url


def test_a_page_lives_on_when_its_answers_come_after_many_others(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    connection = Connection(tab.page)
    tab.open()
    tab.open_example("fishing-quotas")
    tab.page.wait_for_selector(SETTLED)
    connection.holds_answers = True
    # Each is asked for before the answer to the one before is here, as on a slow network.
    for n_runs, name in enumerate(("Settings", "Export", "Models", "Settings", "Annotate"), 1):
        tab.page.get_by_role("link", name=name).click()
        connection.wait_for_whole_runs(n_runs)
    connection.release()
    tab.page.wait_for_url(f"**/?project=1&{EXAMPLE}")
    tab.wait_for_suggestions()
    tab.page.click(".st-key-new button")
    tab.page.wait_for_selector(".st-key-example-fishing-quotas")


def test_every_page_delivers_what_was_decided_while_the_server_was_away(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    tab.open_example("fishing-quotas")
    fake_server.kill()
    tab.decide("101", "accept")
    tab.decide("102", "reject")
    tab.page.wait_for_selector(".badge[data-status=away]")
    assert "2 decisions kept in this browser" in tab.badge
    context = tab.page.context
    tab.page.close(run_before_unload=False)
    fake_server.start()
    export = context.new_page()
    export.goto(fake_server.url + "export")
    export.wait_for_function(
        "() => !Object.keys(localStorage).some((key) => key.startsWith('strata.decision.'))"
    )
    assert [(a, c) for _, _, a, c in fake_server.events()] == [("accept", "101"), ("reject", "102")]
