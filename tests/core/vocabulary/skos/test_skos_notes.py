"""Notes, related concepts and replacements of a SKOS file."""

from __future__ import annotations

from tests.support.files.skos_files import PET


def test_notes_are_kept_by_kind_and_language(read_turtle) -> None:
    dog = read_turtle(
        PET + ':dog skos:scopeNote "The tame one."@en , "Le domestique."@fr , "Not the fox."@en ;'
        ' skos:definition "A barking mammal."@en ; skos:historyNote " " .'
    ).hierarchy["dog"]
    assert dog.notes == {
        "definition": {"en": ("A barking mammal.",)},
        "scopeNote": {"en": ("The tame one.", "Not the fox."), "fr": ("Le domestique.",)},
    }


def test_a_note_keeps_its_lines_and_may_be_a_resource(read_turtle) -> None:
    reading = read_turtle(
        PET
        + "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
        + ':dog skos:note [ rdf:value "one\\n\\n  two "@en ] ; skos:example <http://else.example> .'
    )
    assert reading.hierarchy["dog"].notes == {"note": {"en": ("one\ntwo",)}}
    assert reading.n_concepts == 2


def test_related_concepts_know_each_other(read_turtle) -> None:
    hierarchy = read_turtle(PET + ":dog skos:related :animal , :dog , :elsewhere .").hierarchy
    assert hierarchy["dog"].related == ("animal",)
    assert hierarchy["animal"].related == ("dog",)


def test_a_withdrawn_concept_names_what_replaces_it(read_turtle) -> None:
    hierarchy = read_turtle(
        PET + ':hound a skos:Concept ; skos:prefLabel "hound" ; owl:deprecated true ;'
        " dct:isReplacedBy :dog . :animal dct:replaces :hound ."
    ).hierarchy
    assert hierarchy.deprecated["hound"].replaced_by == ("dog", "animal")


def test_notes_do_not_change_the_version_of_a_file_that_states_none(read_turtle) -> None:
    plain = read_turtle(PET).hierarchy.version
    assert (
        read_turtle(PET + ':dog skos:note "x" ; skos:related :animal .').hierarchy.version == plain
    )
