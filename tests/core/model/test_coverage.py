"""The share of concepts that are suggested at all, by kind of text and age of the knowledge."""

from __future__ import annotations

import pytest

from core.model.bundle.coverage import Coverage

MEASURED = Coverage(2021, titles=(0.96, 0.94), full_texts=(0.87, 0.85, 0.83))


@pytest.mark.parametrize(
    ("year", "has_text", "share"),
    [
        (2022, False, 0.96),
        (2023, False, 0.94),
        (2030, False, 0.94),  # older than was measured
        (2010, True, 0.87),  # the bundle has learned from documents of that year
        (2024, True, 0.83),
    ],
)
def test_the_share_goes_by_kind_and_years(year: int, has_text: bool, share: float) -> None:
    assert MEASURED.share(year, has_text=has_text) == share


def test_a_manifest_keeps_it() -> None:
    assert Coverage.read(MEASURED.as_json()) == MEASURED
    assert Coverage.read({}) is None
