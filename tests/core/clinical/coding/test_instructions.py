from __future__ import annotations

import pytest

from core.clinical.instructions import (
    CODE_FIRST,
    EXCLUDES_2,
    Instruction,
    References,
    instructions,
    references,
    with_ancestors,
)
from tests.support.coded import icd10


def test_a_code_has_its_own_instructions_and_those_of_all_above_it_nearest_first() -> None:
    assert with_ancestors("L97.429", icd10()) == ["L97.429", "L97.42", "L97.4", "L97", "12"]
    found = instructions("L97.429", icd10(), [CODE_FIRST])
    assert [(one.stated_at, bool(one.codes)) for one in found] == [("L97.42", False), ("L97", True)]
    assert [
        instruction.stated_at for instruction in instructions("J18.9", icd10(), [EXCLUDES_2])
    ] == [
        "J18",
        "J09-J18",
    ]


def test_an_instruction_reads_as_one_line() -> None:
    (found,) = instructions("F02.8", icd10(), [CODE_FIRST])
    assert found.sentence == (
        "Code first the underlying physiological condition, such as: Alzheimer's (G30.-)"
    )
    assert found.has_open_list
    assert not found.is_loose
    (excluded,) = instructions("E10.9", icd10())
    assert excluded.sentence == "Excludes1: type 2 diabetes mellitus (E11.-)"
    assert not excluded.has_open_list
    (loose,) = instructions("J18.9", icd10(), [CODE_FIRST])
    assert loose.is_loose


def test_what_the_vocabulary_does_not_offer_has_none() -> None:
    assert instructions("E11.0", icd10()) == []
    assert instructions("unheard of", icd10()) == []


@pytest.mark.parametrize(
    ("text", "is_loose"),
    [
        ("cardiac arrhythmia complicating:\nobstetric surgery (O75.4)", True),
        ("associated AIDS (B20)", True),
        ("complication of other artery following a procedure (T81.718)", True),
        ("underlying infection, such as:\ninfection following a procedure (T81.4-)", False),
        ("the associated physical disorder, such as:\nasthma (J45.-)", False),
        ("complications of transplanted organs and tissue (T86.-)", False),
        ("condition resulting from (sequela) of malnutrition", False),
    ],
)
def test_what_names_special_cases_is_loose(text: str, is_loose: bool) -> None:
    assert Instruction(CODE_FIRST, text, "I49", references(text)).is_loose is is_loose


def test_an_instruction_for_adverse_effects_is_for_no_poisoning() -> None:
    said = Instruction(CODE_FIRST, "for adverse effects, the nature of it", "T36-T50", References())
    assert said.holds_for("T36.0X5A") and said.holds_for("T36.95XA") and said.holds_for("T45.515D")
    assert not said.holds_for("T36.0X1A") and not said.holds_for("T43.651A")
    assert not said.holds_for("T36.0X6A")
