"""Which resources of a SKOS file are concepts."""

from __future__ import annotations

import pytest

from core.errors import VocabularyError
from tests.support.files.skos_files import PET, edges, the_mending


@pytest.mark.parametrize(
    "kind", ["skos:Collection", "skos:OrderedCollection", "iso:ThesaurusArray", ":Group"]
)
def test_collections_are_no_concepts(read_turtle, kind: str) -> None:
    reading = read_turtle(
        PET + f':pets a {kind} ; skos:prefLabel "pets" ; skos:member :dog ; skos:inScheme :all .'
        ":Group rdfs:subClassOf skos:Collection . :dog skos:broader :pets ."
    )
    assert set(reading.hierarchy) == {"animal", "dog"}
    concept, problem, _ = the_mending(reading)
    assert concept == "dog"
    assert "is a collection, no concept" in problem


def test_a_scheme_as_broader_concept_is_dropped(read_turtle) -> None:
    reading = read_turtle(
        PET + ':all a skos:ConceptScheme ; skos:prefLabel "all" . :animal skos:broader :all .'
    )
    assert reading.hierarchy.top_concepts == ("animal",)
    assert "is a concept scheme, no concept" in the_mending(reading)[1]


@pytest.mark.parametrize(
    "use",
    [
        ":cat skos:broader :animal .",
        ":animal skos:narrower :cat .",
        ":cat skos:topConceptOf :all .",
        ":all skos:hasTopConcept :cat .",
        ":cat skos:inScheme :all .",
    ],
)
def test_what_is_used_as_a_concept_is_read_as_one_and_listed(read_turtle, use: str) -> None:
    reading = read_turtle(PET + ':cat skos:prefLabel "cat"@en .' + use)
    assert "cat" in reading.hierarchy
    concept, problem, action = the_mending(reading)
    assert (concept, action) == ("cat", "it was read as a concept")
    assert '"cat"' in problem


def test_membership_in_a_scheme_makes_no_concept_of_another_class(read_turtle) -> None:
    reading = read_turtle(PET + ':cat a :Picture ; skos:prefLabel "cat" ; skos:inScheme :all .')
    assert "cat" not in reading.hierarchy
    assert reading.mended == []


def test_a_class_below_concept_is_one_where_there_is_a_label(read_turtle) -> None:
    reading = read_turtle(
        PET + ":Descriptor rdfs:subClassOf :Term . :Term rdfs:subClassOf skos:Concept ."
        ':cat a :Descriptor ; skos:prefLabel "cat" .'
        ':old a :Descriptor ; rdfs:label "old" .'
    )
    assert set(reading.hierarchy) == {"animal", "dog", "cat"}
    assert reading.mended == []


def test_concepts_in_no_scheme_are_read(read_turtle) -> None:
    reading = read_turtle(PET)
    assert reading.schemes == []
    assert reading.hierarchy.vocabulary_id == "pets"


@pytest.mark.parametrize(
    ("schemes", "name"),
    [
        (":deprecatedconceptscheme", "v-example"),
        ("<http://v.example/pets/deprecatedconceptscheme>", "pets"),
        ("<http://v.example/pets/deprecatedconceptscheme>, :zoo", "zoo"),
    ],
)
def test_a_scheme_of_what_was_withdrawn_does_not_name_the_vocabulary(
    read_turtle, schemes: str, name: str
) -> None:
    reading = read_turtle(f"{PET} :dog skos:inScheme {schemes} . :cat skos:inScheme {schemes} .")
    assert reading.hierarchy.vocabulary_id == name


def test_the_scheme_of_the_vocabulary_is_the_largest_one_in_use(read_turtle) -> None:
    in_zoo = ":dog skos:inScheme :zoo, :deprecatedconceptscheme . :animal skos:inScheme :zoo ."
    many = " ".join(
        f":{name} skos:inScheme :deprecatedconceptscheme ." for name in ("cat", "animal")
    )
    reading = read_turtle(f"{PET} {in_zoo} {many}")
    assert reading.hierarchy.scheme_uri == "http://v.example/zoo"
    assert read_turtle(f"{PET} :dog skos:inScheme [] .").hierarchy.scheme_uri == ""
    assert reading.hierarchy.truncated(1).scheme_uri == "http://v.example/zoo"


