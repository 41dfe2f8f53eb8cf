"""Diabetes and its complications."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told


def test_uncomplicated_goes_beside_a_complication(tree: Hierarchy) -> None:
    codes = ["E11.9", "E11.65"]
    (found,) = of_kind("combined", told(tree, *codes))
    assert (found.source, found.concept_ids) == ("Guidelines I.C.4.a", ("E11.9", "E11.65"))
    assert mended(tree, found, codes) == ["E11.65"]


@pytest.mark.parametrize(
    ("codes", "after"),
    [
        (["E11.9", "N18.4"], ["E11.22", "N18.4"]),
        (["N18.4", "E11.9"], ["E11.22", "N18.4"]),
        (["E10.9", "G62.9"], ["E10.42"]),
        (["E11.9", "R73.9"], ["E11.65"]),
        (["E11.9", "L97.412"], ["E11.621", "L97.412"]),
        (["E13.9", "K31.84"], ["E13.43", "K31.84"]),
    ],
)
def test_a_presumed_complication_is_one_code(
    tree: Hierarchy, codes: list[str], after: list[str]
) -> None:
    (found,) = of_kind("combined", told(tree, *codes))
    assert found.source == "Guidelines I.A.15"
    assert mended(tree, found, codes) == after
    assert of_kind("combined", told(tree, *after)) == []


@pytest.mark.parametrize("codes", [("E11.9", "I10"), ("E11.22", "N18.4"), ("E11.65", "E11.42")])
def test_what_is_not_linked_stays(tree: Hierarchy, codes: tuple[str, str]) -> None:
    assert of_kind("combined", told(tree, *codes)) == []
