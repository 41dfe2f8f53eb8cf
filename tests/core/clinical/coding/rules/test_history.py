"""A history of a cancer beside the cancer."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told


@pytest.mark.parametrize(
    ("code", "cancer"),
    [
        ("Z85.3", "C50.411"),
        ("Z85.46", "C61"),
        ("Z85.118", "C34.31"),
        ("Z85.038", "C18.7"),
        ("Z85.43", "C56.1"),
        ("Z85.51", "C67.9"),
        ("Z85.820", "C43.59"),
    ],
)
def test_the_history_goes(tree: Hierarchy, code: str, cancer: str) -> None:
    (found,) = of_kind("history", told(tree, cancer, code))
    assert found.source == "Guidelines I.C.2.m"
    assert mended(tree, found, [cancer, code]) == [cancer]


@pytest.mark.parametrize(
    "codes",
    [
        ("C18.7", "Z85.46"),
        ("C50.912", "Z85.3", "Z90.11"),  # the other breast
        ("C61", "Z85.47"),
        ("C34.31", "Z85.9"),
        ("C79.51", "Z85.3"),
    ],
)
def test_a_history_of_another_cancer_stays(tree: Hierarchy, codes: tuple[str, ...]) -> None:
    assert of_kind("history", told(tree, *codes)) == []
