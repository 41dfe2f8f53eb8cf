"""The rules of the check, case by case: `cases.tsv` has a line for each.

`after` has the codes after the remedy; it is empty where no finding of the kind is made, `-` where
a finding has no remedy, and `*` where that is not looked at. Severity, source and the codes that a
finding is about are compared where they are stated.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from core.clinical.stay import Stay
from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told

UNSEEN, NONE = "*", "-"

with Path(__file__).with_name("cases.tsv").open(encoding="utf-8", newline="") as file:
    CASES = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


@pytest.mark.parametrize("kind", sorted({case["kind"] for case in CASES}))
def test_a_rule_finds_what_its_cases_say(tree: Hierarchy, kind: str) -> None:
    for case in CASES:
        if case["kind"] == kind:
            check(tree, case)


def check(tree: Hierarchy, case: dict[str, str]) -> None:
    codes = case["codes"].split()
    findings = of_kind(case["kind"], told(tree, *codes))
    if not case["after"]:
        assert findings == [], case["shows"]
        return
    assert len(findings) == 1, case["shows"]
    (finding,) = findings
    stated = (finding.severity, " ".join(finding.concept_ids), finding.source)
    expected = (case["severity"], case["about"], case["source"])
    assert all(own == value for own, value in zip(expected, stated, strict=True) if own), case
    if case["after"] == NONE:
        assert finding.remedy is None, case
    elif case["after"] != UNSEEN:
        plain = [code.partition(":")[0] for code in codes]
        assert mended(tree, finding, plain) == case["after"].split(), case["shows"]


def test_every_kind_has_a_case_in_which_it_is_found_and_one_in_which_not() -> None:
    kinds = {case["kind"] for case in CASES} - {"laterality", "codeFirst", "excludes1"}
    for kind in kinds:
        assert {bool(case["after"]) for case in CASES if case["kind"] == kind} == {True, False}


@pytest.mark.parametrize(
    ("code", "right"),
    [("M17.9", "M17.11"), ("L03.119", "L03.113"), ("I82.409", "I82.401"), ("S72.009A", "S72.001A")],
)
def test_a_side_is_asked_for(tree: Hierarchy, code: str, right: str) -> None:
    (found,) = of_kind("laterality", told(tree, code))
    assert f"{right} is right" in found.sentence
    assert found.source == "Guidelines I.B.13"


def test_the_record_of_a_newborn_has_no_weeks_and_keeps_its_own_codes(tree: Hierarchy) -> None:
    findings = told(tree, "O76", "P22.1", stay=Stay(age_years=0))
    assert of_kind("weeks", findings) == []
    (apart,) = of_kind("apart", findings)
    assert mended(tree, apart, ["O76", "P22.1"]) == ["P22.1"]
    (born,) = of_kind("born", findings)
    assert born.concept_ids == ("P22.1",)
    assert of_kind("born", told(tree, "Z38.01", "P22.1", stay=Stay(age_years=0))) == []
