"""Labels in a text, found by hand in short ones."""

from __future__ import annotations

from unicodedata import normalize

import numpy as np
import pytest

from core.suggest.ranking.label_matcher import LabelMatch, LabelMatcher
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from tests.support.models.tiny_bundle import tiny_label_space

SPACE = tiny_label_space()
MATCHER = LabelMatcher(SPACE)


def found_in(text: str) -> dict[str, LabelMatch]:
    """Return what is found, by the concept's id."""
    columns = np.flatnonzero(SPACE.assignable)
    concepts = MATCHER.find(text).concepts
    return {SPACE.concept_ids[columns[position]]: match for position, match in concepts.items()}


def test_labels_are_found_in_other_inflections() -> None:
    found = found_in("Spades, GARDEN SHOVELS and a tomato-plant")
    assert set(found) == {"106", "103", "101"}
    spade = found["106"]
    assert spade.places == [(0, 6), (8, 22)]
    assert (spade.first, spade.n_words, spade.is_preferred, spade.n_alone) == (0, 2, True, 2)


def test_a_label_inside_a_longer_one_is_not_alone() -> None:
    found = found_in("vegetable plants beside a plant")
    assert found["102"].n_alone == 1
    assert found["101"].n_alone == 1
    assert found["101"].places == [(26, 31), (10, 16)]


def test_an_alternative_label_is_not_the_preferred_one() -> None:
    assert not found_in("a dish")["203"].is_preferred
    assert found_in("a dish and a meal")["203"].is_preferred


def test_words_in_another_order_are_no_label() -> None:
    assert found_in("tree with fruit") == {}


def test_divisions_are_not_looked_for() -> None:
    assert found_in("growing garden tools, cooking") == {}


def test_words_are_counted() -> None:
    assert MATCHER.find("one, two: three").n_words == 3
    assert MATCHER.find("") == ({}, 0)


def test_what_stands_in_brackets_need_not_stand_in_the_text() -> None:
    concept = Concept("1", "http://example.org/1", None, {"en": "crane (bird)"})
    matcher = LabelMatcher(LabelSpace(Hierarchy([concept], vocabulary_id="v", version="1")))
    assert matcher.find("two cranes").concepts[0].n_words == 1
    whole = matcher.find("a crane (bird)").concepts[0]
    assert (whole.n_words, whole.is_preferred) == (2, True)


@pytest.mark.parametrize("text", ["ﬁsh", "İ" * 100 + " spade", "spade" * 2000, "\u0000 spade"])
def test_any_text_can_be_looked_at(text: str) -> None:
    for match in found_in(text).values():
        assert all(text[start:end].lower() == "spade" for start, end in match.places)


def test_a_hostile_label_does_not_make_a_text_slow_to_read() -> None:
    """Its time would grow with the product of both lengths."""
    labels = ("long " * 20_000, "long", "long long", "long way home")
    concepts = [Concept(str(n), f"x:{n}", None, {"en": label}) for n, label in enumerate(labels)]
    matcher = LabelMatcher(LabelSpace(Hierarchy(concepts, vocabulary_id="v", version="1")))
    found = matcher.find("long " * 20_000).concepts
    assert set(found) == {1, 2}
    assert (found[1].n_alone, len(found[1].places)) == (0, 20_000)
    assert (found[2].n_alone, found[2].places[-1]) == (19_999, (99_990, 99_999))


def test_accents_apart_from_their_letters_make_no_other_label() -> None:
    labels = [normalize("NFD", label) for label in ("pêche", "énergie éolienne")]
    concepts = [Concept(label, f"urn:{label}", None, {"fr": label}) for label in labels]
    space = LabelSpace(Hierarchy(concepts, vocabulary_id="v", version="1"))
    found = LabelMatcher(space, "fr").find("La pêche et l’énergie éolienne.")
    assert [match.n_words for match in found.concepts.values()] == [1, 2]
