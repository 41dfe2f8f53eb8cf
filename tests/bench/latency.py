"""How long a person waits: for the tree, for a key's effect, for its being stored."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Page

from tests.bench.measure import Measure, milliseconds
from tests.bench.workbench import N_SUGGESTIONS, SUGGESTED, Workbench

N_OPENED = 10
N_KEYS = 120
N_WARM_UP = 5
PAUSE_MS = 60  # between a confirmed key and the next, as a quick reader needs at least
SHORTEST_EVENT_MS = 16.0  # the Event Timing API tells of nothing shorter


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """What each key took, in ms.

    Attributes:
        painted: to the paint after its handlers, timed in the page.
        presented: by the Event Timing API, in steps of 8 ms, to the screen.
        confirmed: until its decision was stored and its answer on the page.
    """

    painted: list[float]
    presented: list[float]
    confirmed: list[float]


def first_paints(workbench: Workbench) -> list[Measure]:
    """From the start of a navigation until all rows were painted."""
    fresh, again = [], []
    for _ in range(N_OPENED):
        context = workbench.profile()
        act = workbench.fresh_act()
        fresh.append(first_paint(workbench, context.new_page(), act))
        again.append(first_paint(workbench, context.new_page(), act))
        context.close()
    name = f"first paint of the tree of {N_SUGGESTIONS} suggestions"
    return [
        milliseconds(f"{name}, empty browser cache", fresh, most=1500),
        milliseconds(f"{name}, opened again", again, most=1500),
    ]


def first_paint(workbench: Workbench, page: Page, act: str) -> float:
    """Milliseconds until all rows of an act were painted."""
    page.add_init_script(f"strataProbe.watchFirstPaint('{SUGGESTED}', {N_SUGGESTIONS})")
    page.goto(f"{workbench.server.url}?document={act}")
    page.wait_for_function("() => strataProbe.painted !== null")
    return float(page.evaluate("strataProbe.painted"))


def key_times(workbench: Workbench) -> KeyTimes:
    """Accept and reject down the tree, each key once the one before is confirmed."""
    with workbench.tab() as page:
        workbench.first_row(page)
        page.evaluate("strataProbe.watchKeys(strataProbe.one('.workbench'))")
        for number in range(N_WARM_UP + N_KEYS):
            if number == N_WARM_UP:
                page.evaluate(
                    "strataProbe.keys = [], strataProbe.events = [], strataProbe.confirmed = []"
                )
            page.keyboard.press("ar"[number % 2])
            done = number + 1 - (N_WARM_UP if number >= N_WARM_UP else 0)
            page.wait_for_function(f"() => strataProbe.confirmed.length >= {done}", polling=20)
            page.wait_for_timeout(PAUSE_MS)
        told = page.evaluate(
            "({k: strataProbe.keys, e: strataProbe.events, c: strataProbe.confirmed})"
        )
    # Keys that the API did not tell of were shorter than its threshold.
    untold = [SHORTEST_EVENT_MS] * (N_KEYS - len(told["e"]))
    return KeyTimes(told["k"], told["e"] + untold, told["c"])


def keys(times: KeyTimes) -> list[Measure]:
    """The three times of a key."""
    return [
        milliseconds("key to own paint, Event Timing API", times.presented, most=40),
        milliseconds("key to own paint, timed in the page", times.painted),
        milliseconds("key to stored and confirmed", times.confirmed, most=100),
    ]
