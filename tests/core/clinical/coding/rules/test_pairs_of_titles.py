"""Codes that say less, one side, or half of what another one says; read from titles."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told


@pytest.mark.parametrize(
    ("open_code", "specific"),
    [
        ("I50.9", "I50.33"),
        ("J96.00", "J96.01"),
        ("J96.90", "J96.01"),
        ("N18.30", "N18.32"),
        ("K21.9", "K21.00"),
        ("I48.91", "I48.0"),
        ("J18.9", "J18.1"),
        ("A41.9", "A41.51"),
        ("M25.559", "M25.551"),
        ("J45.909", "J45.41"),
    ],
)
def test_an_unspecified_code_gives_way_to_a_specific_one(
    tree: Hierarchy, open_code: str, specific: str
) -> None:
    codes = [open_code, specific]
    (found,) = of_kind("unspecified", told(tree, *codes))
    assert (found.severity, found.concept_ids) == ("warning", (open_code, specific))
    assert "I.A.9.b" in found.source
    assert mended(tree, found, codes) == [specific]


@pytest.mark.parametrize(
    "codes",
    [
        ("I48.91", "I48.3"),  # fibrillation and flutter
        ("I48.0", "I48.3"),
        ("J44.0", "J44.1"),
        ("E11.42", "E11.22"),
        ("R10.9", "R11.2"),
        ("I50.9", "I51.7"),
    ],
)
def test_two_things_are_left_alone(tree: Hierarchy, codes: tuple[str, str]) -> None:
    assert of_kind("unspecified", told(tree, *codes)) == []


@pytest.mark.parametrize(
    ("sides", "both"),
    [
        (("M17.11", "M17.12"), "M17.0"),
        (("M16.11", "M16.12"), "M16.0"),
        (("I65.21", "I65.22"), "I65.23"),
        (("I82.411", "I82.412"), "I82.413"),
        (("H25.12", "H25.11"), "H25.13"),
    ],
)
def test_right_and_left_are_one_code(tree: Hierarchy, sides: tuple[str, str], both: str) -> None:
    (found,) = of_kind("bilateral", told(tree, *sides))
    assert found.source == "Guidelines I.B.13"
    assert mended(tree, found, list(sides)) == [both]


@pytest.mark.parametrize(
    "codes", [("M17.11", "M16.12"), ("M17.11", "M17.31"), ("S52.501A", "S52.502A")]
)
def test_two_joints_or_no_code_of_both_are_left_alone(
    tree: Hierarchy, codes: tuple[str, str]
) -> None:
    assert of_kind("bilateral", told(tree, *codes)) == []


@pytest.mark.parametrize(
    ("code", "right"),
    [("M17.9", "M17.11"), ("L03.119", "L03.113"), ("I82.409", "I82.401"), ("S72.009A", "S72.001A")],
)
def test_a_side_is_asked_for(tree: Hierarchy, code: str, right: str) -> None:
    (found,) = of_kind("laterality", told(tree, code))
    assert f"{right} is right" in found.sentence
    assert found.source == "Guidelines I.B.13"


@pytest.mark.parametrize("code", ["I63.9", "M17.0", "L03.90", "G40.909", "C18.9"])
def test_a_side_is_not_asked_for_where_not_all_have_one(tree: Hierarchy, code: str) -> None:
    assert of_kind("laterality", told(tree, code)) == []


@pytest.mark.parametrize(
    ("codes", "both"),
    [
        (("I25.10", "I20.0"), "I25.110"),
        (("K80.20", "K81.0"), "K80.00"),
        (("N30.00", "R31.9"), "N30.01"),
        (("K70.30", "R18.8"), "K70.31"),
    ],
)
def test_a_code_of_both_takes_the_place_of_two(
    tree: Hierarchy, codes: tuple[str, str], both: str
) -> None:
    (found,) = of_kind("combined", told(tree, *codes))
    assert found.source == "Guidelines I.B.9"
    assert mended(tree, found, list(codes)) == [both]


def test_a_disease_without_what_is_beside_it_stays(tree: Hierarchy) -> None:
    assert of_kind("combined", told(tree, "I25.10", "I21.4")) == []
    assert of_kind("combined", told(tree, "E11.9", "I10")) == []
