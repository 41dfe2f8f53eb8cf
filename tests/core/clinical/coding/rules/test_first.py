"""What stands first."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told


@pytest.mark.parametrize(
    ("codes", "source"),
    [
        (["C83.31", "Z51.11"], "Guidelines I.C.2.e.2"),
        (["C53.9", "Z51.0"], "Guidelines I.C.2.e.2"),
        (["C53.9", "Z51.12"], "Guidelines I.C.2.e.2"),
        (["P59.9", "Z38.00"], "Guidelines I.C.16.a.2"),
        (["D50.9", "Z34.02"], "Guidelines I.C.21.c.16"),
    ],
)
def test_the_reason_of_an_encounter_is_put_first(
    tree: Hierarchy, codes: list[str], source: str
) -> None:
    (found,) = of_kind("first", told(tree, *codes))
    assert found.source == source
    assert mended(tree, found, codes) == codes[::-1]


@pytest.mark.parametrize(
    "codes",
    [("Z51.11", "C83.31"), ("Z51.0", "Z51.11", "C53.9"), ("C18.2", "Z51.5"), ("I10", "Z00.6")],
)
def test_what_may_stand_there_is_left_alone(tree: Hierarchy, codes: tuple[str, ...]) -> None:
    assert of_kind("first", told(tree, *codes)) == []


def test_a_sepsis_stands_before_its_infection_unless_it_came_later(tree: Hierarchy) -> None:
    (found,) = of_kind("sepsis", told(tree, "J18.9:Y", "A41.9:Y"))
    assert mended(tree, found, ["J18.9", "A41.9"]) == ["A41.9", "J18.9"]
    assert of_kind("sepsis", told(tree, "J18.9:Y", "A41.9:N")) == []
    assert of_kind("sepsis", told(tree, "I21.4:Y", "A41.9:Y")) == []
