"""A candidate of the Reconciliation API has 100 for the very text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api.v1.entities import candidates
from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex

LABELS = {
    "c": {"en": "C"}, "10": {"en": "10"}, "na": {"en": "Na"}, "vitamin": {"en": "vitamin B-12"},
    "spinning": {"ja": "こま"}, "sesame": {"ja": "ごま"}, "seed": {"hi": "तिल"}, "oil": {"hi": "तेल"},
    "trade": {"en": "department for trade, fisheries and skills"}, "goat": {"en": "goat"},
}  # fmt: skip


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory):
    hierarchy = Hierarchy(
        [Concept(f"x-{i}", f"u:{i}", None, labels) for i, labels in LABELS.items()],
        vocabulary_id="v",
        version="1",
    )
    path: Path = tmp_path_factory.mktemp("index") / "v.sqlite"
    index = VocabularyIndex.build(hierarchy, path)
    yield Vocabulary(hierarchy, index)
    index.close()


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("C", "c"), ("c ", "c"), ("Na", "na"), ("10", "10"), ("こま", "spinning"), ("ごま", "sesame"),
        ("तिल", "seed"), ("तेल", "oil"), ("vitamin B‑12", "vitamin"), ("VITAMIN B-12", "vitamin"),
        ("C++", ""), ("C#", ""), (">10", ""), ("10 %", ""), ("-10", ""), ("Na+", ""), ("तल", ""),
        ("vitamin B 12", ""), ("trade, fisheries and skills department for", ""), ("kids", ""),
    ],
)  # fmt: skip
def test_a_match_is_the_very_text(vocabulary: Vocabulary, text: str, match: str) -> None:
    found = candidates({"query": text}, vocabulary, language="en", limit=5)
    matches = [each["id"] for each in found if each["match"]]
    assert matches == ([f"u:{match}"] if match else [])
    assert all(each["score"] < 100 for each in found if f"u:{match}" != each["id"])
