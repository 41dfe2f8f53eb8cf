"""Codes, their order and their marks, as the browser's scripts work them out."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.support.browser.scripts import TREE_RULE
from tests.support.browser.scripts import run as run_scripts

SCRIPTS = ("tree/states.js", "tree/coding.js")
pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

SET_UP = """
const icd10 = { code_first: true, leaves_only: true, present_on_admission: true, dated_procedures: false };
const icd9 = { ...icd10, dated_procedures: true };
const pcs = { ...icd9, present_on_admission: false };
const node = (code, label, assignable = true) => ({ notation: code, label, assignable, forbidden: false });
const op = (action, id, value) => ({ action, concept_id: id, value });
const now = (operations, stored = {}) => decisionsNow(stored, operations);
const order = (operations, stored) => inCodeOrder(now(operations, stored));
"""


def run(expression: str) -> Any:
    return run_scripts(f"{TREE_RULE}{SET_UP} return {expression};", *SCRIPTS)


def test_a_code_stands_before_its_name_once() -> None:
    labels = """[["E11.9", "Type 2 diabetes"], ["E08-E13", "Diabetes mellitus (E08-E13)"],
        ["52", "52 ENVIRONMENT"]].map(([code, label]) => withCode(node(code, label), icd10).label)"""
    assert run(labels) == ["E11.9 Type 2 diabetes", "E08-E13 Diabetes mellitus", "52 ENVIRONMENT"]
    assert run('withCode(node("52", "ENVIRONMENT"), {}).label') == "ENVIRONMENT"


def test_codes_stand_as_they_were_ordered_and_the_others_behind() -> None:
    accepted = 'op("accept", "a"), op("add", "b"), op("reject", "x"), op("accept", "c")'
    assert run(f"order([{accepted}])") == ["a", "b", "c"]
    assert run(f'order([{accepted}, op("order", "", ["c", "a"])])') == ["c", "a", "b"]
    assert run(f'order([{accepted}, op("order", "", ["c", "a"]), op("order", "", ["b"])])') == [
        "b",
        "a",
        "c",
    ]
    stored = '{ a: { state: "accepted", place: 2 }, b: { state: "accepted", place: 1 } }'
    assert run(f"order([op('accept', 'c')], {stored})") == ["b", "a", "c"]


def test_a_code_moves_by_places_and_not_beyond_the_ends() -> None:
    assert run('movedBy(["a", "b", "c"], "c", -1)') == ["a", "c", "b"]
    assert run('movedBy(["a", "b", "c"], "a", 2)') == ["b", "c", "a"]
    assert run('[movedBy(["a"], "a", -1), movedBy(["a"], "a", 1), movedBy(["a"], "b", 1)]') == [
        None,
        None,
        None,
    ]


def test_diagnoses_and_procedures_are_numbered_and_moved_apart() -> None:
    numbers = 'codeNumbers(["a", "81.52", "b", "79.35"], (id) => id.includes("."))'
    assert run(f"[...{numbers}].map(([id, one]) => [id, one.number, one.principal])") == [
        ["a", 1, "principal"],
        ["81.52", 1, "principal procedure"],
        ["b", 2, ""],
        ["79.35", 2, ""],
    ]
    moved = f'movedBy(["a", "81.52", "b", "79.35"], "%s", -1, {numbers})'
    assert run(moved % "b") == ["b", "a", "81.52", "79.35"]
    assert run(moved % "81.52") is None


def test_marks_and_days_belong_to_what_is_accepted() -> None:
    facts = "[...now(%s)].map(([, one]) => [one.state, one.present, one.performed_on])"
    marked = '[op("accept", "a"), op("present", "a", "N"), op("performed", "a", "2026-05-04")'
    assert run(facts % f"{marked}]") == [["accepted", "N", "2026-05-04"]]
    assert run(facts % f'{marked}, op("add", "a")]') == [["accepted", "N", "2026-05-04"]]
    assert run(facts % f'{marked}, op("reject", "a")]') == [["rejected", "", ""]]
    assert run('[...now([op("present", "a", "Y")])]') == []


def test_the_mark_goes_round() -> None:
    cycle = '["", "Y", "N", "U", "W", null].map((mark) => nextPresent(mark))'
    assert run(cycle) == ["Y", "N", "U", "W", "", "Y"]
    assert run('["", "N"].map((mark) => nextPresent(mark, "N"))') == ["N", "U"]


def test_procedures_and_diagnoses_of_the_same_digits_are_told_apart() -> None:
    kinds = """["99.15", "991.5", "V30.00", "E885.9", "3"].map((code) => {
        const one = withCode(node(code, "x", code !== "3"), icd9);
        return [isProcedure(one, icd9), isDiagnosis(one, icd9)]; })"""
    assert run(kinds) == [
        [True, False],
        [False, True],
        [False, True],
        [False, True],
        [False, False],
    ]
    assert run('isProcedure(withCode(node("0DTJ4ZZ", "x"), pcs), pcs)')
    assert not run('isProcedure(withCode(node("47.09", "x"), icd10), icd10)')


def test_a_held_category_is_open_until_a_code_below_it_is_accepted() -> None:
    words = """(operations) => [...treeStates(rule, (id) => new Set(id === "E11.9" ? ["E11"] : []),
        now(operations), new Set())].map(([id, state]) => [id, state.word])"""
    assert run(f'({words})([op("hold", "E11")])') == [["E11", "open"]]
    settled = f'({words})([op("hold", "E11"), op("add", "E11.9")])'
    assert run(settled) == [["E11", "implied"], ["E11.9", "accepted"]]


def test_only_what_can_have_codes_below_is_a_category() -> None:
    assert run(
        '[isCategory(node("E11", "x", false), icd10), isCategory(node("E11.9", "x"), icd10)]'
    )
    assert run('isCategory(node("m1", "x", false), {})') is False
