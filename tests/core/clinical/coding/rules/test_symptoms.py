"""Symptoms beside their disease."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told


@pytest.mark.parametrize(
    ("symptom", "disease"),
    [
        ("R05.9", "J18.9"),
        ("R06.02", "I50.33"),
        ("R07.9", "I21.4"),
        ("R10.31", "K35.80"),
        ("R11.2", "K52.9"),
        ("R51.9", "I60.7"),
        ("R50.9", "A41.9"),
        ("R30.0", "N39.0"),
        ("M25.551", "M16.11"),
        ("M54.50", "N20.0"),
    ],
)
def test_a_symptom_belongs_to_its_disease(tree: Hierarchy, symptom: str, disease: str) -> None:
    (found,) = of_kind("integral", told(tree, disease, symptom))
    assert (found.severity, found.source) == ("note", "Guidelines I.B.5")
    assert mended(tree, found, [disease, symptom]) == [disease]


@pytest.mark.parametrize(
    "codes",
    [
        ("I63.9", "R47.01"),
        ("K74.60", "R18.8"),
        ("N40.1", "R33.8"),
        ("J18.9", "R55"),
        ("I10", "R51.9"),
        ("S72.142A", "M25.551"),
    ],
)
def test_what_is_coded_beside_it_stays(tree: Hierarchy, codes: tuple[str, str]) -> None:
    assert of_kind("integral", told(tree, *codes)) == []


def test_an_excluded_symptom_is_said_once_and_goes(tree: Hierarchy) -> None:
    found = told(tree, "J45.901:Y", "R06.2:Y")
    (pair,) = [one for one in found if set(one.concept_ids) == {"J45.901", "R06.2"}]
    assert (pair.kind, pair.severity) == ("excludes1", "warning")
    assert mended(tree, pair, ["J45.901", "R06.2"]) == ["J45.901"]
