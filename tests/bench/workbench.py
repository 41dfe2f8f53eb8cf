"""A server with 300 suggestions to a document, and a browser tab on one of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from core.review.store.arrivals import add_document
from core.review.store.predictions import save_prediction
from tests.support import fakes
from tests.support.browser.server import Server
from tests.support.files import generated

N_SUGGESTIONS = 300
N_CONCEPTS = 320  # the others can be found by search
N_ACTS = 60
PROBE = Path(__file__).with_name("probe.js")
VIEWPORT = {"width": 1440, "height": 900}
SUGGESTED = "[role=treeitem].suggested"


class Workbench:
    """The running server, with acts that nobody has decided anything about."""

    def __init__(self, server: Server, browser: Browser) -> None:
        self.server = server
        self.browser = browser
        self.fresh_acts: Iterator[int] = itertools.count(1)
        self.storage: dict[str, object] = {}

    def profile(self) -> BrowserContext:
        """A browser profile in which the slider stands at all suggestions."""
        context = self.browser.new_context(viewport=VIEWPORT, storage_state=self.storage or None)
        context.add_init_script(path=PROBE)
        context.set_default_timeout(120_000)
        return context

    def show_everything(self) -> None:
        """Move the slider to its end once, as a person does; profiles remember it."""
        with self.tab() as page:
            page.focus(".slider")
            page.keyboard.press("End")
            page.wait_for_function(
                f"() => strataProbe.all('{SUGGESTED}').length >= {N_SUGGESTIONS}"
            )
            self.storage = dict(page.context.storage_state())

    @contextmanager
    def tab(self, context: BrowserContext | None = None) -> Iterator[Page]:
        """A tab on an act of its own, ready for work."""
        own = context or self.profile()
        page = own.new_page()
        self.open_act(page, self.fresh_act())
        try:
            yield page
        finally:
            (page if context else own).close()

    def fresh_act(self) -> str:
        """The id of an act that nobody has opened."""
        return f"act-{next(self.fresh_acts)}"

    def open_act(self, page: Page, act: str) -> None:
        """Go to an act, and wait for its suggestions."""
        page.goto(f"{self.server.url}?document={act}")
        at_least = N_SUGGESTIONS if self.storage else 1
        page.wait_for_function(f"() => strataProbe.all('{SUGGESTED}').length >= {at_least}")
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")

    def first_row(self, page: Page) -> None:
        """Put the focus on the first suggestion."""
        page.evaluate(f"strataProbe.one('{SUGGESTED}').focus()")


@contextmanager
def running_workbench(home: Path, browser: Browser) -> Iterator[Workbench]:
    """Start the server with the fake model over the generated acts."""
    keep_acts(home)
    server = Server(home, fake=True, STRATA_FAKE_CONCEPTS=str(N_CONCEPTS))
    server.start()
    try:
        server.wait_for_model()
        workbench = Workbench(server, browser)
        workbench.show_everything()
        yield workbench
    finally:
        server.kill()


def keep_acts(home: Path) -> None:
    """Store the acts and what the fake model suggests for them before the server starts."""
    home.mkdir(parents=True, exist_ok=True)
    place = fakes.fake_session(home, rows=generated.rows(N_CONCEPTS))
    vocabulary = place.vocabulary()
    assert vocabulary is not None
    model = fakes.FakePredictor(vocabulary.hierarchy)
    for number in range(1, N_ACTS + 1):
        kept = add_document(
            place.server.store(), generated.act(number), project_id=place.project_id()
        )
        prediction = model.suggest(generated.act(number), limit=N_SUGGESTIONS)
        assert len(prediction.suggestions) == N_SUGGESTIONS
        save_prediction(place.server.store(), kept, prediction, settings={"limit": N_SUGGESTIONS})
    place.server.close()
