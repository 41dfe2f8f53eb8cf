"""Labels, notations, ids and versions of a SKOS file."""

from __future__ import annotations

from unicodedata import normalize

import pytest

from core.review.decisions.operations import read_operations
from core.vocabulary.records import as_record, from_record
from core.vocabulary.skos.reader import concept_ids
from tests.support.files.skos_files import PET, edges, the_mending


def test_labels_without_a_language(read_turtle) -> None:
    reading = read_turtle(
        ':dog a skos:Concept ; skos:prefLabel "dog" ; skos:altLabel "hound"@en , "cur" .'
    )
    dog = reading.hierarchy["dog"]
    assert dog.pref_label == {"": "dog"}
    assert dog.alt_labels == {"en": ("hound",), "": ("cur",)}
    assert reading.languages == {"": 2, "en": 1}


def test_labels_that_are_resources(read_turtle) -> None:
    reading = read_turtle("""
        :dog a skos:Concept ; xl:prefLabel :l1 , [ a xl:Label ; xl:literalForm "chien"@fr ] ;
            xl:altLabel :l2 .
        :l1 a xl:Label ; xl:literalForm "dog"@en . :l2 a xl:Label ; xl:literalForm "hound"@en .
    """)
    assert set(reading.hierarchy) == {"dog"}
    dog = reading.hierarchy["dog"]
    assert dog.pref_label == {"en": "dog", "fr": "chien"}
    assert dog.alt_labels == {"en": ("hound",)}
    assert reading.mended == []


def test_accents_become_one_with_their_letters(read_turtle) -> None:
    apart = normalize("NFD", "pêche")
    assert len(apart) == 6
    reading = read_turtle(
        f':a a skos:Concept ; skos:prefLabel "{apart}"@fr ; skos:altLabel "pêche"@fr, "{apart}s"@fr ;'
        f' skos:notation "{apart}" ; skos:definition "{apart} en mer"@fr .'
    )
    fishing = reading.hierarchy["a"]
    assert (fishing.pref_label, fishing.alt_labels) == ({"fr": "pêche"}, {"fr": ("pêches",)})
    assert (fishing.notation, fishing.notes) == ("pêche", {"definition": {"fr": ("pêche en mer",)}})
    assert reading.mended == []


def test_the_same_label_plain_and_as_a_resource_is_one(read_turtle) -> None:
    reading = read_turtle(PET + ':dog xl:prefLabel [ xl:literalForm "dog"@en ] .')
    assert reading.hierarchy["dog"].pref_label == {"en": "dog"}
    assert reading.mended == []


def test_of_several_notations_the_first_counts_whatever_its_datatype(read_turtle) -> None:
    reading = read_turtle(PET + ':dog skos:notation "7.1"^^:Code , "old" .')
    assert reading.hierarchy["dog"].notation == "7.1"
    assert reading.hierarchy["animal"].notation is None


def test_a_second_preferred_label_becomes_an_alternative_one(read_turtle) -> None:
    reading = read_turtle(PET + ':dog skos:prefLabel "hound"@en , "chien"@fr .')
    dog = reading.hierarchy["dog"]
    assert dog.pref_label == {"en": "dog", "fr": "chien"}
    assert dog.alt_labels == {"en": ("hound",)}
    concept, problem, action = the_mending(reading)
    assert concept == "dog"
    assert 'in "en"' in problem
    assert '"dog" was kept' in action


@pytest.mark.parametrize(
    ("labels", "taken"),
    [
        ('rdfs:label "tabby" ; skos:altLabel "cat" ; skos:notation "7"', "tabby"),
        ('skos:altLabel "cat" ; skos:notation "7"', "cat"),
        ('skos:prefLabel " " ; skos:notation "7"', "7"),
    ],
)
def test_without_a_preferred_label_the_next_best_is_taken(
    read_turtle, labels: str, taken: str
) -> None:
    reading = read_turtle(PET + f":x a skos:Concept ; {labels} .")
    assert reading.hierarchy["x"].label() == taken
    concept, problem, action = the_mending(reading)
    assert concept == "x"
    assert "http://v.example/x has no preferred label" in problem
    assert f'"{taken}"' in action


def test_a_concept_without_any_label_is_left_out_and_bridged(read_turtle) -> None:
    reading = read_turtle(
        PET
        + ':x a skos:Concept ; skos:broader :animal . :pup a skos:Concept ; skos:prefLabel "p" ;'
        " skos:broader :x ."
    )
    assert (reading.n_concepts, reading.n_edges) == (3, 2)
    assert edges(reading) == {("dog", "animal"), ("pup", "animal")}
    concept, problem, action = the_mending(reading)
    assert (concept, problem) == ("x", "the concept http://v.example/x has no label")
    assert "left out" in action


