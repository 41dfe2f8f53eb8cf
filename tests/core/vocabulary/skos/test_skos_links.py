"""Links of a SKOS file become a hierarchy without cycles."""

from __future__ import annotations

import pytest

from core.errors import VocabularyError
from tests.support.files.skos_files import PET, edges, the_mending


@pytest.mark.parametrize(
    "link",
    [
        ":dog skos:broader :animal .",
        ":animal skos:narrower :dog .",
        ":dog skos:broader :animal . :animal skos:narrower :dog .",
        ":dog skos:broaderTransitive :animal .",
        ":animal skos:narrowerTransitive :dog .",
        ":dog iso:broaderGeneric :animal .",
        ":animal iso:narrowerPartitive :dog .",
        ":dog iso:broaderInstantial :animal .",
        ":dog <http://other.example/terms#BTG> :animal .",
        ":kindOf rdfs:subPropertyOf skos:broader . :dog :kindOf :animal .",
        ":dog :kindOf :animal . :kindOf rdfs:subPropertyOf :under . "
        ":under rdfs:subPropertyOf skos:broader .",
    ],
)
def test_one_link_in_any_of_its_ways(read_turtle, link: str) -> None:
    reading = read_turtle(
        ':animal a skos:Concept ; skos:prefLabel "animal"@en .'
        ':dog a skos:Concept ; skos:prefLabel "dog"@en .' + link
    )
    assert edges(reading) == {("dog", "animal")}
    assert reading.n_edges == 1
    assert reading.mended == []


@pytest.mark.parametrize(
    "link",
    [
        "skos:related",
        "skos:exactMatch",
        "skos:broadMatch",
        ":near",
        "<http://www.w3.org/2000/01/rdf-schema#seeAlso>",
    ],
)
def test_other_relations_make_neither_links_nor_concepts(read_turtle, link: str) -> None:
    reading = read_turtle(
        PET + f":dog {link} :cat , <http://other.example/1> . "
        '<http://other.example/1> skos:prefLabel "elsewhere" .'
        "skos:broadMatch rdfs:subPropertyOf skos:broader ."
        ":near rdfs:subPropertyOf skos:broadMatch ."
    )
    assert edges(reading) == {("dog", "animal")}
    assert reading.n_concepts == 2


def test_several_broader_concepts(read_turtle) -> None:
    reading = read_turtle(
        PET + ':pet a skos:Concept ; skos:prefLabel "pet" . :dog skos:broader :pet .'
    )
    assert edges(reading) == {("dog", "animal"), ("dog", "pet")}
    assert reading.hierarchy.top_concepts == ("animal", "pet")


def test_transitive_links_alone_are_reduced(read_turtle) -> None:
    reading = read_turtle("""
        :a a skos:Concept ; skos:prefLabel "a" .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broaderTransitive :a .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broaderTransitive :a , :b .
        :d a skos:Concept ; skos:prefLabel "d" ; skos:broaderTransitive :a , :b , :c .
    """)
    assert edges(reading) == {("b", "a"), ("c", "b"), ("d", "c")}
    assert reading.n_edges == 3


def test_transitive_links_beside_direct_ones_are_ignored(read_turtle) -> None:
    reading = read_turtle("""
        :a a skos:Concept ; skos:prefLabel "a" .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broader :a ; skos:broaderTransitive :a .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broader :b ; skos:broaderTransitive :a , :b .
    """)
    assert edges(reading) == {("b", "a"), ("c", "b")}


def test_a_cycle_loses_the_link_that_closes_it_in_file_order(read_turtle) -> None:
    reading = read_turtle("""
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broader :a .
        :a a skos:Concept ; skos:prefLabel "a" ; skos:broader :c .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broader :b .
    """)
    assert edges(reading) == {("b", "a"), ("a", "c")}
    concept, problem, action = the_mending(reading)
    assert concept == "c"
    assert '"b" (http://v.example/b)' in problem
    assert "cycle" in problem
    assert action == "the link to http://v.example/b was dropped"


def test_a_cycle_of_narrower_links_is_cut_in_file_order_too(read_turtle) -> None:
    reading = read_turtle("""
        :c a skos:Concept ; skos:prefLabel "c" ; skos:narrower :a .
        :a a skos:Concept ; skos:prefLabel "a" ; skos:narrower :b .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:narrower :c .
    """)
    assert edges(reading) == {("a", "c"), ("b", "a")}
    assert the_mending(reading)[0] == "c"


def test_links_beside_a_cycle_stay(read_turtle) -> None:
    reading = read_turtle("""
        :a a skos:Concept ; skos:prefLabel "a" ; skos:broader :b .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broader :a , :top .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broader :a , :b .
        :top a skos:Concept ; skos:prefLabel "top" .
    """)
    assert edges(reading) == {("a", "b"), ("b", "top"), ("c", "a"), ("c", "b")}
    assert the_mending(reading)[0] == "b"


