"""Codes that a number gives."""

from __future__ import annotations

import pytest

from core.suggest.stays.numbers import numbers
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Obesity, BMI 37.4", "Z68.37"),
        ("Obesity, BMI of 43", "Z68.41"),
        ("Obesity. BMI: 71", "Z68.45"),
        ("Obesity, body mass index 18.9", "Z68.1"),
    ],
)
def test_the_body_mass_index_goes_with_a_diagnosis_of_weight(
    note: MakesNote, text: str, code: str
) -> None:
    assert [one.code for one in numbers(note(text, E669="Obesity"))] == [code]
    assert not list(numbers(note(text)))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Obesity, BMI 97%ile", "Z68.54"),
        ("Obesity, BMI 88th percentile", "Z68.53"),
        ("Obesity, BMI at 50 %", "Z68.52"),
    ],
)
def test_the_body_mass_index_of_a_child_is_a_percentile(
    note: MakesNote, text: str, code: str
) -> None:
    assert [one.code for one in numbers(note(text, E669="Obesity"))] == [code]


def test_the_score_of_a_stroke_is_coded_beside_an_infarction_alone(note: MakesNote) -> None:
    text = "Infarct, NIHSS 9"
    assert [one.code for one in numbers(note(text, I639="Infarct"))] == ["R29.709"]
    assert not list(numbers(note(text, I619="Infarct")))


def test_the_first_score_counts_and_none_that_is_no_score(note: MakesNote) -> None:
    found = numbers(note("Infarct, NIHSS on arrival 14, at discharge NIHSS 3", I639="Infarct"))
    assert [one.code for one in found] == ["R29.714"]
    assert not list(numbers(note("Infarct, NIHSS 77", I639="Infarct")))


def test_the_burned_surface_says_its_third_degree_from_ten_percent_on(note: MakesNote) -> None:
    small = "Burn of 7 % TBSA, full thickness 3 %."
    assert [one.code for one in numbers(note(small, T24311A="Burn"))] == ["T31.0"]
    large = "Burn of 34% TBSA. Full thickness burn of 12% TBSA."
    assert [one.code for one in numbers(note(large, T24311A="Burn"))] == ["T31.31"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Burn, 5% TBSA", "T31.0"),
        ("Burn, TBSA 23%", "T31.20"),
        ("Third degree burn of the foot and second degree burns, TBSA 12%", "T31.10"),
        ("Burn, TBSA: 34%, third degree 11%", "T31.31"),
    ],
)
def test_the_burned_surface_is_read_in_either_order(note: MakesNote, text: str, code: str) -> None:
    assert [one.code for one in numbers(note(text, T25321A="urn"))] == [code]


def test_the_level_of_alcohol_is_coded_in_its_class(note: MakesNote) -> None:
    text = "Alcohol abuse, alcohol level 190 mg/dL"
    assert [one.code for one in numbers(note(text, F1010="Alcohol abuse"))] == ["Y90.6"]
