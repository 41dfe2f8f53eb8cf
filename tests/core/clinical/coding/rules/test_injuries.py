"""Poisonings, sequelae and external causes."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told


@pytest.mark.parametrize("poison", ["T42.4X2A", "T39.1X1A", "T40.2X1A", "T58.01XA"])
def test_a_poisoning_stands_before_what_it_caused(tree: Hierarchy, poison: str) -> None:
    codes = ["J96.01", poison]
    (found,) = of_kind("poisoning", told(tree, *codes))
    assert found.source == "Guidelines I.C.19.e.5.b"
    assert mended(tree, found, codes) == codes[::-1]


@pytest.mark.parametrize(
    "codes",
    [
        ("R00.1", "T46.0X5A"),  # an adverse effect
        ("I10", "T46.5X6A"),  # underdosing
        ("T39.1X1A", "K72.00"),
        ("J18.9:Y", "T40.2X1A:N"),  # in hospital
        ("S06.0X1A", "T40.2X1A"),
    ],
)
def test_other_drugs_and_orders_are_left_alone(tree: Hierarchy, codes: tuple[str, str]) -> None:
    assert of_kind("poisoning", told(tree, *codes)) == []


def test_what_is_left_stands_before_the_injury(tree: Hierarchy) -> None:
    codes = ["T22.311S", "L90.5", "X10.0XXS"]
    (found,) = of_kind("sequela", told(tree, *codes))
    assert mended(tree, found, codes) == ["L90.5", "T22.311S", "X10.0XXS"]
    assert of_kind("sequela", told(tree, "L90.5", "T22.311S")) == []


def test_an_injury_has_a_cause(tree: Hierarchy) -> None:
    (found,) = of_kind("cause", told(tree, "S72.141A", "S06.0X1A"))
    assert (found.severity, found.concept_ids) == ("note", ("S72.141A",))
    assert of_kind("cause", told(tree, "S72.141A", "Y92.009")) != []  # a place is no cause
    for codes in (("S72.141A", "W19.XXXA"), ("M80.051A",), ("T39.1X1A",), ("S72.141D",)):
        assert of_kind("cause", told(tree, *codes)) == []


def test_osteoporosis_with_a_fracture_is_no_traumatic_one(tree: Hierarchy) -> None:
    (found,) = of_kind("fragile", told(tree, "M80.052A", "S72.002A"))
    assert mended(tree, found, ["M80.052A", "S72.002A"]) == ["M80.052A"]
    assert of_kind("fragile", told(tree, "M80.052A", "S72.001A")) == []
    assert of_kind("fragile", told(tree, "M80.052A", "S52.502A")) == []


@pytest.mark.parametrize(
    ("codes", "instead"),
    [(("K59.00", "T40.2X5A"), "K59.03"), (("D70.9", "T45.1X5A"), "D70.1")],
)
def test_what_a_drug_caused_has_its_own_code(
    tree: Hierarchy, codes: tuple[str, str], instead: str
) -> None:
    (found,) = of_kind("effect", told(tree, *codes))
    assert mended(tree, found, list(codes)) == [instead, codes[1]]


@pytest.mark.parametrize(
    "codes", [("K59.00", "D70.1", "T45.1X5A"), ("K59.00", "T40.2X6A"), ("K59.03", "T40.2X5A")]
)
def test_nothing_is_asked_where_the_drug_did_something_else(
    tree: Hierarchy, codes: tuple[str, ...]
) -> None:
    assert of_kind("effect", told(tree, *codes)) == []
