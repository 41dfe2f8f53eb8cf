"""Servers that are killed while people decide."""

from __future__ import annotations

from tests.support.waiting import wait_until
from tests.torture.harness import Run
from tests.torture.installation import Installation

EARLY = 0.2  # of the kills come while the server starts
LONGEST_SECONDS = 0.5
START_SECONDS = 60.0
STARTING_SECONDS = 0.5


def deciding(run: Run) -> None:
    """Kill the server at any moment, also while it starts, and start it again."""
    place = run.serve()
    for _ in run.faults():
        kill_at_random(run, place)
    run.settle(place)


def kill_at_random(run: Run, place: Installation, longest_seconds: float = LONGEST_SECONDS) -> None:
    """Kill a server after a random time, mostly while it saves, and start it again."""
    server = place.servers[0]
    if run.rng.random() > EARLY:
        wait_for_one_more(place)
    place.clients[0].given_up.wait(run.rng.uniform(0.0, longest_seconds))
    server.kill()
    run.count_fault()
    if run.rng.random() < EARLY:
        server.begin()
        place.clients[0].given_up.wait(run.rng.uniform(0.0, STARTING_SECONDS))
        server.kill()
        run.count_fault()
    place.start()


def wait_for_one_more(place: Installation) -> None:
    """Wait until somebody's decision is acknowledged, by a server that was just started."""
    before = place.n_saved()
    wait_until(lambda: place.n_saved() > before, START_SECONDS, "nobody could save")


def two_servers(run: Run) -> None:
    """Two servers on one home and one database, one or the other of which is killed."""
    place = run.install()
    for number in range(2):
        place.start(number)
    place.decide(run.rng)
    for _ in run.faults():
        number = run.rng.randrange(2)
        place.clients[0].given_up.wait(run.rng.uniform(0.0, LONGEST_SECONDS))
        place.servers[number].kill()
        run.count_fault()
        place.start(number)
    for client in place.clients:
        client.port = place.servers[0].port
    run.settle(place)
