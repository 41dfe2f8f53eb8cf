"""Small vocabularies, and their index."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.clinical.notation import ICD10CM
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.skos.reader import read_skos
from tests.support.places import TINY_SKOS
from tests.support.small_trees import concept, hierarchy


@pytest.fixture
def diamond() -> Hierarchy:
    """`d` is below `b` and `c`, and by a shorter way directly below `a`; `z` stands alone."""
    return hierarchy(
        [
            concept("d", "b", "c", "a"),
            concept("a"),
            concept("b", "a"),
            concept("c", "b"),
            concept("z"),
        ]
    )


@pytest.fixture(scope="module")
def tiny_space() -> LabelSpace:
    return LabelSpace(read_skos(TINY_SKOS).hierarchy)


@pytest.fixture(scope="module")
def tiny() -> Hierarchy:
    return read_skos(TINY_SKOS).hierarchy


@pytest.fixture
def index(tiny: Hierarchy, tmp_path: Path):
    opened = VocabularyIndex.open(tiny, tmp_path / "index.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def index_of(tmp_path: Path):
    opened: list[VocabularyIndex] = []

    def build(*labels: str | dict[str, str], alt: dict[int, str] | None = None) -> VocabularyIndex:
        concepts = [
            Concept(
                f"c{n}",
                f"u:{n}",
                None,
                label if isinstance(label, dict) else {"en": label},
                {"en": (alt[n],)} if alt and n in alt else {},
            )
            for n, label in enumerate(labels)
        ]
        hierarchy = Hierarchy(concepts, vocabulary_id="v", version="1")
        opened.append(VocabularyIndex.build(hierarchy, tmp_path / f"{len(opened)}.sqlite"))
        return opened[-1]

    yield build
    for each in opened:
        each.close()


@pytest.fixture
def changed_index(tmp_path: Path):
    """Of a version that has withdrawn nitrate for eutrophication, and smog for nothing."""
    nitrate = {"en": "Nitrate pollution", "de": "Nitratbelastung"}
    concepts = [
        Concept("e", "u:e", None, {"en": "eutrophication"}),
        Concept("t", "u:t", None, {"en": "nitrogen tax"}),
        Concept("n", "u:n", None, nitrate, deprecated=True, replaced_by=("e",)),
        Concept("s", "u:s", None, {"en": "smog"}, deprecated=True),
    ]
    tree = Hierarchy(concepts, vocabulary_id="v", version="2")
    index = VocabularyIndex.build(tree, tmp_path / "changed.sqlite")
    yield index
    index.close()


@pytest.fixture
def codes(tmp_path: Path):
    concepts = [
        Concept("I21", "u:1", "I21", {"en": "Acute myocardial infarction"}, assignable=False),
        Concept(
            "I21.9",
            "u:2",
            "I21.9",
            {"en": "Acute myocardial infarction, unspecified"},
            {},
            ("I21",),
        ),
        Concept("R12", "u:3", "R12", {"en": "Heartburn"}),
        Concept("N39.0", "u:4", "N39.0", {"en": "Urinary tract infection, site not specified"}),
        Concept("K37", "u:5", "K37", {"en": "Unspecified appendicitis"}),
        Concept("I25.2", "u:6", "I25.2", {"en": "Ischemia without infarction"}),
    ]
    index = VocabularyIndex.build(
        Hierarchy(concepts, vocabulary_id=ICD10CM, version="1"), tmp_path / "codes.sqlite"
    )
    yield index
    index.close()
