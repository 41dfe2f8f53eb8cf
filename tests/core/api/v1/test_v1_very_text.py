"""A candidate of the Reconciliation API has 100 for the very text alone."""

from __future__ import annotations

import pytest

from core.api.v1.entities import candidates
from core.serving.vocabularies import Vocabulary


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("C", "c"), ("c ", "c"), ("Na", "na"), ("10", "10"), ("こま", "spinning"), ("ごま", "sesame"),
        ("तिल", "seed"), ("तेल", "oil"), ("vitamin B‑12", "vitamin"), ("VITAMIN B-12", "vitamin"),
        ("C++", ""), ("C#", ""), (">10", ""), ("10 %", ""), ("-10", ""), ("Na+", ""), ("तल", ""),
        ("vitamin B 12", ""), ("trade, fisheries and skills department for", ""), ("kids", ""),
    ],
)  # fmt: skip
def test_a_match_is_the_very_text(odd_names: Vocabulary, text: str, match: str) -> None:
    found = candidates({"query": text}, odd_names, language="en", limit=5)
    matches = [each["id"] for each in found if each["match"]]
    assert matches == ([f"u:{match}"] if match else [])
    assert all(each["score"] < 100 for each in found if f"u:{match}" != each["id"])
