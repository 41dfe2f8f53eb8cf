"""Codes that a number of a note gives, by what is known of the stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.clinical.stay import Stay
from core.clinical.stays.numbers import numbers
from tests.core.clinical.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "age", "codes"),
    [
        ("Obesity, BMI 31.2", 12, []),
        ("Obesity, BMI 31.2", 20, ["Z68.31"]),
        ("12-year-old with obesity, BMI 31.2", None, []),
        ("Obesity since she was 12 years old, BMI 31.2", 40, ["Z68.31"]),
    ],
)
def test_the_age_of_the_stay_says_whether_a_body_mass_index_is_that_of_an_adult(
    note: MakesNote, text: str, age: int | None, codes: list[str]
) -> None:
    made = note(text, E669="besity")
    document = replace(made.document, stay=Stay(age_years=age))
    assert [found.code for found in numbers(replace(made, document=document))] == codes
