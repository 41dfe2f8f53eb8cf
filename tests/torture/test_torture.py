"""The harness itself: a store that loses, doubles or reorders decisions is found out."""

from __future__ import annotations

import random
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.stores import send
from tests.torture.__main__ import table
from tests.torture.clients import Client
from tests.torture.harness import SQLITE, Outcome, Run, perform
from tests.torture.installation import Installation
from tests.torture.ledger import Ledger, Sent, Stored, compare

MADE = [Sent(n, "accept", f"c{n}") for n in range(1, 6)]
ROWS = [Stored("tab", *made) for made in MADE]
TAMPERED = {
    "nothing": ("", []),
    "drops": ("DELETE FROM decision_event WHERE sequence = 3", ["1 decisions lost"]),
    "doubles": (
        "INSERT INTO decision_event (client_id, sequence, position, document_id, person_id, action,"
        " concept_id, decided_at) SELECT client_id, 9, 9, document_id, person_id, action,"
        " concept_id, decided_at FROM decision_event WHERE sequence = 2",
        ["1 decisions doubled"],
    ),
    "swaps": (
        "UPDATE decision_event SET concept_id = 'c' || (5 - sequence) WHERE sequence IN (2, 3)",
        ["2 decisions out of order"],
    ),
    "misnames": (
        "UPDATE decision_event SET person_id = 2 WHERE sequence = 4",
        ["1 decisions misnamed"],
    ),
}


def test_decisions_that_are_stored_as_they_were_sent_are_in_order() -> None:
    found = compare([Ledger("tab", MADE, set(range(1, 6)))], ROWS)
    assert (found.sent, found.acknowledged, found.stored) == (5, 5, 5)
    assert list(found.problems()) == []


def test_a_database_that_was_put_aside_counts_for_what_is_there_and_is_looked_at_too() -> None:
    ledger = Ledger("tab", MADE, set(range(1, 6)))
    assert list(compare([ledger], ROWS[3:], ROWS[:3]).problems()) == []
    assert list(compare([ledger], ROWS, ROWS[1::-1]).problems()) == ["1 decisions out of order"]
    assert list(compare([ledger], ROWS, ROWS[:1] * 2).problems()) == ["1 decisions doubled"]


def test_what_was_never_acknowledged_is_said() -> None:
    found = compare([Ledger("tab", MADE, {1, 2, 3, 4})], ROWS)
    assert list(found.problems()) == ["1 decisions were never acknowledged"]


@pytest.mark.parametrize("how", TAMPERED)
def test_a_store_that_changes_one_decision_is_reported(tmp_path: Path, how: str) -> None:
    statement, expected = TAMPERED[how]
    run = new_run(tmp_path)
    perform(lambda started: decide_and_change(started, statement), run)
    assert run.outcome.problems[: len(expected)] == expected
    assert bool(expected) is bool(run.outcome.problems)
    assert ("BAD" in table([run.outcome])) is bool(expected)


def new_run(folder: Path) -> Run:
    outcome = Outcome("tampering", SQLITE)
    return Run(outcome, folder, random.Random(1), lambda: None, n_kills=1, deadline=0.0)


def decide_and_change(run: Run, statement: str) -> None:
    """Store decisions of a client without a server, and change them behind its back."""
    place = run.install()
    place.add("act")
    with closing(place.open()) as store:
        send(store, *({**made._asdict()} for made in MADE))
    with closing(sqlite3.connect(place.home / "strata.sqlite")) as connection:
        connection.executescript(statement)
    client = Client("tab", "act", 1, random.Random(1))
    client.ledger.sent += MADE
    client.ledger.person_id = 1
    client.ledger.acknowledged |= {made.sequence for made in MADE}
    place.clients.append(client)
    client.stopped = client.given_up = threading.Event()
    client.stopped.set()
    client.start()
    run.compare(place)


def test_a_scenario_that_fails_is_a_row_of_its_own(tmp_path: Path) -> None:
    run = new_run(tmp_path)

    def failing(_: Run) -> None:
        raise TimeoutError("the server does not come back")

    outcome = perform(failing, run)
    assert outcome.problems[0].startswith("TimeoutError: the server does not come back")


def test_an_installation_in_which_something_was_left_is_not_whole(tmp_path: Path) -> None:
    place = Installation(tmp_path / "home", None)
    assert place.damage() == []
    (place.home / ".staging-left").mkdir(mode=0o700)
    assert place.left() == [".staging-left"]
    assert any(problem.startswith("Leftovers") for problem in place.damage())
