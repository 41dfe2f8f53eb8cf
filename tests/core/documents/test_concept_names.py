"""What a label of a file means, where several concepts have one like it."""

from __future__ import annotations

import pytest

from core.documents.batches.assigned_concepts import ConceptNames
from core.vocabulary.concepts import Concept, Hierarchy


def test_accents_and_case_tell_labels_apart_where_nothing_else_does() -> None:
    labels = ["pêche", "péché", "Turkey", "turkey"]
    concepts = [Concept(f"c{n}", f"u:{n}", None, {"fr": label}) for n, label in enumerate(labels)]
    names = ConceptNames(Hierarchy(concepts, vocabulary_id="v", version="1"))
    assert [names.find(label) for label in labels] == ["c0", "c1", "c2", "c3"]
    assert [names.find(label) for label in ("pe\u0302che", "peche", "TURKEY")] == ["c0", None, None]
    assert names.read("Turkey; péché").concept_ids == ("c2", "c1")


@pytest.mark.parametrize(
    ("language", "found"),
    [
        ("en", ["drying", "grapes", "sea", "act", None, "sheet"]),
        ("fr", ["grapes", "grapes", "sea", "act", None, "leaf"]),
        ("de", ["grapes", "grapes", "sea", "act", None, "leaf"]),
    ],
)
def test_a_label_is_meant_in_the_language_of_labels_first(
    language: str, found: list[str | None]
) -> None:
    rows = {
        "drying": ({"en": "dried product"}, {"en": ("raisin",)}),
        "grapes": ({"en": "grape", "fr": "raisin"}, {}),
        "sea": ({"en": "sea"}, {}),
        "act": ({"en": "Single European Act"}, {"en": ("SEA",)}),
        "sheet": ({"en": "Page"}, {}),
        "leaf": ({"en": "leaf", "fr": "page"}, {}),
        "gift": ({"en": "gift"}, {"en": ("present",)}),
        "now": ({"en": "now"}, {"en": ("present",)}),
    }
    concepts = [Concept(i, f"u:{i}", None, pref, alt) for i, (pref, alt) in rows.items()]
    names = ConceptNames(Hierarchy(concepts, vocabulary_id="v", version="1"), language)
    texts = ("raisin", "grape", "sea", "SEA", "present", "page")
    assert [names.find(text) for text in texts] == found


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_capital_at_the_beginning_is_none_of_another_label(language: str) -> None:
    rows: dict[str, tuple[str, tuple[str, ...]]] = {
        "ocean": ("Sea", ()),
        "wave": ("wave", ("sea", "Bank")),
        "shore": ("bank", ()),
        "act": ("Act", ("SEA",)),
        "bird": ("Bird", ()),
        "lender": ("World Bank", ("BIRD",)),
    }
    concepts = [
        Concept(i, f"u:{i}", None, {"en": label}, {"en": others})
        for i, (label, others) in rows.items()
    ]
    names = ConceptNames(Hierarchy(concepts, vocabulary_id="v", version="1"), language)
    texts = ("sea", "Sea", "SEA", "bank", "Bank", "bird", "BIRD")
    found = ["ocean", "ocean", "act", "shore", "shore", "bird", "lender"]
    assert [names.find(text) for text in texts] == found
