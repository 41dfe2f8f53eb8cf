from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from core.documents.document import Document
from core.errors import StoreError
from core.review.decisions import (
    MAX_OPERATIONS,
    Operation,
    Receipt,
    acknowledged,
    current,
    last_sequence,
    rebuild,
    record,
)
from core.review.store import Store
from core.review.tables import decision_event, person
from core.suggest.suggestions import Prediction, Suggestion

CONCEPTS = [f"c{i}" for i in range(1, 7)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path}/strata.sqlite")
    project = opened.default_project()
    for name in ("act", "other"):
        opened.add_document(Document.from_text(name, name, "Text."), project_id=project.project_id)
    yield opened
    opened.close()


def prediction(n_suggestions: int, probability: float = 0.9) -> Prediction:
    suggestions = tuple(
        Suggestion(f"c{i}", f"u{i}", None, f"l{i}", probability / i, probability, i)
        for i in range(1, n_suggestions + 1)
    )
    return Prediction(suggestions, {}, 5, 5, 1, "hash", "4.9", 0.1)


def send(
    store: Store,
    *operations: object,
    client_id: str = "tab",
    document_id: str = "act",
    person_id: int | None = None,
    **more: object,
) -> Receipt:
    me = store.default_person().person_id if person_id is None else person_id
    return record(
        store,
        document_id=document_id,
        person_id=me,
        client_id=client_id,
        operations=operations,
        **more,  # type: ignore[arg-type]
    )


def states(store: Store, document_id: str = "act") -> dict[str, str]:
    return {key: one.state for key, one in current(store, document_id).items()}


def n_events(store: Store) -> int:
    with store.read() as connection:
        return connection.scalar(select(func.count()).select_from(decision_event)) or 0


def colleague(store: Store) -> int:
    with store.write() as connection:
        row = {"name": "colleague", "created_at": datetime.now(UTC)}
        return connection.execute(
            person.insert().values(row).returning(person.c.person_id)
        ).scalar_one()


# What the actions mean


def test_accept_reject_add_and_clear(store: Store) -> None:
    receipt = send(
        store,
        Operation(1, "accept", "c1"),
        Operation(2, "reject", "c2"),
        Operation(3, "add", "c3"),
        Operation(4, "accept", "c4"),
        Operation(5, "clear", "c4"),
    )
    assert receipt == Receipt((1, 2, 3, 4, 5))
    assert states(store) == {"c1": "accepted", "c2": "rejected", "c3": "accepted"}
    assert [one.added for one in current(store, "act").values()] == [False, False, True]


def test_the_browsers_mappings_do_as_well(store: Store) -> None:
    sent = {"sequence": 1, "action": "accept", "concept_id": "c1", "group": None, "extra": 1}
    assert send(store, sent).settled == (1,)
    assert states(store) == {"c1": "accepted"}


def test_what_the_person_saw_is_kept(store: Store) -> None:
    run_id = store.save_prediction("act", prediction(3, 0.8), settings={})
    send(store, Operation(1, "accept", "c2"), Operation(2, "add", "c9"))
    store.save_prediction("act", prediction(3, 0.4), settings={})
    decided = current(store, "act")
    assert (decided["c2"].probability, decided["c2"].rank) == (0.4, 2)
    assert decided["c2"].source == "guided"
    assert (decided["c9"].probability, decided["c9"].rank, decided["c9"].source) == (None,) * 3
    assert decided["c2"].person == store.default_person().name
    assert abs((datetime.now(UTC) - decided["c2"].decided_at).total_seconds()) < 60
    with store.read() as connection:
        assert set(connection.scalars(select(decision_event.c.run_id))) == {run_id}


def test_the_run_that_the_page_shows_counts_even_if_there_is_a_newer_one(store: Store) -> None:
    shown = store.save_prediction("act", prediction(3, 0.8), settings={})
    store.save_prediction("act", prediction(3, 0.4), settings={})
    send(store, Operation(1, "accept", "c1"), run_id=shown)
    send(store, Operation(2, "accept", "c2"), run_id=10**6)  # no run of this document
    assert [one.probability for one in current(store, "act").values()] == [0.8, 0.2]


def test_decisions_of_one_document_are_not_those_of_another(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(2, "reject", "c1"), document_id="other")
    assert (states(store), states(store, "other")) == ({"c1": "accepted"}, {"c1": "rejected"})


# Undo


