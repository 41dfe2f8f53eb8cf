"""The main job: from an act to a CSV of decisions, with a server that keeps dying."""

from __future__ import annotations

import os
import random
import time

import pandas as pd
import pytest

from tests.browser.conftest import OpenPage
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

N_KILLS = int(os.environ.get("STRATA_KILLS", "2"))  # `make torture` asks for two hundred
CLICKS_PER_KILL = 4
SEED = 20_261_121
# Clicks as fast as an impatient person; the browser does it, so the server can die meanwhile.
CLICK_ALL = """([clicks, pause]) => {
    const tree = [...document.querySelectorAll('*')]
        .map((host) => host.shadowRoot && host.shadowRoot.querySelector('[role=tree]'))
        .find(Boolean);
    window.clicked = 0;
    clicks.forEach(([concept, action], at) => setTimeout(() => {
        tree.querySelector(`[data-concept="${concept}"] > .row .${action}`).click();
        window.clicked += 1;
    }, at * pause));
}"""

SERVER = "async () => (await (await fetch('api/health')).json()).server"


def test_no_decision_is_lost_or_doubled_by_kills(
    bundle_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(bundle_server)
    started = time.monotonic()
    tab.open_example("fishing-quotas")
    seconds = time.monotonic() - started
    if is_idle():
        assert seconds < 2.0, f"suggestions came {seconds:.1f} s after the click"

    made = [(c, "accept" if n % 3 else "reject") for n, c in enumerate(tab.concept_ids()[:10])]
    for concept_id, action in made:
        tab.decide(concept_id, action)
    tab.wait_until_saved()

    generator = random.Random(SEED)
    for _ in range(N_KILLS):
        made += kill_while_clicking(bundle_server, tab, dict(made), generator)

    stored = bundle_server.events()
    assert [(concept_id, action) for _, _, action, concept_id in stored] == made
    assert [sequence for _, sequence, _, _ in stored] == list(range(1, len(made) + 1))
    assert len({client for client, _, _, _ in stored}) == 1

    expected = {concept_id: f"{action}ed" for concept_id, action in made}
    assert {c: s for c, s in tab.states().items() if c in expected} == expected
    exported = export(tab)
    assert len(exported) == len(expected)
    ends = exported["uri"].str.rsplit("/", n=1).str[-1]
    assert dict(zip(ends, exported["decision"], strict=True)) == expected
    assert exported["document_id"].unique().tolist() == ["example-fishing-quotas"]
    assert exported["probability"].between(0, 1).all()

    tab.open(f"?document={exported['document_id'][0]}")
    tab.wait_for_suggestions()
    assert {c: s for c, s in tab.states().items() if c in expected} == expected


def kill_while_clicking(
    server: Server, tab: AnnotatePage, decided: dict[str, str], generator: random.Random
) -> list[tuple[str, str]]:
    """Click some decisions, kill the server at a random moment, start it again; what was clicked."""
    clicks = []
    for concept_id in generator.sample(tab.concept_ids()[:15], CLICKS_PER_KILL):
        flipped = {"accept": "reject", "reject": "accept"}.get(decided.get(concept_id, ""))
        clicks.append((concept_id, flipped or generator.choice(["accept", "reject"])))
    pause = generator.uniform(5, 80)
    tab.page.evaluate(CLICK_ALL, [clicks, pause])
    tab.page.wait_for_timeout(generator.uniform(0, CLICKS_PER_KILL * pause + 60))
    server.kill()
    server.start(forked=True)
    tab.page.wait_for_function("(number) => window.clicked === number", arg=len(clicks))
    tab.wait_until_saved()
    return clicks


def export(tab: AnnotatePage) -> pd.DataFrame:
    """Download the CSV as a person does, and read it as a notebook does."""
    server = tab.page.evaluate(SERVER)  # the last that was started, which has to draw the page yet
    tab.page.wait_for_selector(f".sender[data-server='{server}']", state="attached")
    tab.wait_until_settled()
    tab.page.click(".st-key-export button")
    choice = tab.page.get_by_text("Accepted and rejected")
    tab.after_run(choice.click)
    with tab.page.expect_download() as download:
        tab.page.click(".st-key-download button")
    return pd.read_csv(download.value.path(), dtype={"document_id": str}, encoding="utf-8-sig")


def is_idle() -> bool:
    """Whether the machine has time for a promise about seconds."""
    return os.getloadavg()[0] < (os.cpu_count() or 1)
