"""Groups of invented stays that were worked by hand, and what their codes do."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.clinical.coding.findings import DocumentCode
from core.clinical.drg import (
    CC,
    CHANGES,
    MCC,
    NO_EFFECT,
    OTHER,
    CodedStay,
    NoGroupError,
    group_of,
    offered_effects,
)
from core.clinical.joined import JoinedHierarchy
from core.clinical.stay import Stay
from core.vocabulary.concepts import Concept, Hierarchy

STAYS = json.loads(Path(__file__).with_name("grouped_stays.json").read_text("utf-8"))
# Remembered otherwise than the exclusions in the package have it: since version 41 that of I50.23
# does not name I11.0 any more, and that of R65.20 names A41.9 in every version.
DIFFERENT = {
    "heart failure whose kind is excluded by the first diagnosis": "291",
    "severe sepsis": "872",
}
MAY = date(2026, 5, 6)
BARE = "No procedure of ICD-10-PCS is coded: as if none was done."


def coded(*codes: str, procedures: tuple[str, ...] = (), **facts: Any) -> CodedStay:
    """A stay of codes written as `E11.9` or, with their mark on admission, `E11.9:N`."""
    marks = dict(code.partition(":")[::2] for code in codes)
    known = {"discharged": MAY, "sex": "female", "disposition": "01", **facts}
    present = {code: mark for code, mark in marks.items() if mark}
    return CodedStay(tuple(marks), procedures, present=present, stay=Stay(**known))


@pytest.mark.parametrize("row", STAYS, ids=lambda row: row["stay"])
def test_a_stay_is_in_the_group_that_was_worked_by_hand(row: dict[str, Any]) -> None:
    group = group_of(
        coded(
            *row["diagnoses"],
            procedures=tuple(row["procedures"]),
            discharged=date.fromisoformat(row["discharged"]),
            age_years=row["age"],
            sex=row["sex"],
            disposition=row["disposition"],
        )
    )
    assert group.drg == DIFFERENT.get(row["stay"], row["drg"])
    assert group.mdc[:2] == row["mdc"]


def test_a_group_says_its_title_category_severity_and_version() -> None:
    group = group_of(coded("J18.9", "E87.1"))
    assert group.title == "Simple Pneumonia and Pleurisy with CC"
    assert group.mdc == "04 respiratory system"
    assert (group.severity, group.version, group.since) == (CC, "43.1", date(2026, 4, 1))
    assert group.assumed == (BARE,)


def test_each_code_says_what_it_does() -> None:
    effects = group_of(coded("A41.9", "R65.20", "N17.9", "J96.01", "I10")).effects
    assert (effects["R65.20"].mark, effects["R65.20"].counts) == (MCC, False)
    assert effects["R65.20"].words == "a major complication, excluded by A41.9"
    assert (effects["J96.01"].mark, effects["J96.01"].drg) == (MCC, "872")
    assert "without it 872" in effects["J96.01"].words
    assert (effects["N17.9"].mark, effects["N17.9"].drg) == (CC, "")
    assert effects["I10"].mark == NO_EFFECT


def test_a_procedure_changes_the_group_or_does_not() -> None:
    procedures = ("0SR9019", "0W9930Z")
    effects = group_of(coded("M16.11", procedures=procedures)).effects
    assert effects["0SR9019"].mark == CHANGES
    assert effects["0W9930Z"].mark == NO_EFFECT


def test_what_is_acquired_in_hospital_or_needs_a_life_does_not_count() -> None:
    acquired = group_of(coded("I63.9", "L89.154:N"))
    assert acquired.drg == "066"
    assert "acquired in hospital (mark N)" in acquired.effects["L89.154"].words
    assert group_of(coded("I63.9", "L89.154:Y")).drg == "064"
    died = group_of(coded("I21.4", "I46.9", disposition="20"))
    assert died.effects["I46.9"].words.endswith("only of patients who leave alive")


@pytest.mark.parametrize(
    ("codes", "procedures", "acquired"),
    [
        (("J18.9", "I26.99:N"), (), ()),
        (("J18.9", "N39.0:N"), (), ()),
        (("J18.9", "J98.51:N"), (), ()),
        (("M16.11", "I26.99:N"), ("0SR904A",), ("I26.99",)),
        (("M16.11", "I26.99:U"), ("0SR904A",), ("I26.99",)),
        (("M16.11", "I26.99:Y"), ("0SR904A",), ()),
        (("J18.9", "N39.0:N", "T83.511A:N"), (), ("N39.0", "T83.511A")),
        (("J18.9", "N39.0:N", "T83.511A:Y"), (), ()),
        (("I25.10", "J98.51:N"), ("02100Z9",), ("J98.51",)),
        (("J18.9", "L89.154:N"), (), ("L89.154",)),
    ],
)
def test_a_condition_is_acquired_in_hospital_beside_what_makes_it_one(
    codes: tuple[str, ...], procedures: tuple[str, ...], acquired: tuple[str, ...]
) -> None:
    group = group_of(coded(*codes, procedures=procedures))
    found = [code for code, one in group.effects.items() if "acquired in hosp" in one.words]
    assert found == list(acquired)
    assert not any(group.effects[code].counts for code in acquired)
    if acquired:
        assert group.drg == group_of(coded(codes[0], procedures=procedures)).drg


def test_without_what_makes_it_acquired_it_counts() -> None:
    effects = group_of(coded("M16.11", "I26.99:N", procedures=("0SR904A", "0W9930Z"))).effects
    assert effects["I26.99"].words.endswith("acquired in hospital (mark N), so not counted")
    alone = group_of(coded("M16.11", "I26.99:N", procedures=("0W9930Z",)))
    assert alone.effects["I26.99"].counts
    assert effects["0SR904A"].drg == alone.drg


def test_what_an_operation_decides_that_is_not_looked_at_counts_and_is_said() -> None:
    group = group_of(coded("J18.9", "J95.811:N"))
    assert group.effects["J95.811"].counts
    (_, undecided) = group.assumed
    assert undecided.startswith("Whether J95.811 is a hospital-acquired condition")
    assert group_of(coded("J18.9", "J95.811:Y")).assumed == (BARE,)


@pytest.mark.parametrize(
    ("discharged", "version"),
    [
        (date(2018, 10, 1), "36"),
        (date(2024, 3, 31), "41"),
        (date(2024, 4, 1), "41.1"),
        (date(2026, 9, 30), "43.1"),
    ],
)
def test_the_day_of_discharge_chooses_the_version(discharged: date, version: str) -> None:
    group = group_of(coded("J18.9", discharged=discharged))
    assert (group.version, group.assumed) == (version, (BARE,))


def test_what_is_taken_for_granted_is_said() -> None:
    group = group_of(coded("J18.9", discharged=None, disposition=""))
    assert [sentence.partition(":")[0] for sentence in group.assumed] == [
        "No day of discharge is known",
        "Where the patient went is not known",
        "No procedure of ICD-10-PCS is coded",
    ]
    late = group_of(coded("J18.9", discharged=date(2026, 10, 1)))
    assert late.assumed == ("A newer version was in force at discharge.", BARE)


@pytest.mark.parametrize(
    ("stay", "sentence"),
    [
        (CodedStay(()), "before a principal diagnosis is accepted"),
        (coded("J18.9", discharged=date(2018, 9, 30)), "ended before 2018-10-01"),
        (coded("ABC.1"), "does not know ABC.1"),
        (coded("N40.0", sex=""), "The sex of the patient decides the group"),
    ],
)
def test_a_stay_without_a_group_says_why(stay: CodedStay, sentence: str) -> None:
    with pytest.raises(NoGroupError, match=sentence):
        group_of(stay)


def test_suggestions_say_what_they_would_do_and_codes_are_sorted_by_system() -> None:
    tree = joined("J18.9", "J96.01", "E87.1", "I10")
    codes = [DocumentCode("J18.9"), DocumentCode("5A1955Z"), DocumentCode("99213")]
    codes.append(DocumentCode("I50", is_open=True))
    here = CodedStay.of(codes, tree, Stay(discharged=MAY, sex="male", disposition="01"))
    assert (here.diagnoses, here.procedures, here.others) == (("J18.9",), ("5A1955Z",), ("99213",))
    assert group_of(here).effects["99213"].mark == OTHER

    alone = coded("J18.9")
    found = offered_effects(alone, ["J96.01", "E87.1", "I10", "5A1955Z", "99213"], tree)
    assert {code: (effect.mark, effect.drg) for code, effect in found.items()} == {
        "J96.01": (MCC, "193"),
        "E87.1": (CC, "194"),
        "I10": (NO_EFFECT, ""),
        "5A1955Z": (CHANGES, "207"),
    }


def joined(*diagnoses: str) -> JoinedHierarchy:
    """Diagnoses with a procedure of ICD-10-PCS and one of CPT."""
    systems = {"icd10cm": diagnoses, "icd10pcs": ("5A1955Z",), "cpt": ("99213",)}
    own, *others = (
        Hierarchy(
            [Concept(code, f"urn:{code}", code, {"en": code}) for code in codes],
            vocabulary_id=vocabulary_id,
            version="2026",
        )
        for vocabulary_id, codes in systems.items()
    )
    return JoinedHierarchy(own, others)