def test_several_schemes(read_turtle) -> None:
    reading = read_turtle(
        PET + ":one a skos:ConceptScheme . :dog skos:inScheme :one , :two . :x skos:hasTopConcept"
        " :animal . :animal skos:topConceptOf :three ."
    )
    names = {uri.removeprefix("http://v.example/") for uri in reading.schemes}
    assert names == {"one", "two", "x", "three"}
    assert reading.hierarchy.top_concepts == ("animal",)


def test_a_stated_top_concept_that_has_a_broader_one_stays_below_it(read_turtle) -> None:
    reading = read_turtle(PET + ":dog skos:topConceptOf :all .")
    assert edges(reading) == {("dog", "animal")}
    assert reading.hierarchy.top_concepts == ("animal",)


def test_two_concepts_with_one_label_are_two(read_turtle) -> None:
    reading = read_turtle(PET + ':bone a skos:Concept ; skos:prefLabel "dog"@en .')
    assert {reading.hierarchy[i].label() for i in ("dog", "bone")} == {"dog"}
    assert reading.mended == []


@pytest.mark.parametrize(
    "statement",
    [
        "owl:deprecated true",
        'owl:deprecated "true"',
        'owl:deprecated "1"^^xsd:boolean',
        "euvoc:status <http://publications.europa.eu/resource/authority/concept-status/DEPRECATED>",
        "<http://www.w3.org/ns/adms#status> <http://purl.org/adms/status/Withdrawn>",
    ],
)
def test_deprecated_concepts_are_counted_and_not_offered(read_turtle, statement: str) -> None:
    reading = read_turtle(PET + f':pup a skos:Concept ; skos:prefLabel "pup" . :dog {statement} .'
                   ":pup skos:broader :dog .")  # fmt: skip
    assert (reading.n_concepts, reading.deprecated, reading.n_edges) == (3, 1, 2)
    assert set(reading.hierarchy) == {"animal", "pup"}
    assert edges(reading) == {("pup", "animal")}
    assert reading.hierarchy.deprecated["dog"].label() == "dog"


@pytest.mark.parametrize(
    "statement",
    [
        "owl:deprecated false",
        "euvoc:status <http://publications.europa.eu/resource/authority/concept-status/CURRENT>",
    ],
)
def test_current_concepts_are_offered(read_turtle, statement: str) -> None:
    assert read_turtle(PET + f":dog {statement} .").deprecated == 0


def test_a_file_of_deprecated_concepts_alone_is_refused(read_turtle) -> None:
    with pytest.raises(VocabularyError, match="only deprecated"):
        read_turtle(':dog a skos:Concept ; skos:prefLabel "dog" ; owl:deprecated true .')


@pytest.mark.parametrize(
    ("names", "title"),
    [
        ('skos:prefLabel "Eaux"@fr , "Water"@en-GB', "Water"),
        ('dct:title "Wasser"@de', "Wasser"),
        ('dc:title "Water" ; rdfs:label "Water words"', "Water words"),
        ('dc:title "A"@en , "B"@en', "A"),
        (
            f'skos:prefLabel "{"Water " * 40}"',
            "Water Water Water Water Water Water Water Water Water Water…",
        ),
        ("rdfs:comment 'x'", ""),
    ],
)
def test_a_scheme_names_the_vocabulary(read_turtle, names: str, title: str) -> None:
    text = "@prefix dc: <http://purl.org/dc/elements/1.1/> . " + PET
    reading = read_turtle(text + f":all a skos:ConceptScheme ; {names} . :dog skos:inScheme :all .")
    assert reading.hierarchy.title == reading.hierarchy.truncated(1).title == title
    assert reading.hierarchy.vocabulary_id == "all"
