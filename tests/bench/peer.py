"""Times the same tree of native Streamlit elements, on the same settings of the server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from core.review.reports.outline import outline
from core.settings import PROJECT_ROOT
from tests.bench.workbench import N_CONCEPTS, N_SUGGESTIONS, PROBE, VIEWPORT
from tests.support import fakes
from tests.support.browser.server import free_port
from tests.support.files import generated

N_OPENED = 3
N_CLICKS = 20
N_WARM_UP = 2
APP = Path(__file__).with_name("peer_app.py")
BUTTONS = "[data-testid=stButton] button"
# Clicks a row's button, and waits until its text says what was decided.
CLICK = """([key, word]) => {
    const button = document.querySelector(`.st-key-${key} button`);
    const row = button.closest('[data-testid=stHorizontalBlock], [data-testid=stVerticalBlock]');
    return strataProbe.until(() => button.click(), () => row.textContent.includes(word));
}"""


@dataclass(frozen=True, slots=True)
class PeerTimes:
    """What it takes, in ms: to draw the tree, and from a click until its effect is painted."""

    first_paint: list[float]
    visible: list[float]


def peer_times(browser: Browser, home: Path) -> PeerTimes:
    """Open the tree some times, then decide on some of its rows."""
    with running_peer(home) as url:
        context = browser.new_context(viewport=VIEWPORT)
        context.add_init_script(path=PROBE)
        paints = []
        for _ in range(N_OPENED):
            page = context.new_page()
            page.set_default_timeout(120_000)
            page.add_init_script(f"strataProbe.watchFirstPaint('{BUTTONS}', {2 * N_SUGGESTIONS})")
            page.goto(url)
            page.wait_for_function("() => strataProbe.painted !== null")
            paints.append(float(page.evaluate("strataProbe.painted")))
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        keys = page.evaluate(
            "[...document.querySelectorAll('[class*=st-key-accept-]')]"
            ".map((one) => [...one.classList].find((name) => name.startsWith('st-key-')).slice(7))"
        )
        rows = keys[:: max(1, len(keys) // (N_WARM_UP + N_CLICKS))][: N_WARM_UP + N_CLICKS]
        clicked = []
        for key in rows:
            clicked.append(float(page.evaluate(CLICK, [key, "accepted"])))
            page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
            page.wait_for_timeout(300)
        context.close()
    return PeerTimes(paints, clicked[N_WARM_UP:])


@contextmanager
def running_peer(home: Path) -> Iterator[str]:
    """Serve it with the project's own settings, and say where."""
    home.mkdir(parents=True, exist_ok=True)
    tree, port = home / "tree.json", free_port()
    tree.write_text(json.dumps(nodes()), "utf-8")
    environment = {"PEER_TREE": str(tree), "PEER_DATABASE": str(home / "peer.sqlite")}
    command = [sys.executable, "-m", "streamlit", "run", str(APP), f"--server.port={port}"]
    with (home / "peer.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=PROJECT_ROOT, env=os.environ | environment, stdout=log, stderr=log
        )
    try:
        url = f"http://localhost:{port}/"
        _wait_for(f"{url}_stcore/health")
        yield url
    finally:
        process.kill()
        process.wait(30)


def nodes() -> list[dict[str, object]]:
    """The tree of the fake model's suggestions for the first act, as the workbench gets it."""
    vocabulary = fakes.hierarchy(rows=generated.rows(N_CONCEPTS))
    prediction = fakes.FakePredictor(vocabulary).suggest(generated.act(1), limit=N_SUGGESTIONS)
    found = outline((), hierarchy=vocabulary, prediction=prediction)
    names = ("id", "label", "broader", "probability")
    return [{name: node[name] for name in names} for node in map(dict, found)]


def _wait_for(url: str, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise TimeoutError(url)