def test_undo_takes_back_ones_last_action_and_then_the_one_before(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), Operation(2, "reject", "c1"))
    send(store, Operation(3, "undo"))
    assert states(store) == {"c1": "accepted"}
    send(store, Operation(4, "undo"))
    assert states(store) == {}
    assert n_events(store) == 4


def test_undo_takes_back_a_group_as_one(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), Operation(2, "reject", "c2", "g"))
    send(store, Operation(3, "reject", "c3", "g"), Operation(4, "undo"))
    assert states(store) == {"c1": "accepted"}


def test_a_group_name_used_again_after_its_undo_is_another_group(store: Store) -> None:
    send(store, Operation(1, "reject", "c1", "g"), Operation(2, "undo"))
    send(store, Operation(3, "reject", "c2", "g"))
    assert states(store) == {"c2": "rejected"}


def test_undo_in_one_document_leaves_the_others_alone(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), document_id="other")
    assert send(store, Operation(2, "undo")).settled == (2,)
    assert states(store, "other") == {"c1": "accepted"}


def test_undo_takes_back_ones_own_also_from_another_tab_but_not_a_colleagues(store: Store) -> None:
    other = colleague(store)
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(1, "accept", "c2"), client_id="their tab", person_id=other)
    send(store, Operation(1, "undo"), client_id="my other tab")
    assert states(store) == {"c2": "accepted"}


def test_a_colleagues_later_decision_stands_when_one_takes_ones_own_back(store: Store) -> None:
    other = colleague(store)
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(1, "reject", "c1"), client_id="their tab", person_id=other)
    send(store, Operation(2, "undo"))
    assert states(store) == {"c1": "rejected"}


def test_undo_with_nothing_to_undo_does_nothing_now_nor_when_it_is_sent_again(
    store: Store,
) -> None:
    assert send(store, Operation(1, "undo")).settled == (1,)
    send(store, Operation(2, "accept", "c1"))
    send(store, Operation(1, "undo"))
    assert states(store) == {"c1": "accepted"}


# The protocol


def test_a_repeated_message_is_acknowledged_and_stored_once(store: Store) -> None:
    queue = [Operation(1, "accept", "c1"), Operation(2, "undo"), Operation(3, "accept", "c2")]
    assert send(store, *queue).stored == send(store, *queue).stored == (1, 2, 3)
    assert send(store, *queue[:1], *queue).stored == (1, 2, 3)
    assert (n_events(store), states(store)) == (3, {"c2": "accepted"})


