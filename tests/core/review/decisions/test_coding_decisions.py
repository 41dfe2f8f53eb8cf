"""What coders decide beside the codes: open categories, marks, days and the order."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import select

from core.review.decisions.decided import places_of
from core.review.decisions.recording import Operation, Receipt, current
from core.review.reports.document_state import document_state
from core.review.store.store import Store
from core.review.store.tables import decision_event
from core.vocabulary.concepts import Hierarchy
from tests.support.coded import icd9, icd10
from tests.support.fakes import hierarchy
from tests.support.ledger import rebuild
from tests.support.stores import codes, send, states

pytestmark = pytest.mark.usefixtures("on_both")


def decide(
    store: Store, *wanted: str, first: int = 1, concept_ids: Hierarchy | None = None
) -> Receipt:
    """Actions written as "action", "action:concept" or "action:concept=value"."""
    operations = []
    for sequence, written in enumerate(wanted, start=first):
        action, _, rest = written.partition(":")
        concept_id, _, said = rest.partition("=")
        value = tuple(said.split()) if action == "order" else said
        operations.append(Operation(sequence, action, concept_id, value=value))
    return send(store, *operations, concept_ids=concept_ids or icd10())


def in_order(store: Store) -> list[str]:
    placed = [(one.place, key) for key, one in current(store, "act").items() if one.place]
    return [key for _, key in sorted(placed)]


def test_a_category_is_refused_as_a_code_and_held_open_instead(store: Store) -> None:
    receipt = decide(store, "accept:E11", "add:E08-E13", "hold:E11", "hold:E11.9")
    assert codes(receipt) == ["category", "category", "a code"]
    assert "choose one of the codes below it" in receipt.refused[0].reason
    assert states(store) == {"E11": "open"}
    assert current(store, "act")["E11"].place is None


def test_a_thesaurus_has_no_such_rule(store: Store) -> None:
    broad = next(i for i in hierarchy() if hierarchy().narrower(i) and hierarchy()[i].assignable)
    receipt = send(store, Operation(1, "accept", broad), concept_ids=hierarchy())
    assert not receipt.refused


def test_holding_a_category_is_taken_back_like_anything_else(store: Store) -> None:
    decide(store, "hold:E11", "accept:E11.9")
    assert states(store) == {"E11": "open", "E11.9": "accepted"}
    decide(store, "undo", "undo", first=3)
    assert states(store) == {}


def test_backing_off_to_a_category_holds_it(store: Store) -> None:
    send(
        store,
        Operation(1, "back_off", "E11.9", "g"),
        Operation(2, "hold", "E11", "g"),
        concept_ids=icd10(),
    )
    assert states(store) == {"E11.9": "rejected", "E11": "open"}
    send(store, Operation(3, "undo"))
    assert states(store) == {}


def test_marks_and_days_stay_with_an_accepted_code_and_are_undone(store: Store) -> None:
    receipt = decide(store, "present:E11.9=N", "accept:E11.9", "present:E11.9=Y")
    assert codes(receipt) == ["not accepted"]
    decide(store, "add:E11.9", "present:E11.9=", "undo", first=4)
    assert current(store, "act")["E11.9"].present == "Y"
    decide(store, "reject:E11.9", "accept:E11.9", first=7)
    assert current(store, "act")["E11.9"].present == ""


def test_a_day_stays_with_a_procedure_and_is_undone(store: Store) -> None:
    decide(store, "accept:99.15", "performed:99.15=2026-05-04", "add:99.15", concept_ids=icd9())
    decide(store, "performed:99.15=", "undo", first=4, concept_ids=icd9())
    assert current(store, "act")["99.15"].performed_on == date(2026, 5, 4)


def test_a_mark_is_of_a_diagnosis_and_a_day_of_a_procedure(store: Store) -> None:
    wanted = ("accept:99.15", "present:99.15=Y", "accept:428.0", "performed:428.0=2026-05-04")
    receipt = decide(store, *wanted, "present:428.0=Y", concept_ids=icd9())
    assert codes(receipt) == ["no diagnosis", "no procedure"]
    assert all("not stored" in one.reason for one in receipt.refused)
    found = current(store, "act")
    assert (found["99.15"].present, found["428.0"].performed_on) == ("", None)
    undated = decide(store, "accept:E11.9", "performed:E11.9=2026-05-04", first=6)
    assert codes(undated) == ["no procedure"]  # ICD-10-CM has none
    assert not decide(
        store, "present:99.15=", first=8, concept_ids=icd9()
    ).refused  # takes one away


def test_accepted_codes_stand_as_ordered_and_the_others_behind(store: Store) -> None:
    decide(store, "accept:E11.9", "accept:J18.9", "accept:Z79.4")
    assert in_order(store) == ["E11.9", "J18.9", "Z79.4"]
    decide(store, "order:=Z79.4 E11.9", "accept:G30.9", first=4)
    assert in_order(store) == ["Z79.4", "E11.9", "J18.9", "G30.9"]
    decide(store, "reject:Z79.4", first=6)
    assert in_order(store) == ["E11.9", "J18.9", "G30.9"]
    decide(store, "accept:Z79.4", "order:=G30.9 G30.9 J18.9", first=7)
    assert in_order(store) == ["G30.9", "J18.9", "E11.9", "Z79.4"]
    before = current(store, "act")
    rebuild(store)
    assert current(store, "act") == before
    decide(store, "undo", first=9)
    assert in_order(store) == ["Z79.4", "E11.9", "J18.9", "G30.9"]


def test_words_of_the_text_are_kept_as_evidence(store: Store) -> None:
    assert codes(decide(store, "cite:E11.9=10-25")) == ["not accepted"]
    decide(
        store, "accept:E11.9", "cite:E11.9=10-25", "cite:E11.9=40-52", "cite:E11.9=10-25", first=2
    )
    assert current(store, "act")["E11.9"].cited == "10-25 40-52"
    state = document_state(store, "act")
    assert state is not None
    assert state.facts()["decisions"]["E11.9"]["cited"] == "10-25 40-52"
    rebuild(store)
    assert current(store, "act")["E11.9"].cited == "10-25 40-52"
    decide(store, "undo", "undo", first=6)
    assert current(store, "act")["E11.9"].cited == "10-25"
    decide(store, "cite:E11.9=", first=8)
    assert current(store, "act")["E11.9"].cited == ""
    decide(store, "cite:E11.9=1-4", "reject:E11.9", "accept:E11.9", first=9)
    assert current(store, "act")["E11.9"].cited == ""


def test_places_have_no_gaps() -> None:
    assert places_of({"a": None, "b": 7, "c": None, "d": 2}) == {"d": 1, "b": 2, "a": 3, "c": 4}
    assert places_of({}) == {}


@pytest.mark.parametrize(
    ("action", "value"),
    [
        ("present", "yes"),
        ("present", None),
        ("performed", "4 May"),
        ("performed", 20260504),
        ("performed", "2026-02-30"),
        ("performed", "0031-05-12"),  # as a browser sends a year while it is typed
        ("performed", "1899-12-31"),
        ("performed", "2100-01-01"),
        ("cite", "10"),
        ("cite", "25-10"),
        ("cite", [10, 25]),
        ("order", "E11.9"),
        ("order", [""]),
        ("order", ["a\nb"]),
        ("order", [7]),
        ("order", [str(n) for n in range(1001)]),
    ],
)
def test_a_value_that_does_not_go_with_its_action_is_refused(
    store: Store, action: str, value: object
) -> None:
    sent = {"sequence": 1, "action": action, "concept_id": "E11.9", "value": value}
    receipt = send(store, sent)
    assert codes(receipt) == ["malformed"]
    assert "not stored" in receipt.refused[0].reason


def test_an_order_sent_twice_is_stored_once_and_another_under_its_number_is_a_clash(
    store: Store,
) -> None:
    sent = {"sequence": 1, "action": "order", "value": ["E11.9", "J18.9"]}
    assert not send(store, sent).refused
    assert not send(store, sent).refused
    assert codes(send(store, sent | {"value": ["J18.9"]})) == ["number taken"]
    with store.read() as connection:
        (kept,) = connection.scalars(select(decision_event.c.value)).all()
    assert kept == ["E11.9", "J18.9"]


def test_nothing_is_marked_or_ordered_on_a_finished_document(store: Store) -> None:
    decide(store, "accept:E11.9", "finish")
    receipt = decide(store, "present:E11.9=Y", "order:=E11.9", "hold:E11", first=3)
    assert codes(receipt) == ["finished"] * 3


def test_a_finish_is_refused_where_the_check_says_why(store: Store) -> None:
    asked: list[dict[str, str]] = []

    def may_finish(decisions: object) -> str:
        assert isinstance(decisions, dict)
        asked.append({key: one.state for key, one in decisions.items()})
        return "E11 is still open." if len(asked) == 1 else ""

    operations = [Operation(1, "hold", "E11"), Operation(2, "finish"), Operation(3, "finish")]
    receipt = send(store, *operations, may_finish=may_finish)
    assert [(one.sequence, one.code, one.reason) for one in receipt.refused] == [
        (2, "not allowed", "E11 is still open.")
    ]
    assert asked == [{"E11": "open"}] * 2
    finished = document_state(store, "act")
    assert finished is not None
    assert finished.status == "finished"


def test_a_page_reads_marks_days_and_places(store: Store) -> None:
    decide(store, "accept:E11.9", "accept:J18.9", "order:=J18.9", "present:J18.9=N", "hold:E10")
    send(store, Operation(6, "performed", "E11.9", value="2026-05-04"))
    now = document_state(store, "act")
    assert now is not None
    told = {
        key: (one["state"], one["present"], one["performed_on"], one["place"])
        for key, one in now.facts()["decisions"].items()
    }
    assert told == {
        "E11.9": ("accepted", "", "2026-05-04", 2),
        "J18.9": ("accepted", "N", "", 1),
        "E10": ("open", "", "", None),
    }
