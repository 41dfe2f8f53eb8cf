from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.review.decisions import (
    Operation,
    current,
    rebuild,
)
from core.review.store import Store
from tests.stores import (
    CONCEPTS,
    colleague,
    n_events,
    open_with_documents,
    send,
    states,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path)
    yield opened
    opened.close()


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