def test_two_tabs_may_count_alike(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"), client_id="one")
    send(store, Operation(1, "accept", "c2"), client_id="two")
    assert n_events(store) == 2


def test_a_late_operation_does_not_override_a_newer_one_of_the_same_client(store: Store) -> None:
    send(store, Operation(2, "reject", "c1"))
    send(store, Operation(1, "accept", "c1"))
    assert states(store) == {"c1": "rejected"}


def test_a_late_undo_takes_back_what_came_before_it_not_what_came_after(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(3, "accept", "c3"))
    send(store, Operation(2, "undo"))
    assert states(store) == {"c3": "accepted"}


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_without_undo_the_order_of_arrival_makes_no_difference(
    store: Store, order: tuple[int, ...]
) -> None:
    queue = [
        Operation(1, "accept", "c1"),
        Operation(2, "reject", "c1"),
        Operation(3, "clear", "c2"),
        Operation(4, "accept", "c2"),
    ]
    for index in order:
        send(store, queue[index])
    assert states(store) == {"c1": "rejected", "c2": "accepted"}


def test_acknowledged_counts_without_gaps_over_all_documents(store: Store) -> None:
    assert acknowledged(store, "tab") == last_sequence(store, "tab") == 0
    send(store, Operation(3, "accept", "c1"))
    assert (acknowledged(store, "tab"), last_sequence(store, "tab")) == (0, 3)
    send(store, Operation(1, "accept", "c2"))
    assert acknowledged(store, "tab") == 1
    send(store, Operation(2, "accept", "c2"), document_id="other")
    assert acknowledged(store, "tab") == 3
    assert acknowledged(store, "another tab") == 0


def test_more_than_one_message_can_hold_is_taken_in_turns(store: Store) -> None:
    queue = [Operation(i, "accept", f"c{i}") for i in range(1, MAX_OPERATIONS + 11)]
    first = send(store, *queue)
    assert first.settled == tuple(range(1, MAX_OPERATIONS + 1))
    rest = send(store, *queue[MAX_OPERATIONS:])
    assert len(rest.settled) == 10


# Hostile or mistaken browsers


@pytest.mark.parametrize(
    "bad",
    [
        {"sequence": "2", "action": "accept", "concept_id": "c1"},
        {"sequence": 2.0, "action": "accept", "concept_id": "c1"},
        {"sequence": True, "action": "accept", "concept_id": "c1"},
        {"sequence": 0, "action": "accept", "concept_id": "c1"},
        {"sequence": -3, "action": "accept", "concept_id": "c1"},
        {"sequence": 10**30, "action": "accept", "concept_id": "c1"},
        {"sequence": None},
        {},
        None,
        "accept",
        [["sequence", 2]],
    ],
)
def test_what_has_no_number_is_refused_and_the_rest_is_stored(store: Store, bad: object) -> None:
    receipt = send(store, bad, Operation(1, "accept", "c1"))
    assert receipt.stored == receipt.settled == (1,)
    assert [one.code for one in receipt.refused] == ["malformed"]
    assert receipt.refused[0].sequence is None


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"action": "destroy", "concept_id": "c1"}, "malformed"),
        ({"action": None, "concept_id": "c1"}, "malformed"),
        ({"action": ["accept"], "concept_id": "c1"}, "malformed"),
        ({"action": "accept"}, "malformed"),
        ({"action": "accept", "concept_id": 7}, "malformed"),
        ({"action": "accept", "concept_id": "x" * 256}, "malformed"),
        ({"action": "accept", "concept_id": "c1", "group": "g" * 65}, "malformed"),
        ({"action": "accept", "concept_id": "c1", "group": {}}, "malformed"),
        ({"action": "accept", "concept_id": "c1\0"}, "unknown concept"),
        ({"action": "accept", "concept_id": "c1\ud800"}, "unknown concept"),
        ({"action": "accept", "concept_id": "<img onerror=x>"}, "unknown concept"),
    ],
)
def test_what_makes_no_sense_is_refused_for_good_with_a_reason(
    store: Store, bad: dict[str, object], code: str
) -> None:
    receipt = send(store, {"sequence": 1} | bad, Operation(2, "accept", "c1"), known=CONCEPTS)
    assert receipt.stored == (2,)
    assert receipt.settled == (1, 2)
    assert [(one.sequence, one.code) for one in receipt.refused] == [(1, code)]
    assert receipt.refused[0].reason.endswith("stored.")
    assert n_events(store) == 1


@pytest.mark.parametrize("client_id", ["", "x" * 65, "a\0b", 7, None])
def test_a_client_without_a_usable_name_is_refused(store: Store, client_id: str) -> None:
    receipt = send(store, Operation(1, "accept", "c1"), client_id=client_id)
    assert receipt.settled == (1,)
    assert "reload" in receipt.refused[0].reason
    assert n_events(store) == 0


def test_a_document_that_is_not_there_is_refused(store: Store) -> None:
    receipt = send(store, Operation(1, "accept", "c1"), document_id="nowhere")
    assert [(one.sequence, one.code) for one in receipt.refused] == [(1, "unknown document")]


