"""Every page and state, with labels, titles and texts that attack: nothing runs, nothing breaks.

On none of them, light or dark, axe-core finds a violation of ours, and the browser one of the policy.
"""

from __future__ import annotations

from itertools import groupby

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.support.browser.axe import OF_COLOURS, TAGS, is_streamlits, violations
from tests.support.browser.page import SETTLED
from tests.support.browser.policy import policy_reports
from tests.support.browser.profile import Profile
from tests.support.browser.screens import SCREENS, WIDE, Screen, come_to
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

BACKGROUND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
FADING_MS = 300  # until what fades from one colour to the other has begun to
IS_STILL = """() => [document, ...[...document.querySelectorAll('*')].map((host) => host.shadowRoot)]
    .flatMap((root) => root ? root.getAnimations() : [])
    .every((moving) => !(moving instanceof CSSTransition))"""
OVERFLOW = """() => [document.documentElement, ...document.querySelectorAll('[data-testid=stMain]')]
    .map((box) => box.scrollWidth - box.clientWidth)"""
# Words without any such sign that stand backwards, of what is not the text of a document.
BACKWARDS = """() => {
    const found = [];
    const left = (node, at) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect();
    };
    const look = (root) => {
        for (const node of root.childNodes) {
            if (node.shadowRoot) look(node.shadowRoot);
            if (node.nodeType === 1 && !node.matches('style, script, .pane')) look(node);
            const word = node.nodeType === 3 && /^[ -~]*?[a-z]{3,}[ -~]*$/i.test(node.data) && /[a-z]{3,}/i.exec(node.data);
            if (!word) continue;
            const [first, last] = [left(node, word.index), left(node, word.index + word[0].length - 1)];
            if (first.width && Math.abs(first.top - last.top) < 2 && first.left > last.left) found.push(node.data);
        }
    };
    look(document.body);
    return found;
}"""
AFAR = "a[href*='evil.example'], a[href*='example.org']"  # bare addresses are no links
BROKEN = "[data-testid=stException], [data-testid=stAlertContentError]"


class Watch:
    """What a page does that it must not."""

    def __init__(self, page: Page) -> None:
        self.seen: list[str] = []
        self.asked_afar: list[str] = []
        page.on("dialog", self._on_dialog)
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("request", lambda request: self._on_request(request.url))

    def _on_dialog(self, dialog: object) -> None:
        self.seen.append(f"dialog: {dialog}")
        dialog.dismiss()  # type: ignore[attr-defined]

    def _on_request(self, url: str) -> None:
        if not url.startswith(("http://localhost", "ws://localhost", "data:", "blob:")):
            self.asked_afar.append(url)


def assert_unharmed(page: Page, watch: Watch) -> None:
    assert page.evaluate("window.hacked") is None
    assert watch.seen == []
    assert watch.asked_afar == []
    assert page.locator(AFAR).count() == 0, page.locator(AFAR).all_inner_texts()
    assert page.locator(BROKEN).count() == 0, page.locator(BROKEN).all_inner_texts()
    assert max(page.evaluate(OVERFLOW)) <= 1, "the page scrolls sideways"
    assert page.evaluate(BACKWARDS) == []


@pytest.mark.parametrize(
    "screens",
    [list(screens) for _, screens in groupby(SCREENS, lambda screen: screen.path)],
    ids=lambda screens: screens[0].name,
)
def test_no_page_runs_it_or_breaks_a_rule(
    screens: list[Screen], attacked_server: Server, profile: Profile
) -> None:
    page = profile.tab(attacked_server.url)
    watch = Watch(page)
    with policy_reports(page) as reports:
        page.goto(attacked_server.url + screens[0].path)
        for screen in screens:
            come_to(page, screen)
            assert_unharmed(page, watch)
            assert ours(page, TAGS, screen.part) == [], screen.name
            change_colours(page)
            assert ours(page, OF_COLOURS, screen.part) == [], screen.name
            check_narrow(page, watch)
            page.keyboard.press("Escape")
    assert reports == []


def change_colours(page: Page) -> None:
    """Have the colours of a page that is open follow those of the system, which are others."""
    before = page.evaluate(BACKGROUND)
    is_dark = page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if is_dark else "dark")
    page.wait_for_function(f"(before) => ({BACKGROUND})() !== before", arg=before)
    page.wait_for_selector(SETTLED)
    page.wait_for_timeout(FADING_MS)
    page.wait_for_function(IS_STILL)


def check_narrow(page: Page, watch: Watch) -> None:
    """Look at the page in a narrow window, and make the window wide again."""
    page.set_viewport_size({"width": 800, "height": WIDE["height"]})
    page.wait_for_function("() => innerWidth === 800")
    page.wait_for_timeout(300)  # for what moves
    page.wait_for_function(f"() => Math.max(...({OVERFLOW})()) <= 1")  # charts follow later
    assert_unharmed(page, watch)
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    page.wait_for_function(f"() => innerWidth === {WIDE['width']}")


def ours(page: Page, rules: list[str], part: str) -> list[str]:
    """What axe finds, without what Streamlit draws."""
    found = [found for found in violations(page, rules, part) if not is_streamlits(found)]
    return [f"{violation.rule}: {violation.target}: {violation.summary}" for violation in found]


def test_tree_and_reader_work_as_ever(attacked_server: Server, open_page: OpenPage) -> None:
    tab = open_page(attacked_server, "?document=formula")
    watch = Watch(tab.page)
    tab.wait_for_suggestions()
    tab.page.locator("[role=treeitem][data-concept='104']").first.focus()
    tab.page.keyboard.press("a")
    tab.page.wait_for_selector("[data-concept='104'][data-state=accepted]")
    tab.page.keyboard.press("z")
    tab.page.wait_for_selector("[data-concept='104']:not([data-state=accepted])")
    tab.page.keyboard.press("/")
    tab.page.keyboard.type("hyperlink")
    tab.page.wait_for_selector("[role=listbox][data-query=hyperlink] [role=option]")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    tab.wait_until_saved()
    tab.page.locator("[role=treeitem][data-concept='101'] > .row .label").first.click()
    tab.page.locator(".reader mark").first.wait_for()
    tab.page.locator(".reader .find input").fill("<script>")
    tab.page.locator(".reader .find .count", has_text="1 of 1").wait_for()
    assert tab.page.locator(".reader :is(img, script)").count() == 0
    assert_unharmed(tab.page, watch)
