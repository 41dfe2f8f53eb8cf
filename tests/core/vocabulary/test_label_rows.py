"""Labels in which a word begins anywhere, and codes with their titles."""

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


@pytest.mark.parametrize(
    ("typed", "codes"),
    [
        ("E11.9 Type 2 diabetes mellitus without complications", ["E11.9"]),
        ("E119: diabetes", ["E11.9"]),
        ("12 years old with a lung disease", ["11"]),
        ("12 disease of a lung", ["12"]),
        ("type 2 diabetes mellitus", ["E11.8", "E11.9"]),
    ],
)
def test_a_code_with_its_title_is_that_code(tmp_path: Path, typed: str, codes: list[str]) -> None:
    titles = {"E11": "Type 2 diabetes mellitus", "12": "Disease", "11": "Lung disease, old"} | {
        code: f"Type 2 diabetes mellitus with{end} complications"
        for code, end in (("E11.8", " other"), ("E11.9", "out"))
    }
    concepts = [
        Concept(
            code,
            f"u:{code}",
            code,
            {"en": title},
            broader=("E11",) if "." in code else (),
            assignable=code != "E11",
        )
        for code, title in titles.items()
    ]
    hierarchy = Hierarchy(concepts, vocabulary_id="v", version="1")
    index = VocabularyIndex.build(hierarchy, tmp_path / "v.sqlite")
    found = [hit.concept_id for hit in index.search(typed, divisions=False)]
    assert sorted(found[: len(codes)]) == codes
    index.close()
