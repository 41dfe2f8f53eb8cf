from __future__ import annotations

from datetime import UTC, datetime

import pytest

from core.review.decisions.ledger import Event, Turns, in_force, turns_in_force
from tests.support.ledger import taken_back, versions

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def event(event_id: int, action: str, concept_id: str | None = "c1", **more: object) -> Event:
    fields: dict[str, object] = {
        "client_id": "tab",
        "sequence": event_id,
        "position": event_id,
        "person_id": 1,
        "document_id": "act",
        "decided_at": NOW,
    }
    return Event(event_id, action=action, concept_id=concept_id, **(fields | more))  # type: ignore[arg-type]


def undo(event_id: int, target: int, **more: object) -> Event:
    return event(event_id, "undo", None, undone_event_id=target, **more)


def held(*events: Event) -> dict[str, tuple[str, bool]]:
    return {key: (one.state, one.main) for key, one in in_force(events).items()}


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ("accept", ("accepted", False)),
        ("accept mark", ("accepted", True)),
        ("accept mark add", ("accepted", True)),
        ("accept mark unmark", ("accepted", False)),
        ("accept mark reject accept", ("accepted", False)),
        ("mark accept", ("accepted", False)),
        ("reject mark", ("rejected", False)),
        ("back_off", ("rejected", False)),
        ("exclude", ("excluded", False)),
        ("exclude accept", ("accepted", False)),
        ("accept clear", None),
        ("accept clear mark", None),
        ("mark", None),
    ],
)
def test_what_holds_is_what_the_actions_say_one_after_the_other(
    actions: str, expected: tuple[str, bool] | None
) -> None:
    events = [event(n, action) for n, action in enumerate(actions.split(), start=1)]
    assert held(*events) == ({"c1": expected} if expected else {})
    assert held(*reversed(events)) == held(*events)


def test_a_late_event_stands_where_its_position_says() -> None:
    late = event(3, "reject", client_id="late", sequence=1, position=1)
    newer = event(1, "accept", client_id="late", sequence=2, position=1)
    assert held(newer, late) == {"c1": ("accepted", False)}


def test_an_undo_takes_the_group_of_its_target_on_that_document() -> None:
    events = [
        event(1, "accept", "c1", group="g"),
        event(2, "accept", "c2", group="g"),
        event(3, "accept", "c3", group="g", document_id="other"),
        event(4, "accept", "c4", group="g", client_id="another"),
        undo(5, 2, document_id="other"),
        event(6, "accept", "c5", group="g"),
    ]
    assert taken_back(events) == {1: 5, 2: 5}
    assert versions(events, taken_back(events)) == {"act": 6, "other": 5}


def test_what_two_undos_name_was_taken_back_by_the_first() -> None:
    assert taken_back([event(1, "accept"), undo(2, 1), undo(3, 1)]) == {1: 2}


def test_the_last_turn_says_whether_a_document_is_finished() -> None:
    first, reopened = event(1, "finish", None), event(2, "reopen", None)
    second = event(3, "finish", None)
    assert turns_in_force([]) == Turns()
    assert turns_in_force([first, event(4, "accept")]) == Turns(finish=first)
    assert turns_in_force([reopened, first]) == Turns()
    assert turns_in_force([second, reopened, first]) == Turns(finish=second)


def test_a_judgement_holds_until_the_next_turn() -> None:
    first, approved = event(1, "finish", None), event(2, "approve", None)
    back, second = event(3, "send_back", None), event(4, "finish", None)
    assert turns_in_force([approved]) == Turns()
    assert turns_in_force([first, approved]) == Turns(finish=first, approval=approved)
    assert turns_in_force([first, approved, back]) == Turns(sent_back=back)
    assert turns_in_force([first, approved, back, second]) == Turns(finish=second)
    assert turns_in_force([first, back, event(5, "reopen", None)]) == Turns()
