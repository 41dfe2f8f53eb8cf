"""What is derived agrees with the events, and with a simple model, however clients interleave."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest
from sqlalchemy import select

from core.review.decisions import ledger
from core.review.decisions.operations import Value
from core.review.decisions.recording import Operation, current, version
from core.review.reports.summaries import list_documents
from core.review.store import tables
from core.review.store.people import default_person
from core.review.store.store import Store
from tests.core.review.decisions.conftest import NAMES
from tests.support.ledger import rebuild
from tests.support.stores import (
    CONCEPTS,
    codes,
    colleague,
    n_events,
    send,
    states,
)

ON_CONCEPTS = [
    "accept",
    "accept",
    "reject",
    "add",
    "clear",
    "back_off",
    "exclude",
    "mark",
    "unmark",
    "hold",
    "present",
    "performed",
]
ACTIONS = [*ON_CONCEPTS, "undo", "undo", "undo", "finish", "reopen", "order"]
NOT_ACCEPTING = {
    "reject": "rejected",
    "back_off": "rejected",
    "exclude": "excluded",
    "hold": "open",
}
ON_ACCEPTED = ("mark", "present", "performed")
Held = tuple[object, ...]
DERIVED = (tables.decision, tables.undone_event)


def derived(store: Store) -> list[object]:
    """Everything that can be derived again."""
    with store.read() as connection:
        rows = [sorted(map(tuple, connection.execute(select(table)))) for table in DERIVED]
        columns = tables.document.c
        status = select(columns.document_id, columns.version, columns.finished_at)
        return [*rows, sorted(map(tuple, connection.execute(status)))]


def value_of(action: str, chance: random.Random) -> Value:
    """What goes with an action, for those that have a value."""
    if action == "present":
        return chance.choice(["Y", "N", ""])
    if action == "performed":
        return chance.choice(["2026-05-04", "2026-05-05", ""])
    wanted = chance.sample(CONCEPTS[:4], chance.randint(0, 4))
    return tuple(wanted) if action == "order" else None


@pytest.mark.parametrize("seed", range(10))
def test_rebuilding_from_the_events_gives_the_current_state(
    store_of_three: Store, seed: int
) -> None:
    """Random operations of two people in three tabs, some late, some sent again."""
    chance = random.Random(seed)
    people = [default_person(store_of_three).person_id, colleague(store_of_three)]
    tabs = {"a": people[0], "b": people[0], "c": people[1]}
    queues: dict[tuple[str, str], list[Operation]] = {}
    numbers = {tab: itertools.count(1) for tab in tabs}
    n_refused = 0
    for _ in range(40):
        tab, document_id = chance.choice("abc"), chance.choice(NAMES)
        queue = queues.setdefault((tab, document_id), [])
        for _ in range(chance.randint(1, 4)):
            action = chance.choice(ACTIONS)
            group = chance.choice([None, None, "g", "h"])
            concept_id = "" if action in ledger.DOCUMENT_ACTIONS else chance.choice(CONCEPTS)
            value = value_of(action, chance)
            queue.append(Operation(next(numbers[tab]), action, concept_id, group, value=value))
        sent = chance.sample(queue, chance.randint(1, len(queue)))
        receipt = send(
            store_of_three, *sent, client_id=tab, person_id=tabs[tab], document_id=document_id
        )
        assert receipt.settled == tuple(sorted(one.sequence for one in sent))
        refused = {one.sequence for one in receipt.refused}
        n_refused += len(refused)
        again = chance.random() < 0.3  # what was stored is sent again, as if the receipt was lost
        gone = refused if again else set(receipt.settled)
        queue[:] = [one for one in queue if one.sequence not in gone]
    for (tab, document_id), queue in queues.items():
        last = send(
            store_of_three, *queue, client_id=tab, person_id=tabs[tab], document_id=document_id
        )
        n_refused += len(last.refused)
    assert (
        n_events(store_of_three) == sum(next(number) - 1 for number in numbers.values()) - n_refused
    )
    before = derived(store_of_three)
    rebuild(store_of_three)
    assert derived(store_of_three) == before


@dataclass(slots=True)
class Entry:
    """One operation in the model's log; `gone_at` is how long that was when it was taken back."""

    browser: str
    tab: str
    document_id: str
    operation: Operation
    gone_at: int = 0

    @property
    def stands(self) -> bool:
        return not self.gone_at