def test_a_number_used_for_two_things_is_not_silently_lost(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    receipt = send(store, Operation(1, "accept", "c2"), Operation(2, "accept", "c3"))
    assert receipt.stored == (2,)
    assert [(one.sequence, one.code) for one in receipt.refused] == [(1, "number taken")]
    within = send(store, Operation(3, "accept", "c1"), Operation(3, "reject", "c1"))
    assert within.stored == (3,)
    assert [one.code for one in within.refused] == ["number taken"]


def test_a_removed_documents_decisions_still_arrive(store: Store) -> None:
    store.remove_document("act")
    assert send(store, Operation(1, "accept", "c1")).stored == (1,)


def test_nothing_is_stored_when_something_fails(store: Store) -> None:
    with pytest.raises(StoreError):
        send(store, Operation(1, "accept", "c1"), Operation(2, "accept", "c2"), person_id=99)
    assert (n_events(store), states(store)) == (0, {})


# Derived state


@pytest.mark.parametrize("seed", range(12))
def test_rebuilding_from_the_events_gives_the_current_state(store: Store, seed: int) -> None:
    """Random operations of two people in three tabs, some late, some sent again."""
    chance = random.Random(seed)
    people = [store.default_person().person_id, colleague(store)]
    tabs = {"a": people[0], "b": people[0], "c": people[1]}
    queues: dict[tuple[str, str], list[Operation]] = {}
    numbers = {tab: itertools.count(1) for tab in tabs}
    for _ in range(60):
        tab, document_id = chance.choice("abc"), chance.choice(["act", "other"])
        queue = queues.setdefault((tab, document_id), [])
        for _ in range(chance.randint(1, 4)):
            action = chance.choice(["accept", "accept", "reject", "add", "clear", "undo"])
            group = chance.choice([None, None, "g", "h"])
            concept_id = "" if action == "undo" else chance.choice(CONCEPTS)
            queue.append(Operation(next(numbers[tab]), action, concept_id, group))
        sent = chance.sample(queue, chance.randint(1, len(queue)))
        receipt = send(store, *sent, client_id=tab, person_id=tabs[tab], document_id=document_id)
        assert receipt.settled == tuple(sorted(one.sequence for one in sent))
        if chance.random() < 0.7:  # the others are sent again, as if the receipt had been lost
            settled = set(receipt.settled)
            queue[:] = [one for one in queue if one.sequence not in settled]
    for (tab, document_id), queue in queues.items():
        send(store, *queue, client_id=tab, person_id=tabs[tab], document_id=document_id)
    before = [current(store, name) for name in ("act", "other")]
    assert n_events(store) == sum(next(number) - 1 for number in numbers.values())
    rebuild(store)
    assert [current(store, name) for name in ("act", "other")] == before


@pytest.mark.parametrize("seed", range(5))
def test_undo_agrees_with_a_stack_of_whole_states(store: Store, seed: int) -> None:
    """One person, in order: each undo restores what held before the last action or group."""
    chance = random.Random(seed)
    held: dict[str, str] = {}
    past: list[dict[str, str]] = []
    groups, sequence = itertools.count(), 0
    for _ in range(60):
        if chance.random() < 0.35:
            sequence += 1
            send(store, Operation(sequence, "undo"))
            held = past.pop() if past else held
        else:
            past.append(dict(held))
            group = f"g{next(groups)}"
            for concept_id in chance.sample(CONCEPTS, chance.randint(1, 3)):
                sequence += 1
                action = chance.choice(["accept", "reject", "clear"])
                send(store, Operation(sequence, action, concept_id, group))
                held.pop(concept_id, None)
                if action != "clear":
                    held[concept_id] = f"{action}ed"
        assert states(store) == held


# Speed, and death


def test_a_decision_is_stored_quickly(store: Store) -> None:
    store.save_prediction("act", prediction(300), settings={})
    seconds = []
    for sequence in range(1, 101):
        started = time.process_time()
        send(store, Operation(sequence, "accept", f"c{sequence}"))
        seconds.append(time.process_time() - started)
    assert sorted(seconds)[50] < 0.02


CLICKING = """
import sys
from core.review.decisions import record
from core.review.store import Store

store = Store.open(sys.argv[1])
me = store.default_person().person_id
for first in range(int(sys.argv[2]), 10**9):
    # As the browser does: what may not have arrived is sent again with the new one.
    queue = [
        {"sequence": n, "action": "accept", "concept_id": f"c{n}"} for n in (first, first + 1)
    ]
    receipt = record(
        store, document_id="act", person_id=me, client_id="tab", operations=queue
    )
    print(*receipt.stored, flush=True)
"""


def test_what_was_acknowledged_survives_sigkill_and_is_there_once(
    store: Store, tmp_path: Path
) -> None:
    chance, url = random.Random(3), f"sqlite:///{tmp_path}/strata.sqlite"
    told: set[int] = set()
    for _ in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", CLICKING, url, str(max(told, default=1))],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        time.sleep(chance.uniform(0.01, 0.3))
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        process.stdout.close()
        process.wait()
        whole = [line for line in lines if line.endswith("\n")]
        told.update(int(number) for line in whole for number in line.split())
    assert len(told) > 10
    with store.read() as connection:
        stored = list(connection.scalars(select(decision_event.c.sequence)))
    assert len(stored) == len(set(stored))
    assert told <= set(stored)
    assert len(set(stored) - told) <= 10  # stored, but killed before it could say so
    assert set(current(store, "act")) == {f"c{number}" for number in stored}
    assert acknowledged(store, "tab") == max(stored)
