"""Whether anything is lost: by fast keys, a dying server, a closed tab."""

from __future__ import annotations

import random
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from tests.bench.measure import Measure, stored
from tests.bench.workbench import Workbench

N_KEYS = 50
PAUSE_MS = 10
N_BURSTS = 10
N_KILLS = 5
N_CLOSED = 3
KEYS = ["a", "r"] * (N_KEYS // 2)
SAVED = ".workbench[data-pending='0']"
NOTHING_KEPT = "() => !Object.keys(localStorage).some((key) => key.startsWith('strata.decision.'))"


def losses(workbench: Workbench) -> Iterator[Measure]:
    """All three, each on acts of its own."""
    keys = f"{N_KEYS} keys at {PAUSE_MS} ms"
    bursts = [burst(workbench) for _ in range(N_BURSTS)]
    yield stored(f"stored of a burst of {keys}", bursts, N_KEYS)
    killed = [killed_burst(workbench, random.Random(seed)) for seed in range(N_KILLS)]
    yield stored(
        f"stored of {keys} with the server killed in between and started again", killed, N_KEYS
    )
    closed = [closed_tab(workbench) for _ in range(N_CLOSED)]
    yield stored(
        f"stored of {keys} while the server is away, the tab closed, opened again later",
        closed,
        N_KEYS,
    )


def burst(workbench: Workbench) -> int:
    """How many keys of a burst are in the store."""
    with workbench.tab() as page:
        workbench.first_row(page)
        page.evaluate("([keys, pause]) => strataProbe.burst(keys, pause)", [KEYS, PAUSE_MS])
        page.wait_for_function(f"() => strataProbe.pressed === {N_KEYS}")
        page.wait_for_selector(SAVED)
        return in_order(workbench, page.url)


def killed_burst(workbench: Workbench, generator: random.Random) -> int:
    """The same with SIGKILL at some moment of it."""
    with workbench.tab() as page:
        workbench.first_row(page)
        page.evaluate("([keys, pause]) => strataProbe.burst(keys, pause)", [KEYS, PAUSE_MS])
        page.wait_for_timeout(generator.uniform(0, N_KEYS * PAUSE_MS))
        workbench.server.kill()
        workbench.server.start()
        page.wait_for_function(f"() => strataProbe.pressed === {N_KEYS}")
        page.wait_for_selector(SAVED)
        return in_order(workbench, page.url)


def closed_tab(workbench: Workbench) -> int:
    """Decide while there is no server, close the tab, and come back to the start page later."""
    context = workbench.profile()
    page = context.new_page()
    workbench.open_act(page, workbench.fresh_act())
    address = page.url
    workbench.first_row(page)
    workbench.server.kill()
    page.evaluate("([keys, pause]) => strataProbe.burst(keys, pause)", [KEYS, PAUSE_MS])
    page.wait_for_function(f"() => strataProbe.pressed === {N_KEYS}")
    page.close(run_before_unload=False)
    workbench.server.start()
    later = context.new_page()
    later.goto(workbench.server.url)
    later.wait_for_function(NOTHING_KEPT)
    context.close()
    return in_order(workbench, address)


def in_order(workbench: Workbench, address: str) -> int:
    """How many of the act's keys are stored, each once; -1 where they are out of order."""
    (act,) = parse_qs(urlsplit(address).query)["document"]
    events = workbench.stored(act)
    one_client = len({client for client, _ in events}) == 1
    sequences = [sequence for _, sequence in events]
    return len(events) if one_client and sequences == list(range(1, len(events) + 1)) else -1
