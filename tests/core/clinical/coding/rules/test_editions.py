"""Codes against the edition that was in force on the day of discharge."""

from __future__ import annotations

from datetime import date

import pytest

from core.clinical.coding.code_sets import code_sets
from core.clinical.stay import FEMALE, Stay
from core.vocabulary.concepts import Hierarchy
from tests.support.coded import of_kind, told

FEBRUARY = Stay(discharged=date(2020, 2, 12), age_years=60, sex=FEMALE)


@pytest.mark.parametrize(
    ("code", "day", "valid"),
    [
        ("U07.1", "2020-03-31", False),  # from April 2020
        ("U07.1", "2020-04-01", True),
        ("E66.813", "2024-09-30", False),  # fiscal year 2025
        ("E66.813", "2024-10-01", True),
        ("J12.82", "2020-12-31", False),  # from January 2021
        ("M35.8", "2020-12-31", True),
        ("M35.8", "2021-01-01", False),
        ("Z28.310", "2022-04-01", True),
        ("Z28.310", "2022-03-31", False),
        ("Z59.10", "2023-03-31", False),  # from April 2023
        ("Z59.1", "2023-03-31", True),
        ("Z59.1", "2023-04-01", False),
        ("M54.5", "2021-09-30", True),
        ("M54.5", "2021-10-01", False),
        ("I48.1", "2019-10-01", False),
        ("I48.11", "2019-10-01", True),
        ("A04.7", "2017-10-01", None),  # it went in 2016, 2017 or 2018
        ("A04.72", "2017-10-01", None),
        ("A04.72", "2018-10-01", True),
        ("A04.7", "2018-10-01", False),
        ("I10", "2016-10-01", True),
        ("I10", "2016-09-30", None),  # before what is known
        ("I10", "2150-01-01", None),
        ("M54.5", "2150-01-01", False),
        ("X99", "2020-01-01", None),
    ],
)
def test_a_code_is_valid_from_one_day_until_another(code: str, day: str, valid: object) -> None:
    assert code_sets().valid_on(code, date.fromisoformat(day)) is valid


def test_each_edition_has_as_many_codes_as_were_published() -> None:
    sets = code_sets()
    published = {"2018-10-01": 71_932, "2019-10-01": 72_184, "2021-01-01": 72_621,
                 "2023-04-01": 73_674, "2024-10-01": 74_260, "2025-10-01": 74_719}  # fmt: skip
    for day, number in published.items():
        valid = [code for code in sets.by_code if sets.valid_on(code, date.fromisoformat(day))]
        assert len(valid) == number


def test_a_newer_code_on_an_older_stay_is_an_error_with_the_code_of_that_day(
    tree: Hierarchy,
) -> None:
    (covid,) = of_kind("edition", told(tree, "U07.1", stay=FEBRUARY))
    assert covid.severity == "error"
    assert covid.sentence == (
        "U07.1 is valid from 1 April 2020, and the stay ended on 12 February 2020."
    )
    (obesity,) = of_kind("edition", told(tree, "I10", "E66.813", stay=FEBRUARY))
    assert obesity.sentence.endswith("12 February 2020. The code of that day is E66.8.")
    assert obesity.source == "ICD-10-CM code set of fiscal year 2020"


@pytest.mark.parametrize("day", [None, date(2025, 3, 1), date(2026, 5, 1), date(2140, 5, 1)])
def test_codes_of_the_day_are_passed(tree: Hierarchy, day: date | None) -> None:
    assert of_kind("edition", told(tree, "E66.813", "U07.1", stay=Stay(discharged=day))) == []


def test_what_is_no_code_any_more_says_until_when_it_was_one(tree: Hierarchy) -> None:
    (gone,) = of_kind("unknown", told(tree, "S30.1XXA"))
    assert gone.sentence.endswith("; it was one until 30 September 2025.")


def test_edits_of_another_year_are_notes_that_say_so(tree: Hierarchy) -> None:
    of_2020 = of_kind("unacceptable", told(tree, "Z68.41", "E66.01", stay=FEBRUARY))
    later = Stay(discharged=date(2025, 3, 1))
    of_2025 = of_kind("unacceptable", told(tree, "Z68.41", "E66.01", stay=later))
    assert [(one.severity, one.source) for one in (*of_2020, *of_2025)] == [
        ("warning", "Medicare Code Editor 37, fiscal year 2020"),
        ("note", "Medicare Code Editor 37, fiscal year 2020; the stay is of 2025"),
    ]
