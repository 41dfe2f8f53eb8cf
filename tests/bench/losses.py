"""Whether anything is lost: by fast keys, a dying server, a closed tab."""

from __future__ import annotations

import random
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from tests.bench.desk import Desk
from tests.bench.measure import Measure, stored

N_KEYS = 50
PAUSE_MS = 10
N_BURSTS = 10
N_KILLS = 5
N_CLOSED = 3
KEYS = ["a", "r"] * (N_KEYS // 2)
SAVED = ".workbench[data-pending='0']"
NOTHING_KEPT = "() => !Object.keys(localStorage).some((key) => key.startsWith('strata.decision.'))"


def losses(desk: Desk) -> Iterator[Measure]:
    """All three, each on acts of its own."""
    keys = f"{N_KEYS} keys at {PAUSE_MS} ms"
    bursts = [burst(desk) for _ in range(N_BURSTS)]
    yield stored(f"stored of a burst of {keys}", bursts, N_KEYS)
    killed = [killed_burst(desk, random.Random(seed)) for seed in range(N_KILLS)]
    yield stored(
        f"stored of {keys} with the server killed in between and started again", killed, N_KEYS
    )
    closed = [closed_tab(desk) for _ in range(N_CLOSED)]
    yield stored(
        f"stored of {keys} while the server is away, the tab closed, opened again later",
        closed,
        N_KEYS,
    )


def burst(desk: Desk) -> int:
    """How many keys of a burst are in the store."""
    with desk.tab() as page:
        desk.first_row(page)
        page.evaluate("([keys, pause]) => strataProbe.burst(keys, pause)", [KEYS, PAUSE_MS])
        page.wait_for_function(f"strataProbe.pressed === {N_KEYS}")
        page.wait_for_selector(SAVED)
        return in_order(desk, page.url)


def killed_burst(desk: Desk, generator: random.Random) -> int:
    """The same with SIGKILL at some moment of it."""
    with desk.tab() as page:
        desk.first_row(page)
        page.evaluate("([keys, pause]) => strataProbe.burst(keys, pause)", [KEYS, PAUSE_MS])
        page.wait_for_timeout(generator.uniform(0, N_KEYS * PAUSE_MS))
        desk.server.kill()
        desk.server.start()
        page.wait_for_function(f"strataProbe.pressed === {N_KEYS}")
        page.wait_for_selector(SAVED)
        return in_order(desk, page.url)


def closed_tab(desk: Desk) -> int:
    """Decide while there is no server, close the tab, and come back to the start page later."""
    context = desk.profile()
    page = context.new_page()
    desk.open_act(page, desk.fresh_act())
    address = page.url
    desk.first_row(page)
    desk.server.kill()
    page.evaluate("([keys, pause]) => strataProbe.burst(keys, pause)", [KEYS, PAUSE_MS])
    page.wait_for_function(f"strataProbe.pressed === {N_KEYS}")
    page.close(run_before_unload=False)
    desk.server.start()
    later = context.new_page()
    later.goto(desk.server.url)
    later.wait_for_function(NOTHING_KEPT)
    context.close()
    return in_order(desk, address)


def in_order(desk: Desk, address: str) -> int:
    """How many of the act's keys are stored, each once; -1 where they are out of order."""
    (act,) = parse_qs(urlsplit(address).query)["document"]
    events = desk.stored(act)
    one_client = len({client for client, _ in events}) == 1
    sequences = [sequence for _, sequence in events]
    return len(events) if one_client and sequences == list(range(1, len(events) + 1)) else -1
