"""Search and evidence on the real bundle: its labels, and its reading of a text of 2,000 words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page

from core.documents.document import Document
from core.review.store.arrivals import add_document
from core.serving.choosing import wait_until_loaded
from core.serving.server import Server as ServingServer
from core.serving.session import Session
from core.settings import Settings
from tests.bench.measure import Measure, milliseconds
from tests.bench.workbench import PROBE, SUGGESTED, VIEWPORT
from tests.support.browser.acts import ACTS
from tests.support.browser.server import Server

N_WORDS = 2_000
N_TOP = 30
N_ROWS = 15
KEY_PAUSE_MS = 150
READING_SECONDS = 120
MARKS_MS = 1_200  # by then what is looked at is marked
PREFIXES = ("fishing qu", "agricult", "railway tr", "environmental p", "food lab", "maritime tr")
# What is typed, and how many letters of it are right.
MISTYPED = (
    ("agriculutre", 8),
    ("enviromental", 6),
    ("fisheires", 5),
    ("raliway", 2),
    ("vetrinary", 3),
)
ACT = "long-act"


def reading(browser: Browser, home: Path) -> Iterator[Measure]:
    """Search, then evidence, in one tab."""
    with running_bundle(home) as server:
        page = open_tab(browser, f"{server.url}?document={ACT}")
        yield evidence_of_top(page)
        yield from marks(page)
        yield from searches(page)
        page.context.close()


@contextmanager
def running_bundle(home: Path) -> Iterator[Server]:
    """Serve the bundle of the settings over one long act."""
    home.mkdir(parents=True, exist_ok=True)
    settings = Settings.from_env()
    own = Settings(home, f"sqlite:///{home}/strata.sqlite", settings.bundle_dir, settings.language)
    keep_long_act(Session(ServingServer(own)))
    server = Server(home)
    server.start()
    try:
        server.wait_for_model()
        yield server
    finally:
        server.kill()


def keep_long_act(place: Session) -> None:
    """Store an act of 2,000 words with what the model suggests for it."""
    place.server.start()
    assert wait_until_loaded(place, READING_SECONDS) == "ready", place.project.problem
    document = long_act()
    add_document(place.server.store(), document, project_id=place.project_id())
    assert place.server.queue.submit(document, place.project_id()).finished.wait(READING_SECONDS)
    place.server.close()


def long_act() -> Document:
    """The tests' acts, one after the other, until there are words enough."""
    paragraphs: list[str] = []
    n_words = 0
    for paragraph in itertools.chain.from_iterable(itertools.repeat(_paragraphs())):
        paragraphs.append(paragraph)
        n_words += len(paragraph.split())
        if n_words >= N_WORDS:
            return Document.from_text(ACT, ACTS[0].title, "\n\n".join(paragraphs))
    raise AssertionError("the acts have no words")


def _paragraphs() -> list[str]:
    return [paragraph for act in ACTS for paragraph in act.text.split("\n\n")]


def open_tab(browser: Browser, url: str) -> Page:
    """A tab with the act open."""
    context = browser.new_context(viewport=VIEWPORT)
    context.add_init_script(path=PROBE)
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(SUGGESTED)
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    return page


def evidence_of_top(page: Page) -> Measure:
    """One request for the best suggestions, which reads the text again."""
    page.focus(".slider")
    page.keyboard.press("End")
    page.wait_for_function(f"() => strataProbe.all('{SUGGESTED}').length >= {N_TOP}")
    ids = page.evaluate(f"strataProbe.all('{SUGGESTED}').map((item) => item.dataset.concept)")
    wanted = list(dict.fromkeys(ids))[:N_TOP]
    assert len(wanted) == N_TOP
    took = page.evaluate(
        """async ([document, concepts]) => {
            const start = performance.now();
            const query = new URLSearchParams({ document, concept: concepts.join(",") });
            const answer = await (await fetch(`api/evidence?${query}`)).json();
            if (Object.keys(answer.concepts).length !== concepts.length) throw new Error(answer.problem);
            return performance.now() - start;
        }""",
        [ACT, wanted],
    )
    name = f"evidence for the first {len(wanted)} suggestions of {N_WORDS:,} words, asked for the first time"
    return Measure(name, f"{took:.0f} ms", "< 1,000 ms", bool(took < 1000))


def marks(page: Page) -> list[Measure]:
    """Go down the rows, up again, and over them with the mouse."""
    page.evaluate("strataProbe.watchMarks(strataProbe.one('.reader'))")
    page.locator(SUGGESTED).first.focus()
    asked = _times(page, [partial(page.keyboard.press, "ArrowDown")] * N_ROWS)
    known = _times(page, [partial(page.keyboard.press, "ArrowUp")] * (N_ROWS - 1))
    rows = page.locator(f"{SUGGESTED} > .row")
    hovered = _times(page, [rows.nth(number).hover for number in range(1, N_ROWS)])
    return [
        milliseconds("selection to its evidence marked, not yet in the browser", asked),
        milliseconds("selection to its evidence marked, known", known),
        milliseconds("mouse over a row to its evidence marked", hovered),
    ]


def _times(page: Page, actions: Sequence[Callable[[], None]]) -> list[float]:
    """Times of those that change the marks; neighbours may have the same evidence."""
    page.evaluate("strataProbe.marks = []")
    for act in actions:
        act()
        page.wait_for_timeout(MARKS_MS)
    return [float(time) for time in page.evaluate("strataProbe.marks")]


def searches(page: Page) -> list[Measure]:
    """Letter by letter, with and without an error."""
    page.evaluate(
        "strataProbe.watchSearch(strataProbe.one('[role=combobox]'), strataProbe.one('[role=listbox]'))"
    )
    right = [time for word in PREFIXES for _, time in _typed(page, word)]
    wrong = [
        time
        for word, n_right in MISTYPED
        for letters, time in _typed(page, word)
        if len(letters) > n_right
    ]
    return [
        milliseconds("search: key to results, EuroVoc, prefixes", right, most=60),
        milliseconds("search: key to results, EuroVoc, after a typing error", wrong, most=150),
    ]


def _typed(page: Page, word: str) -> list[tuple[str, float]]:
    page.focus("[role=combobox]")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.wait_for_timeout(300)
    page.evaluate("strataProbe.searches = []")
    page.keyboard.type(word, delay=KEY_PAUSE_MS)
    page.wait_for_timeout(500)
    return [(letters, float(time)) for letters, time in page.evaluate("strataProbe.searches")]
