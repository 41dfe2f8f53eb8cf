from __future__ import annotations

import pytest

from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.small_trees import concept, hierarchy


def test_level_is_the_longest_path_from_the_top(diamond: Hierarchy) -> None:
    assert diamond.levels == [["a", "z"], ["b"], ["c"], ["d"]]
    assert [diamond.level(i) for i in "abcdz"] == [1, 2, 3, 4, 1]
    assert diamond.depth == 4


def test_walks_in_the_order_given(diamond: Hierarchy) -> None:
    assert list(diamond) == ["d", "a", "b", "c", "z"]
    assert len(diamond) == 5
    assert "d" in diamond
    assert "e" not in diamond
    assert diamond["d"].label() == "label of d"


def test_broader_and_narrower_are_one_step(diamond: Hierarchy) -> None:
    assert diamond.broader("d") == ("b", "c", "a")
    assert diamond.narrower("a") == ("d", "b")
    assert diamond.top_concepts == ("a", "z")
    assert diamond.n_edges == 5


def test_ancestors_and_descendants_are_closed(diamond: Hierarchy) -> None:
    assert diamond.ancestors("d") == {"a", "b", "c"}
    assert diamond.ancestors("a") == frozenset()
    assert diamond.descendants("a") == {"b", "c", "d"}
    assert diamond.descendants("d") == frozenset()


def test_augment_adds_all_ancestors_and_keeps_what_was_assigned(diamond: Hierarchy) -> None:
    assert diamond.augment(["c", "z"]) == {"a", "b", "c", "z"}
    assert diamond.augment([]) == frozenset()


def test_a_path_for_each_way_from_the_top(diamond: Hierarchy) -> None:
    assert set(diamond.paths("d")) == {("a", "b", "d"), ("a", "b", "c", "d"), ("a", "d")}
    assert diamond.paths("z") == [("z",)]
    assert len(diamond.paths("d", limit=2)) == 2
    assert diamond.path("d") == ("a", "b", "d")


def test_truncated_keeps_the_first_levels(diamond: Hierarchy) -> None:
    upper = diamond.truncated(2)
    assert upper.levels == [["a", "z"], ["b"]]
    assert (upper.vocabulary_id, upper.version) == ("v", "1")
    assert diamond.depth == 4


def test_a_broader_concept_that_is_named_twice_counts_once() -> None:
    doubled = hierarchy([concept("a"), concept("b", "a", "a")])
    assert doubled.broader("b") == ("a",)
    assert doubled.narrower("a") == ("b",)


def test_a_cycle_is_refused_with_its_concepts() -> None:
    with pytest.raises(VocabularyError, match=r"label of .*: .*b.* > .*; drop"):
        hierarchy([concept("a"), concept("b", "a", "c"), concept("c", "b"), concept("d", "c")])


def test_a_concept_below_itself_is_refused() -> None:
    with pytest.raises(VocabularyError, match="a > a"):
        hierarchy([concept("a", "a")])


def test_an_unknown_broader_concept_is_refused_by_name() -> None:
    with pytest.raises(VocabularyError, match=r"b \(label of b\) names the broader concept gone"):
        hierarchy([concept("b", "gone")])


def test_an_id_that_occurs_twice_is_refused() -> None:
    with pytest.raises(VocabularyError, match="a occurs twice"):
        hierarchy([concept("a"), concept("a")])


def test_deprecated_concepts_are_not_offered_and_are_bridged() -> None:
    bridged = hierarchy(
        [
            concept("a"),
            concept("old", "a", deprecated=True),
            concept("older", "old", deprecated=True),
            concept("b", "older"),
        ]
    )
    assert list(bridged) == ["a", "b"]
    assert list(bridged.deprecated) == ["old", "older"]
    assert bridged.broader("b") == ("a",)
    assert bridged["b"].broader == ("a",)
    assert bridged.levels == [["a"], ["b"]]


def test_what_is_below_a_deprecated_top_concept_is_at_the_top() -> None:
    orphaned = hierarchy([concept("old", deprecated=True), concept("b", "old")])
    assert orphaned.top_concepts == ("b",)


def test_a_chain_of_thousands_is_refused() -> None:
    chain = [concept("0"), *(concept(str(i), str(i - 1)) for i in range(1, 3000))]
    deep = hierarchy(reversed(chain[:60]))
    assert deep.depth == 60
    assert len(deep.ancestors("59")) == 59
    with pytest.raises(VocabularyError, match=r"3,000 levels, from 0 \(.*\) down to 2999"):
        hierarchy(reversed(chain))


@pytest.mark.parametrize(
    ("labels", "language", "expected"),
    [
        ({"en": "dog", "fr": "chien"}, "fr", "chien"),
        ({"en": "dog", "fr": "chien"}, "de", "dog"),
        ({"en-gb": "colour"}, "en", "colour"),
        ({"": "canis", "fr": "chien"}, "de", "canis"),
        ({"sv": "hund", "fi": "koira"}, "de", "koira"),
        ({}, "en", "7.1"),
    ],
)
def test_label_falls_back_in_a_fixed_order(
    labels: dict[str, str], language: str, expected: str
) -> None:
    assert Concept("c", "http://v.example/c", "7.1", labels).label(language) == expected


def test_label_of_a_concept_without_any_is_its_id() -> None:
    assert Concept("c", "http://v.example/c", None, {}).label() == "c"


def test_replacements_are_followed_to_what_is_offered_and_circles_end() -> None:
    def old(concept_id: str, *replaced_by: str) -> Concept:
        return Concept(
            concept_id, f"urn:{concept_id}", None, {}, deprecated=True, replaced_by=replaced_by
        )

    concepts = [Concept("new", "urn:new", None, {}), old("a", "b", "new"), old("b", "a", "gone")]
    found = Hierarchy(concepts, vocabulary_id="x", version="2")
    assert found.replacements("a") == found.replacements("b") == ("new",)
    assert found.replacements("new") == found.replacements("unknown") == ()


def test_earlier_versions_are_read_once_and_only_for_what_is_not_here() -> None:
    asked = []

    def earlier() -> list[Hierarchy]:
        asked.append(1)
        gone = Concept("gone", "urn:gone", None, {"en": "ozone"})
        return [Hierarchy([gone], vocabulary_id="x", version="1")]

    here = Hierarchy([Concept("here", "urn:here", None, {})], vocabulary_id="x", version="2")
    here.earlier_versions = earlier
    assert here.withdrawn("here") is None and not asked
    gone = here.withdrawn("gone")
    assert gone is not None and gone.label() == "ozone"
    assert here.withdrawn("nothing") is None and asked == [1]