class Model:
    """The rules of `core/review/decisions/ledger.py` in the plainest way: a log that is read from its start each time."""

    def __init__(self) -> None:
        self.log: list[Entry] = []

    def finished_by(self, document_id: str) -> Entry | None:
        last = None
        for entry in self.log:
            if entry.stands and entry.document_id == document_id:
                if entry.operation.action == "finish":
                    last = entry
                if entry.operation.action == "reopen":
                    last = None
        return last

    def held(self, document_id: str) -> dict[str, Held]:
        """State, main topic, mark and day by concept."""
        held: dict[str, Held] = {}
        for entry in self.log:
            action, concept_id = entry.operation.action, entry.operation.concept_id
            if not entry.stands or entry.document_id != document_id or not concept_id:
                continue
            state, *traits = held.get(concept_id, ("", False, "", ""))
            if action in ("accept", "add"):
                kept = traits if state == "accepted" else (False, "", "")
                held[concept_id] = ("accepted", *kept)
            elif action in NOT_ACCEPTING:
                held[concept_id] = (NOT_ACCEPTING[action], False, "", "")
            elif action == "clear":
                held.pop(concept_id, None)
            elif state == "accepted":
                at = {"present": 1, "performed": 2}.get(action, 0)
                traits[at] = action == "mark" if at == 0 else entry.operation.value
                held[concept_id] = (state, *traits)
        return held

    def named(self, document_id: str) -> list[str]:
        """The accepted concepts that the last order names, in its order."""
        held = self.held(document_id)
        orders = [
            entry.operation.value or ()
            for entry in self.log
            if entry.stands and entry.document_id == document_id
            if entry.operation.action == "order"
        ]
        last = orders[-1] if orders else ()
        return [i for i in last if held.get(i, [""])[0] == "accepted"]

    def take(self, entry: Entry) -> str | None:
        """Write an operation; the code of its refusal."""
        action, concept_id = entry.operation.action, entry.operation.concept_id
        if action == "undo":
            return self.undo(entry.browser)
        finished = self.finished_by(entry.document_id) is not None
        if action == "reopen" and not finished:
            return "not finished"
        if finished and action != "reopen":
            return "finished"
        if (
            action in ON_ACCEPTED
            and self.held(entry.document_id).get(concept_id, [""])[0] != "accepted"
        ):
            return "not accepted"
        self.log.append(entry)
        return None

    def undo(self, browser: str) -> str | None:
        own = [entry for entry in self.log if entry.browser == browser and entry.stands]
        if not own:
            return None
        last = own[-1]
        finish = self.finished_by(last.document_id)
        if finish is not None and self.log.index(finish) > self.log.index(last):
            return "finished"
        if last.operation.action == "reopen" and self.is_changed_since(last):
            return "finished"
        group = last.operation.group
        for entry in own:
            together = (entry.tab, entry.document_id) == (last.tab, last.document_id)
            if entry is last or (group and together and entry.operation.group == group):
                entry.gone_at = len(self.log)
        return None

    def is_changed_since(self, opened: Entry) -> bool:
        """Whether more was decided on a document, or taken back, after it was opened again."""
        place = self.log.index(opened)
        theirs = (
            entry for entry in enumerate(self.log) if entry[1].document_id == opened.document_id
        )
        return any(
            entry.stands if number > place else number < place < entry.gone_at
            for number, entry in theirs
        )


@pytest.mark.parametrize("seed", range(8))
def test_what_holds_agrees_with_a_log_that_is_read_from_its_start(
    store_of_three: Store, seed: int
) -> None:
    """Two people in four tabs of three browsers, each operation as it is made."""
    chance = random.Random(1000 + seed)
    people = [default_person(store_of_three).person_id, colleague(store_of_three)]
    tabs = {"one:a": people[0], "one:b": people[0], "two:c": people[1], "three:d": people[0]}
    numbers = {tab: itertools.count(1) for tab in tabs}
    model = Model()
    for _ in range(120):
        tab, document_id = chance.choice([*tabs, "one:a", "one:b"]), chance.choice(NAMES)
        action = chance.choice(ACTIONS)
        concept_id = "" if action in ledger.DOCUMENT_ACTIONS else chance.choice(CONCEPTS[:4])
        group = chance.choice([None, None, "g"]) if concept_id else None
        value = value_of(action, chance)
        operation = Operation(next(numbers[tab]), action, concept_id, group, value=value)
        code = model.take(Entry(tab.partition(":")[0], tab, document_id, operation))
        before = {name: version(store_of_three, name) for name in NAMES}
        receipt = send(
            store_of_three, operation, client_id=tab, person_id=tabs[tab], document_id=document_id
        )
        assert codes(receipt) == ([code] if code else [])
        for name in NAMES:
            decided = current(store_of_three, name)
            held = {
                key: (one.state, one.main, one.present, str(one.performed_on or ""))
                for key, one in decided.items()
            }
            assert held == model.held(name)
            placed = sorted((one.place, key) for key, one in decided.items() if one.place)
            accepted = [key for key, one in decided.items() if one.state == "accepted"]
            named = model.named(name)
            behind = [key for key in accepted if key not in named]
            assert placed == list(enumerate([*named, *behind], start=1))
            changed = name == document_id or name in {one.document_id for one in receipt.undone}
            assert (version(store_of_three, name) > before[name]) == (changed and code is None)
        status = {
            one.document_id: one.status == "finished" for one in list_documents(store_of_three, 1)
        }
        assert status == {name: model.finished_by(name) is not None for name in NAMES}


@pytest.mark.parametrize("seed", range(3))
def test_undo_agrees_with_a_stack_of_whole_states(store_of_three: Store, seed: int) -> None:
    """One person, in order: each undo restores what held before the last action or group."""
    chance = random.Random(seed)
    held: dict[str, str] = {}
    past: list[dict[str, str]] = []
    groups, sequence = itertools.count(), 0
    for _ in range(40):
        if chance.random() < 0.35:
            sequence += 1
            send(store_of_three, Operation(sequence, "undo"))
            held = past.pop() if past else held
        else:
            past.append(dict(held))
            group = f"g{next(groups)}"
            for concept_id in chance.sample(CONCEPTS, chance.randint(1, 3)):
                sequence += 1
                action = chance.choice(["accept", "reject", "clear"])
                send(store_of_three, Operation(sequence, action, concept_id, group))
                held.pop(concept_id, None)
                if action != "clear":
                    held[concept_id] = f"{action}ed"
        assert states(store_of_three) == held