def test_each_of_two_entwined_cycles_is_cut_once(read_turtle) -> None:
    reading = read_turtle("""
        :a a skos:Concept ; skos:prefLabel "a" ; skos:broader :b .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broader :c .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broader :a , :b .
    """)
    assert edges(reading) == {("a", "b"), ("b", "c")}
    assert len(reading.mended) == 2


def test_a_concept_below_itself_loses_that_link(read_turtle) -> None:
    reading = read_turtle(PET + ":dog skos:broader :dog .")
    assert edges(reading) == {("dog", "animal")}
    concept, problem, action = the_mending(reading)
    assert (concept, action) == ("dog", "the link was dropped")
    assert '"dog" (http://v.example/dog) is named as broader than itself' in problem


def test_a_broader_concept_that_is_not_there_is_dropped_and_named(read_turtle) -> None:
    reading = read_turtle(PET + ":dog skos:broader :gone .")
    assert edges(reading) == {("dog", "animal")}
    concept, problem, _ = the_mending(reading)
    assert concept == "dog"
    assert "http://v.example/gone" in problem
    assert '"dog"' in problem


def test_a_narrower_concept_that_is_not_there_is_dropped_and_named(read_turtle) -> None:
    concept, problem, _ = the_mending(read_turtle(PET + ":dog skos:narrower :gone ."))
    assert concept == "dog"
    assert "http://v.example/gone" in problem


ARRAYS = """
@prefix iso: <http://purl.org/iso25964/skos-thes#> . @prefix gvp: <http://vocab.getty.edu/ontology#> .
:milk a skos:Concept ; skos:prefLabel "milk"@en . :cow a skos:Concept ; skos:prefLabel "cow milk"@en .
:goat a skos:Concept ; skos:prefLabel "goat milk"@en . :source a skos:Collection ;
skos:prefLabel "<milk by source>"@en . :animal a iso:ThesaurusArray . :all a skos:Collection .
"""


@pytest.mark.parametrize(
    "links",
    [
        ":source iso:superOrdinate :milk ; skos:member :cow , :goat .",
        ":milk iso:subordinateArray :source . :source skos:member :cow , :goat .",
        ":source iso:superOrdinate :milk ; skos:memberList ( :cow :goat ) .",
        ":source gvp:broaderGeneric :milk . :cow gvp:broaderGeneric :source . "
        ":goat gvp:broaderPreferred :source .",
        ":source gvp:broader :milk . :source gvp:narrower :cow , :goat .",
        ":animal iso:superOrdinate :milk ; skos:member :source . :source skos:member :cow , :goat .",
        ":source iso:superOrdinate :milk ; skos:member :cow , :goat . :all skos:member :cow , :milk .",
        ":cow skos:broader :milk . :goat skos:broader :milk . "
        ":source iso:superOrdinate :milk ; skos:member :cow , :goat .",
    ],
)
def test_members_of_arrays_and_guide_terms_stand_below_the_superordinate_concept(
    read_turtle, links: str
) -> None:
    reading = read_turtle(ARRAYS + links)
    assert edges(reading) == {("cow", "milk"), ("goat", "milk")}
    assert reading.mended == []


def test_an_array_adds_no_second_way_up(read_turtle) -> None:
    deeper = ":goat skos:broader :cow . :cow skos:broader :milk ."
    reading = read_turtle(
        f"{ARRAYS} {deeper} :source iso:superOrdinate :milk ; skos:member :goat ."
    )
    assert edges(reading) == {("goat", "cow"), ("cow", "milk")}


def test_arrays_in_a_circle_add_nothing(read_turtle) -> None:
    circle = ":source skos:member :animal , :cow . :animal skos:member :source ."
    assert edges(read_turtle(ARRAYS + circle)) == set()


def chain(n: int, link: str = "broader") -> str:
    concepts = (f':c{i} a skos:Concept ; skos:prefLabel "c{i}" .' for i in range(n))
    links = (f":c{i} skos:{link} :c{i - 1} ." for i in range(1, n))
    return "\n".join([*concepts, *links])


@pytest.mark.parametrize("link", ["broader", "broaderTransitive"])
def test_more_levels_than_any_vocabulary_has_are_refused(read_turtle, link: str) -> None:
    assert read_turtle(chain(60, link)).hierarchy.depth == 60
    with pytest.raises(VocabularyError, match=r"5,000 levels, from .c0. .* down to .c4999."):
        read_turtle(chain(5_000, link))
    with pytest.raises(VocabularyError, match="levels"):
        read_turtle(chain(61) + " :c30 owl:deprecated true .")
