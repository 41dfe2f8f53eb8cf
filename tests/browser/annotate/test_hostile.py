"""Labels, titles and texts that attack: nothing of them runs, and nothing of the page breaks."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from core.export.tables import FORMULA_STARTS
from core.review.store.documents import set_comment
from core.review.store.proposed_terms import propose_term
from tests.browser.conftest import OpenPage
from tests.support.browser.acts import Act
from tests.support.browser.profile import Profile
from tests.support.browser.screens import SCREENS, WIDE, Screen, go_to
from tests.support.browser.seeds import Seeder
from tests.support.browser.server import Server
from tests.support.fakes import fake_session
from tests.support.files.insights_files import write_manifest

pytestmark = pytest.mark.browser

RUN = "window.hacked=1"
IMAGE = f'<img src=x onerror="{RUN}">'
SCRIPT = f"</script><script>{RUN}</script>"
DRAWING = f'"><svg onload={RUN}>'
LINK = f"[press me](javascript:{RUN}) ![x](https://example.org/x.png) :material/bug_report: $x^2$"
BACKWARDS = "\u202egnirreh \u2066fo\u2069 atouq\u202c \u200f\u200e"
LONG_WORD = "x" * 10_000
LONG_WORDS = "quota " * 1_667
NUL = "be\x00fore and after"
FORMULA = '=HYPERLINK("https://example.org","press me")'
LABELS = {
    "d1": DRAWING, "d2": LINK, "m1": LONG_WORDS, "m2": IMAGE, "m3": FORMULA,
    "101": IMAGE, "102": SCRIPT, "103": BACKWARDS, "104": LONG_WORD, "201": LONG_WORDS,
    "202": NUL, "301": FORMULA, "302": LINK, "303": "@SUM(1+1)*cmd|' /C calc'!A0",
}  # fmt: skip
TEXT = "\n\n".join([IMAGE, SCRIPT, BACKWARDS, LONG_WORD, LONG_WORDS, NUL, FORMULA, LINK])
# The names are those of the screens' documents, so that every screen shows one of these.
HOSTILE_ACTS = (
    Act("herring", f"{IMAGE} {SCRIPT} {BACKWARDS}", TEXT),
    Act("tickets", LONG_WORD, TEXT),
    Act("formula", FORMULA, f"{FORMULA}\n\n{TEXT}"),
    Act("links", f"{LINK} {NUL}", TEXT),
)
OVERFLOW = """() => [document.documentElement, ...document.querySelectorAll('[data-testid=stMain]')]
    .map((box) => box.scrollWidth - box.clientWidth)"""
BROKEN = "[data-testid=stException], [data-testid=stAlertContentError]"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("hostile") / "home"
    keep_hostile_acts(home)
    server = Server(home, fake=True, STRATA_FAKE_LABELS=json.dumps(LABELS))
    server.start()
    server.wait_for_model()
    yield server
    server.close()


def keep_hostile_acts(home: Path) -> None:
    """Every act with decisions, a comment and a proposed term that attack as well."""
    place = fake_session(home, labels=LABELS)
    place.server.start()
    assert place.wait_until_loaded(60) == "ready"
    seeder, store = Seeder(place), place.store()
    for act in HOSTILE_ACTS:
        kept = seeder.add(act, given=2, batch=f"{IMAGE}{LONG_WORD[:300]}.csv")
        seeder.decide(kept, ("accept", "101"), ("mark", "101"), ("reject", "301"))
        seeder.decide(kept, ("exclude", "m3"), ("accept", "302"), ("accept", "202"))
        set_comment(store, kept, f"{FORMULA} {IMAGE}")
        propose_term(store, kept, f"{IMAGE}{LONG_WORD[:200]}", FORMULA, place.person_id())
    seeder.finish("tickets", shown=9)
    place.server.close()
    # A manifest comes from elsewhere as well.
    write_manifest(place.settings.bundle_dir, f"{IMAGE} {LINK} {LONG_WORD[:200]}")


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
    assert page.locator(BROKEN).count() == 0, page.locator(BROKEN).all_inner_texts()
    assert max(page.evaluate(OVERFLOW)) <= 1, "the page scrolls sideways"


@pytest.mark.parametrize("width", [1440, 800])
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_no_page_runs_it_or_breaks(
    screen: Screen, width: int, server: Server, profile: Profile
) -> None:
    page = profile.tab(server.url, viewport={**WIDE, "width": width})
    watch = Watch(page)
    go_to(page, screen, server)
    assert_unharmed(page, watch)
    profile.clear()


def test_the_tree_works_as_ever(server: Server, open_page: OpenPage) -> None:
    tab = open_page(server, "?document=formula")
    watch = Watch(tab.page)
    tab.wait_for_suggestions()
    tab.page.locator("[role=treeitem][data-concept='104']").first.focus()
    tab.page.keyboard.press("a")
    tab.page.wait_for_selector("[data-concept='104'][data-state=accepted]")
    tab.page.keyboard.press("z")
    tab.page.wait_for_selector("[data-concept='104']:not([data-state=accepted])")
    tab.page.keyboard.press("/")
    tab.page.keyboard.type("hyperlink")
    tab.page.wait_for_selector("[role=option]")
    tab.page.keyboard.press("Enter")
    tab.wait_until_saved()
    assert_unharmed(tab.page, watch)


@pytest.mark.parametrize(("form", "separator"), [("CSV", ","), ("TSV", "\t")])
def test_no_exported_cell_is_a_formula(
    form: str, separator: str, server: Server, open_page: OpenPage
) -> None:
    rows = list(csv.reader(download(open_page(server, "export").page, form), delimiter=separator))
    assert len(rows) > len(HOSTILE_ACTS)
    assert len({len(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row]
    assert any("HYPERLINK" in cell for cell in cells)
    assert [cell for cell in cells if cell.startswith(FORMULA_STARTS)] == []
    assert not any("\x00" in cell for cell in cells)


def test_json_lines_keep_every_text_as_it_is(server: Server, open_page: OpenPage) -> None:
    lines = download(open_page(server, "export").page, "JSONL")
    titles = {json.loads(line)["title"] for line in lines if line.strip()}
    assert {FORMULA, HOSTILE_ACTS[0].title} <= titles


def download(page: Page, form: str) -> list[str]:
    """The lines of what the Export page gives in this form."""
    page.wait_for_selector(".st-key-export_download button")
    page.locator(".st-key-export_form button", has_text=form).click()
    page.wait_for_selector(f".st-key-export_form button[aria-checked=true]:has-text('{form}')")
    # The button is the new form's once it says so; before, a click goes to what is being replaced.
    button = page.locator(".st-key-export_download button", has_text=f"Download {form}")
    button.wait_for()
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    with page.expect_download() as given:
        button.click()
    path = Path(given.value.path())
    return path.read_bytes().decode("utf-8-sig").splitlines(keepends=True)
