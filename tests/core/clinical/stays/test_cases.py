"""The rules of stays, case by case: `cases.tsv` has a line for each.

`named` lists the codes that words of the text name; `codes` what a rule makes of them, with `<`
before each code that one takes the place of. Line breaks of a text are written as `\\n`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import pytest

from core.clinical.stays.beside import behind, beside_another
from core.clinical.stays.births import births, of_another_patient
from core.clinical.stays.cancers import cancers, lymphomas
from core.clinical.stays.conditions.causes import causes, later_visits
from core.clinical.stays.conditions.fractures import displacement, open_fractures
from core.clinical.stays.conditions.mishaps import mishaps
from core.clinical.stays.conditions.said import in_a_child, in_a_man, said, said_last
from core.clinical.stays.conditions.sides import sides
from core.clinical.stays.conditions.spine import spine
from core.clinical.stays.conditions.ulcers import ulcers
from core.clinical.stays.conditions.wounds import wounds
from core.clinical.stays.detail import detail
from core.clinical.stays.diabetes import manifestations, retinopathy, type_1
from core.clinical.stays.drugs import ACCIDENTAL, CATEGORIES, code_of, drugs
from core.clinical.stays.encounters import (
    earlier_operations,
    encounters,
    only_before_operation,
    operations,
)
from core.clinical.stays.germs import germs
from core.clinical.stays.note import StayCode
from core.clinical.stays.numbers import consciousness, numbers
from core.clinical.stays.places import fragile, places
from core.clinical.stays.remission import remission
from core.clinical.stays.strokes import rehabilitation, sequelae, strokes
from core.clinical.stays.taken import family, no_longer_taken, taken
from core.vocabulary.concepts import Hierarchy
from tests.core.clinical.stays.conftest import MakesNote

GIVING = (
    beside_another,
    births,
    cancers,
    causes,
    consciousness,
    detail,
    displacement,
    type_1,
    drugs,
    earlier_operations,
    encounters,
    family,
    fragile,
    germs,
    in_a_child,
    in_a_man,
    later_visits,
    lymphomas,
    manifestations,
    mishaps,
    numbers,
    open_fractures,
    operations,
    places,
    rehabilitation,
    remission,
    retinopathy,
    said,
    said_last,
    sequelae,
    sides,
    spine,
    strokes,
    taken,
    ulcers,
    wounds,
)
TAKING = (behind, of_another_patient, no_longer_taken, only_before_operation)
RULES = {rule.__name__: rule for rule in (*GIVING, *TAKING)}

with (Path(__file__).parent / "cases.tsv").open(encoding="utf-8", newline="") as file:
    CASES = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_gives_the_codes_of_its_cases(note: MakesNote, rule: str) -> None:
    for case in CASES:
        if case["rule"] == rule:
            named = dict(pair.split("=", 1) for pair in case["named"].split(" | ") if pair)
            pointless = {code.replace(".", ""): words for code, words in named.items()}
            made = note(case["text"].replace("\\n", "\n"), **pointless)
            assert written(RULES[rule](made)) == case["codes"].split(), case


def written(codes: Iterable[StayCode | str]) -> list[str]:
    """Codes as the table has them."""
    return sorted(
        {code if isinstance(code, str) else "<".join((code.code, *code.replaced)) for code in codes}
    )


def test_every_rule_has_a_case_in_which_it_gives_codes_and_one_in_which_not() -> None:
    for rule in RULES:
        assert {bool(case["codes"]) for case in CASES if case["rule"] == rule} == {True, False}


def test_every_code_of_the_table_of_drugs_exists(tree: Hierarchy) -> None:
    for begin in set(CATEGORIES.values()):
        code = code_of(begin, ACCIDENTAL)
        assert code in tree and tree[code].assignable
