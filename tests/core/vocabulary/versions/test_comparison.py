"""Two versions of a vocabulary, side by side."""

from __future__ import annotations

from core.vocabulary.versions.comparison import Move, Relabelling, Renaming, Withdrawal, compare
from tests.support.files.skos_files import PET

OLD = PET + (
    ':pet a skos:Concept ; skos:prefLabel "pet"@en . '
    ':cat a skos:Concept ; skos:prefLabel "cat"@en ; skos:broader :animal ;'
    ' skos:altLabel "kitty"@en , "puss"@en .'
)


def test_the_same_is_the_same(read_turtle) -> None:
    comparison = compare(read_turtle(OLD).hierarchy, read_turtle(OLD).hierarchy)
    assert comparison.is_same
    assert comparison.changed_ids == []


def test_every_kind_of_change_is_named(read_turtle) -> None:
    new = (
        OLD.replace(
            ':dog a skos:Concept ; skos:prefLabel "dog"@en ; skos:broader :animal', ":x a :y"
        )
        .replace(
            '"cat"@en ; skos:broader :animal', '"house cat"@en , "chat"@fr ; skos:broader :pet'
        )
        .replace('"puss"@en', '"moggy"@en')
    ) + ':hound a skos:Concept ; skos:prefLabel "hound"@en ; skos:broader :animal .'
    comparison = compare(read_turtle(OLD).hierarchy, read_turtle(new).hierarchy)
    assert comparison.added == ("hound",)
    assert comparison.withdrawn == (Withdrawal("dog", "dog", ()),)
    assert comparison.renamed == (Renaming("cat", "en", "cat", "house cat"),)
    assert comparison.moved == (Move("cat", ("animal",), ("pet",)),)
    assert comparison.relabelled == (Relabelling("cat", "en", ("moggy",), ("puss",)),)
    assert comparison.new_languages == ("fr",)
    assert comparison.changed_ids == ["dog", "cat"]


def test_a_withdrawn_concept_names_what_replaces_it(read_turtle) -> None:
    new = OLD + ":dog owl:deprecated true ; dct:isReplacedBy :pet ."
    comparison = compare(read_turtle(OLD).hierarchy, read_turtle(new).hierarchy)
    assert comparison.withdrawn == (Withdrawal("dog", "dog", ("pet",)),)


def test_a_language_that_is_gone_is_no_renaming(read_turtle) -> None:
    old = OLD + ':cat skos:prefLabel "chat"@fr .'
    comparison = compare(read_turtle(old).hierarchy, read_turtle(OLD).hierarchy)
    assert (comparison.renamed, comparison.lost_languages) == ((), ("fr",))
