"""Labels of scripts without spaces between words, where a word begins anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex

LABELS = (
    ("ja", "漁業政策"),
    ("ja", "沿岸漁業"),
    ("ja", "データベース"),
    ("zh", "海洋渔业"),
    ("th", "การประมง"),
    ("ko", "연안어업"),
)


@pytest.mark.parametrize(
    ("typed", "language", "labels"),
    [
        ("漁業", "ja", ["漁業政策", "沿岸漁業"]), ("ベース", "ja", ["データベース"]), ("渔业", "zh", ["海洋渔业"]),
        ("渔业", "en", ["海洋渔业"]), ("ประมง", "th", ["การประมง"]), ("어업", "ko", []),
    ],
)  # fmt: skip
def test_a_word_is_found_inside_a_label(
    tmp_path: Path, typed: str, language: str, labels: list[str]
) -> None:
    concepts = [
        Concept(f"c{n}", f"u:{n}", None, {tag: label}) for n, (tag, label) in enumerate(LABELS)
    ]
    hierarchy = Hierarchy(concepts, vocabulary_id="v", version="1")
    index = VocabularyIndex.build(hierarchy, tmp_path / "v.sqlite")
    assert [hit.label for hit in index.search(typed, language=language)] == labels
    index.close()