def test_white_space_in_labels_is_mended_silently(read_turtle) -> None:
    reading = read_turtle(':dog a skos:Concept ; skos:prefLabel " big \\n dog "@en .')
    assert reading.hierarchy["dog"].label() == "big dog"


def test_control_characters_are_no_part_of_a_text(read_turtle) -> None:
    texts = (
        r'skos:prefLabel "x\u0000y"@en ; skos:notation "n\u0007" ; skos:definition "d\u0001e"@en'
    )
    dog = read_turtle(f":dog a skos:Concept ; {texts} .").hierarchy["dog"]
    assert (dog.label(), dog.notation, dog.notes["definition"]) == ("x y", "n", {"en": ("d e",)})


def test_ids_are_last_segments_where_these_are_unique() -> None:
    uris = ["http://a.example/s#1", "http://a.example/t/1", "http://a.example/2/", "urn:x:3"]
    assert list(concept_ids(uris).values()) == [*uris[:2], "2", "urn:x:3"]


@pytest.mark.parametrize("end", ["%E6%B8%94" * 40, "a\u00a0b", "a\u200bb"])
def test_a_decision_can_be_stored_with_any_id(read_turtle, end: str) -> None:
    concept = f'<http://v.example/{end}> a skos:Concept ; skos:prefLabel "fish"@en .'
    (concept_id,) = ids = list(read_turtle(concept).hierarchy)
    accepted = {"sequence": 1, "action": "accept", "concept_id": concept_id}
    assert read_operations([accepted], concept_ids=ids)[1] == []


def test_a_concept_without_a_uri_goes_by_its_labels(read_turtle) -> None:
    body = '[] a skos:Concept ; skos:prefLabel "dog" . _:x a skos:Concept ; skos:prefLabel "cat" .'
    first, second = read_turtle(body), read_turtle(body)
    assert first.hierarchy.version == second.hierarchy.version
    newer = read_turtle(f'[] a skos:Concept ; skos:prefLabel "bee" , "dog"@en . {body}').hierarchy
    labels = {i: first.hierarchy[i].label() for i in first.hierarchy}
    assert sorted(labels.values()) == ["cat", "dog"] and len(newer) == 3
    assert {i: newer[i].label() for i in labels} == labels
    twins = read_turtle(f'{body} [] a skos:Concept ; skos:prefLabel "cat" .').hierarchy
    assert len(twins) == 3


def test_relative_uris_are_resolved(read_turtle) -> None:
    reading = read_turtle('<#dog> a skos:Concept ; skos:prefLabel "dog" ; skos:broader <a/cat> . '
                   '<a/cat> a skos:Concept ; skos:prefLabel "cat" .')  # fmt: skip
    assert edges(reading) == {("dog", "cat")}


def test_version_is_what_the_scheme_states(read_turtle) -> None:
    dated = ':all a skos:ConceptScheme ; dct:modified "2020-01-01" . :dog skos:inScheme :all .'
    assert read_turtle(PET + dated).hierarchy.version == "2020-01-01"
    assert read_turtle(PET + dated + ':all owl:versionInfo "9.1" .').hierarchy.version == "9.1"
    wordy = f':all owl:versionInfo "Release 9,\\n{"reviewed " * 60}" .'
    assert len(read_turtle(PET + dated + wordy).hierarchy.version) <= 100
    assert read_turtle(PET + dated + wordy).hierarchy.version.startswith("Release 9, reviewed")
    assert read_turtle(PET + dated).hierarchy.vocabulary_id == "all"
    unstated = read_turtle(PET).hierarchy.version
    assert unstated.startswith("sha256-")
    assert unstated == read_turtle(PET).hierarchy.version
    assert unstated != read_turtle(PET.replace('"dog"', '"cat"')).hierarchy.version


@pytest.mark.parametrize(
    "stated",
    [
        'skos:hiddenLabel "garbanzo"@en',
        'xl:hiddenLabel [ xl:literalForm "garbanzo"@en ]',
        ':misspelling "garbanzo"@en',
    ],
)
def test_hidden_labels_are_kept_apart(read_turtle, stated: str) -> None:
    reading = read_turtle(
        "@prefix xl: <http://www.w3.org/2008/05/skos-xl#> ."
        ":misspelling rdfs:subPropertyOf skos:hiddenLabel ."
        f':pea a skos:Concept ; skos:prefLabel "chickpea"@en ; {stated} .'
        ':cow a skos:Concept ; skos:notation "L4" ; skos:hiddenLabel "cowpea"@en .'
    )
    pea, cow = reading.hierarchy["pea"], reading.hierarchy["cow"]
    assert (pea.hidden_labels, pea.alt_labels) == ({"en": ("garbanzo",)}, {})
    assert cow.label() == "L4"
    assert from_record(as_record(pea)) == pea
