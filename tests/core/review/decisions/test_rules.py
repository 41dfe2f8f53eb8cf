from __future__ import annotations

import pytest

from core.errors import StoreError
from core.review.decisions.recording import Operation
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.rules import (
    NEVER_ASSIGNED,
    NEVER_SUGGESTED,
    Rules,
    lift_rule,
    read_rules,
    set_rule,
)
from core.review.store.store import Store
from core.review.store.tables import rule
from tests.support.fakes import hierarchy
from tests.support.stores import codes, send

pytestmark = pytest.mark.usefixtures("on_both")

VOCABULARY = hierarchy()


def test_a_rule_holds_until_it_is_lifted_and_stays_known(store: Store) -> None:
    assert read_rules(store, 1) == Rules()
    set_rule(store, 1, "103", NEVER_SUGGESTED, 1)
    set_rule(store, 1, "m3", NEVER_ASSIGNED, 1)
    set_rule(store, 1, "m3", NEVER_ASSIGNED, 1)
    assert read_rules(store, 1) == Rules(frozenset({"103"}), frozenset({"m3"}))
    lift_rule(store, 1, "m3", NEVER_ASSIGNED)
    lift_rule(store, 1, "m3", NEVER_ASSIGNED)
    lift_rule(store, 1, "never set", NEVER_ASSIGNED)
    assert read_rules(store, 1) == Rules(frozenset({"103"}))
    with store.read() as connection:
        assert len(connection.execute(rule.select()).all()) == 2
    set_rule(store, 1, "m3", NEVER_ASSIGNED, 1)
    assert read_rules(store, 1).never_assigned == {"m3"}


def test_a_rule_holds_in_its_project_alone(store: Store) -> None:
    other = default_project(store, "stw").project_id
    set_rule(store, other, "103", NEVER_ASSIGNED, default_person(store).person_id)
    assert read_rules(store, 1) == Rules()
    assert read_rules(store, other).never_assigned == {"103"}


def test_an_unknown_kind_of_rule_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="no rule 'sometimes'"):
        set_rule(store, 1, "103", "sometimes", 1)


def test_a_branch_is_forbidden_with_all_below_it_by_whichever_path() -> None:
    rules = Rules(never_assigned=frozenset({"m2"}))  # 103 is below m1 and m2, and 104 below 103
    forbidden = {one for one in VOCABULARY if rules.forbids(one, VOCABULARY)}
    assert forbidden == {"m2", "103", "104", "201", "202"}
    assert {one for one in VOCABULARY if rules.hides(one, VOCABULARY)} == forbidden
    assert rules.kinds("m2") == ["never_assigned"]
    assert rules.kinds("103") == []


def test_a_concept_never_suggested_may_still_be_assigned_and_so_may_what_is_below() -> None:
    rules = Rules(never_suggested=frozenset({"103"}))
    assert {one for one in VOCABULARY if rules.hides(one, VOCABULARY)} == {"103"}
    assert not any(rules.forbids(one, VOCABULARY) for one in VOCABULARY)


def test_without_a_vocabulary_a_rule_holds_for_its_concept_alone() -> None:
    rules = Rules(never_assigned=frozenset({"m2"}))
    assert (rules.forbids("m2", None), rules.forbids("103", None)) == (True, False)
    assert not rules.forbids("withdrawn", VOCABULARY)


def test_a_decision_asks_the_rules(store: Store) -> None:
    set_rule(store, 1, "m2", NEVER_ASSIGNED, default_person(store).person_id)
    rules = read_rules(store, 1)
    receipt = send(store, Operation(1, "accept", "104"), concept_ids=VOCABULARY, rules=rules)
    assert codes(receipt) == ["ruled out"]
    lift_rule(store, 1, "m2", NEVER_ASSIGNED)
    again = send(
        store, Operation(1, "accept", "104"), concept_ids=VOCABULARY, rules=read_rules(store, 1)
    )
    assert again.stored == (1,)
