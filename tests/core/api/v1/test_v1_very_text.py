"""A candidate of the Reconciliation API has 100 for the very text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api.v1.entities import candidates
from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex


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


def test_a_long_title_is_found_among_many_that_begin_so(tmp_path: Path) -> None:
    begins = (
        "Displaced transverse fracture of shaft of right femur, subsequent encounter for closed"
    )
    titles = [f"{begins} fracture with healing of kind {n}, and {'so on ' * 20}" for n in range(40)]
    concepts = [Concept(f"S{n}", f"u:{n}", None, {"en": title}) for n, title in enumerate(titles)]
    hierarchy = Hierarchy(concepts, vocabulary_id="v", version="1")
    index = VocabularyIndex.build(hierarchy, tmp_path / "v.sqlite")
    found = candidates({"query": titles[37]}, Vocabulary(hierarchy, index), language="en", limit=1)
    typed = index.search(titles[38], limit=20)
    index.close()
    assert [(each["id"], each["match"]) for each in found] == [("u:37", True)]
    assert typed[0].concept_id == "S38"


def test_a_label_in_another_language_stands_behind_none_that_only_begin_so(tmp_path: Path) -> None:
    labels = [{"en": "sole"}, {"en": "iron", "fr": "fer"}, {"it": "sole"}]
    labels += [{"en": f"{word} {n}"} for n in range(20) for word in ("sole", "fer")]
    concepts = [Concept(f"c{n}", f"u:{n}", None, label) for n, label in enumerate(labels)]
    hierarchy = Hierarchy(concepts, vocabulary_id="v", version="1")
    vocabulary = Vocabulary(hierarchy, VocabularyIndex.build(hierarchy, tmp_path / "v.sqlite"))
    (iron,) = candidates({"query": "Fer"}, vocabulary, language="en", limit=1)
    assert (iron["id"], iron["score"], iron["match"]) == ("u:1", 100.0, True)
    for language, is_match in (("en", True), ("en-GB", True), ("fr", False)):
        (sole,) = candidates({"query": "sole"}, vocabulary, language=language, limit=1)
        assert (sole["id"], sole["score"], sole["match"]) == ("u:0", 100.0, is_match)
    vocabulary.index.close()


@pytest.mark.parametrize(
    ("labels", "matches"),
    [
        ([{"en": "gift"}, {"sv": "gift"}], ["u:0"]),
        ([{"": "gift"}, {"sv": "gift"}], ["u:0"]),
        ([{"en": "gift"}, {"": "gift"}, {"sv": "gift"}], []),
        ([{"en-GB": "gift"}, {"en": "gift"}], []),
        ([{"en": "gifts"}, {"sv": "gift"}], ["u:1"]),
        ([{"de": "Gift"}, {"sv": "gift"}], []),
    ],
)
def test_a_label_of_the_language_is_meant_before_others(
    tmp_path: Path, labels: list[dict[str, str]], matches: list[str]
) -> None:
    concepts = [Concept(f"c{n}", f"u:{n}", None, label) for n, label in enumerate(labels)]
    hierarchy = Hierarchy(concepts, vocabulary_id="v", version="1")
    vocabulary = Vocabulary(hierarchy, VocabularyIndex.build(hierarchy, tmp_path / "v.sqlite"))
    found = candidates({"query": "gift"}, vocabulary, language="en", limit=5)
    vocabulary.index.close()
    assert [each["id"] for each in found if each["match"]] == matches
