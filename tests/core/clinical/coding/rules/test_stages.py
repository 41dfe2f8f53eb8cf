"""Two stages of one disease."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told


@pytest.mark.parametrize(
    ("codes", "after"),
    [
        (["L89.153:Y", "L89.154:Y"], ["L89.154"]),
        (["L89.612", "L89.613"], ["L89.613"]),
        (["N18.4", "N18.6"], ["N18.6"]),
    ],
)
def test_the_higher_stage_stays(tree: Hierarchy, codes: list[str], after: list[str]) -> None:
    (found,) = of_kind("stages", told(tree, *codes))
    assert found.severity == "warning"
    assert mended(tree, found, [code.partition(":")[0] for code in codes]) == after


@pytest.mark.parametrize(
    "codes",
    [
        ("L89.153:Y", "L89.154:N"),  # worse during the stay
        ("L89.153", "L89.622"),
        ("L89.612", "L89.623"),
        ("N18.30", "N18.9"),  # said as unspecified
    ],
)
def test_two_ulcers_and_a_worse_one_are_left_alone(tree: Hierarchy, codes: tuple[str, str]) -> None:
    assert of_kind("stages", told(tree, *codes)) == []


def test_open_ulcers_of_one_site_may_be_two(tree: Hierarchy) -> None:
    (found,) = of_kind("stages", told(tree, "L97.412", "L97.413"))
    assert found.remedy is None
