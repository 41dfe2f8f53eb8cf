"""What a person does and sees on the Annotate page, for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

PATIENCE_MS = 120_000  # on a machine that is busy with something else
SUGGESTED = "[role=treeitem].suggested"
SETTLED = "[data-testid=stApp][data-test-script-state=notRunning]"
QUIET_MS = 300
# On a busy machine a run may begin and end between two draws, so that no attribute ever changes: then
# the server has answered, says no more, and the page is at rest.
COUNT_RUNS = f"""() => {{
    const counting = window.counting = {{}};
    window.runsEnded = 0;
    const app = document.querySelector('[data-testid=stApp]');
    const count = () => {{
        if (window.counting === counting && app.dataset.testScriptState === 'notRunning') window.runsEnded += 1;
    }};
    new MutationObserver(count).observe(app, {{ attributeFilter: ['data-test-script-state'] }});
    const {{ send }} = WebSocket.prototype;
    WebSocket.prototype.send = function (...sent) {{
        WebSocket.prototype.send = send;
        let quiet = null;
        this.addEventListener('message', () => {{ clearTimeout(quiet); quiet = setTimeout(count, {QUIET_MS}); }});
        return send.apply(this, sent);
    }};
}}"""
READ_ROWS = f"""() => [...document.querySelectorAll('*')].flatMap((host) => host.shadowRoot
    ? [...host.shadowRoot.querySelectorAll('{SUGGESTED}')] : []).map((item) => ({{
        concept_id: item.dataset.concept,
        state: item.dataset.state,
        label: item.querySelector('.label').textContent,
        percent: item.querySelector('.percent').textContent}}))"""


@dataclass(frozen=True, slots=True)
class Row:
    """A suggestion as it stands on the page."""

    concept_id: str
    state: str
    label: str
    percent: str


class AnnotatePage:
    """One browser tab with Strata in it."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        page.set_default_timeout(PATIENCE_MS)

    def open(self, path: str = "") -> None:
        self.page.goto(self.url + path)
        self.wait_until_settled()

    def wait_until_settled(self) -> None:
        """Wait until no run of the page is under way."""
        self.page.wait_for_selector(SETTLED)

    def after_run(self, act: Callable[[], None]) -> None:
        """Do something that runs the page, and wait until a run that it began has ended."""
        self.page.evaluate(COUNT_RUNS)
        act()
        self.page.wait_for_function("() => window.runsEnded > 0")

    def open_example(self, name: str) -> None:
        self.page.click(f".st-key-example-{name} button")
        self.wait_for_suggestions()

    def paste(self, title: str, text: str) -> None:
        self.page.fill(".st-key-new_title input", title)
        self.page.fill(".st-key-new_text textarea", text)
        self.page.click(".st-key-suggest button")
        self.wait_for_suggestions()

    def wait_for_suggestions(self) -> None:
        self.page.wait_for_selector(SUGGESTED)

    def rows(self) -> list[Row]:
        """The suggestions in the order of the tree; a concept may be there more than once."""
        return [Row(**row) for row in self.page.evaluate(READ_ROWS)]

    def concept_ids(self) -> list[str]:
        return list(dict.fromkeys(row.concept_id for row in self.rows()))

    def states(self) -> dict[str, str]:
        return {row.concept_id: row.state for row in self.rows()}

    def decide(self, concept_id: str, action: str) -> None:
        """Click one of the buttons of a row."""
        item = f"[role=treeitem][data-concept='{concept_id}']"
        self.page.locator(f"{item} > .row .{action}").first.click()

    def wait_until_saved(self) -> None:
        self.page.wait_for_selector(".workbench[data-pending='0']")

    @property
    def badge(self) -> str:
        return self.page.inner_text(".badge")

    @property
    def summary(self) -> str:
        """How many concepts are accepted, rejected and unresolved."""
        counts = self.page.eval_on_selector(".workbench", "(root) => ({...root.dataset})")
        names = ("accepted", "rejected", "unresolved")
        return " · ".join(f"{counts[name]} {name}" for name in names)
