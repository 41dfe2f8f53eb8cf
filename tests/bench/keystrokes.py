"""How many keys an act takes: `python -m tests.bench.keystrokes`.

In Chromium, with the shipped EuroVoc bundle, the ten acts of `tests/support/browser/ten_acts.py` are
pasted and indexed by keyboard alone, each with the concepts that an indexer gives it. Whatever is
held down with a key counts with it as one; what the clipboard holds is one key, too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import QUIET
from tests.support.browser.chromium import NO_BROWSER, find_chromium
from tests.support.browser.page import PATIENCE_MS, SUGGESTED
from tests.support.browser.server import Server
from tests.support.browser.ten_acts import TEN_ACTS, IndexedAct

BAR_MEDIAN, BAR_MOST = 26, 45  # ten real acts once took a person 60 to 110, counted by hand
MOST_STEPS = 120
NEAR = 5  # options so near to the first are gone to by arrow; for others, more letters are typed
LABELS = f"{SUGGESTED} > .row .label"
FOCUS = """() => { let at = document.activeElement;
    while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
    return at; }"""
IN_BOX = f"() => ({FOCUS})().getAttribute('role') === 'combobox'"
AT_ROW = f"() => {{ const label = ({FOCUS})().querySelector('.row .label'); return label ? label.textContent : ''; }}"
IN_TITLE = f"() => ({FOCUS})().getAttribute('placeholder') === 'Regulation … on …'"
OPTIONS = "[role=listbox] [role=option]"
KINDS = ("getting in", "deciding", "searching", "finishing")


@dataclass
class Typist:
    """Somebody who works by keyboard, and how many keys were pressed for the open act, by kind."""

    page: Page
    keys: Counter[str] = field(default_factory=Counter)
    doing: str = KINDS[0]

    def press(self, *keys: str) -> None:
        """Press keys one after the other, each alone or with what is held down beside it."""
        for key in keys:
            self.keys[self.doing] += 1
            self.page.keyboard.press(key)

    def paste(self, text: str) -> None:
        """Paste a text that was copied elsewhere."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.press("Control+v")


def index(typist: Typist, act: IndexedAct) -> Counter[str]:
    """Index one act on the empty page, come back to the empty page, and return the keys."""
    typist.keys = Counter()
    get_in(typist, act)
    typist.doing = "deciding"
    suggested = set(typist.page.locator(LABELS).all_inner_texts())
    decide(typist, act.concepts & suggested)
    typist.doing = "searching"
    for label in sorted(act.concepts - suggested):
        add(typist, label)
    typist.doing = "finishing"  # from the box, where the last concept was added
    typist.page.locator(".chip[data-filter=accepted]", has_text=str(len(act.concepts))).wait_for()
    typist.press("Shift+Enter")
    typist.page.wait_for_selector(".workbench[data-finished=true]")
    typist.press("Shift+N")
    return typist.keys


def get_in(typist: Typist, act: IndexedAct) -> None:
    """Paste an act with its title, as it was copied, and wait for the suggestions."""
    typist.doing = "getting in"
    typist.page.wait_for_function(IN_TITLE)
    typist.paste(f"{act.title}\n\n{act.text}")
    typist.page.locator(".reader h1", has_text=act.title).wait_for()
    typist.page.wait_for_selector(SUGGESTED)


def decide(typist: Typist, wanted: frozenset[str]) -> None:
    """Accept what is wanted of the suggestions, each when the cursor stands on it.

    Keys go to the tree as well where nothing has the focus yet.
    """
    left = set(wanted)
    for _ in range(MOST_STEPS):
        label = typist.page.evaluate(AT_ROW)
        if label in left:
            left.remove(label)
            typist.press("a")
        elif left:
            typist.press("n")
        if not left:
            return
    raise AssertionError(f"{left} were not come to")


def add(typist: Typist, label: str) -> None:
    """Type the beginning of a label until it is among the first options, and take it."""
    typist.press("/") if not typist.page.evaluate(IN_BOX) else None
    for end in range(1, len(label) + 1):
        typist.press(label[end - 1])
        typed = label[:end].strip()
        typist.page.wait_for_selector(f"[role=listbox][data-query={json.dumps(typed)}]")
        options = typist.page.locator(OPTIONS)
        found = [text.partition("\n")[0] for text in options.all_inner_texts()]
        if label in found[:NEAR]:
            active = options.nth(0).get_attribute("aria-selected") == "true"
            typist.press(*["ArrowDown"] * (found.index(label) + (0 if active else 1)), "Enter")
            return
    raise AssertionError(f"{label} was not found among {found}")


def measure(browser: Browser, home: Path) -> list[Counter[str]]:
    """Index all ten acts, one after the other in one tab."""
    server = Server(home)
    server.start(forked=True)
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    page = context.new_page()
    try:
        server.wait_for_model()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(server.url)
        typist = Typist(page)
        return [index(typist, act) for act in TEN_ACTS]
    finally:
        context.close()
        server.close()


def table(found: Sequence[Counter[str]]) -> str:
    """Return the keys of each act as a table in Markdown."""
    lines = [f"| act | concepts | {' | '.join(KINDS)} | keys |", f"| {'--- | ' * 7}".rstrip()]
    for act, keys in zip(TEN_ACTS, found, strict=True):
        numbers = " | ".join(str(keys[kind]) for kind in KINDS)
        lines.append(f"| {act.title} | {len(act.concepts)} | {numbers} | {keys.total()} |")
    return "\n".join(lines)


def main() -> int:
    """Print keys an act; 1 where the median is above the bar."""
    argparse.ArgumentParser(
        prog="python -m tests.bench.keystrokes", description=__doc__
    ).parse_args()
    chromium = find_chromium()
    if chromium is None:
        sys.stderr.write(NO_BROWSER + "\n")
        return 2
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        found = measure(browser, Path(folder) / "home")
        browser.close()
    sys.stdout.write(f"{table(found)}\n\n{summary(found)}\n")
    return int(not meets_bars(found))


def meets_bars(found: Sequence[Counter[str]]) -> bool:
    """Return whether few enough keys were pressed, in the median act and in each."""
    totals = [keys.total() for keys in found]
    return statistics.median(totals) <= BAR_MEDIAN and max(totals) <= BAR_MOST


def summary(found: Sequence[Counter[str]]) -> str:
    """Return the median and the range in a line."""
    totals = [keys.total() for keys in found]
    return (
        f"median {statistics.median(totals):g} keys an act (bar {BAR_MEDIAN}), "
        f"from {min(totals)} to {max(totals)} (bar {BAR_MOST})"
    )


if __name__ == "__main__":
    sys.exit(main())
