from __future__ import annotations

from pathlib import Path

import pytest

from core.vocabulary.skos.reader import read_skos
from tests.support.places import TINY_SKOS


def test_domains_are_level_one_and_micro_thesauri_level_two() -> None:
    hierarchy = read_skos(TINY_SKOS).hierarchy
    assert hierarchy.levels[:2] == [["d04", "d08"], ["t0406", "t0411", "t0806"]]
    assert [len(level) for level in hierarchy.levels] == [2, 3, 4, 5, 3]
    assert hierarchy.narrower("d04") == ("t0406", "t0411")
    assert hierarchy.paths("206") == [("d08", "t0806", "203", "204", "206")]


def test_top_concepts_are_below_their_micro_thesaurus_only() -> None:
    hierarchy = read_skos(TINY_SKOS).hierarchy
    assert hierarchy.broader("101") == ("t0406",)
    assert hierarchy.broader("205") == ("102", "201")
    assert "all" not in hierarchy
    assert "domains" not in hierarchy


def test_divisions_are_concepts_that_nobody_assigns() -> None:
    hierarchy = read_skos(TINY_SKOS).hierarchy
    growing = hierarchy["t0406"]
    assert growing.notation == "0406"
    assert growing.label("fr") == "0406 culture"
    assert growing.uri == "http://vocabulary.example/t0406"
    assert [i for i in hierarchy if not hierarchy[i].assignable] == [
        *("d04", "d08"),
        *("t0406", "t0411", "t0806"),
    ]


def test_codes_are_read_from_labels_where_there_is_no_notation(read_changed) -> None:
    reading = read_changed(
        (' ; skos:notation "04" ;', " ;"), ('a skos:ConceptScheme ; skos:notation "0406" ;', "a skos:ConceptScheme ;")
    )  # fmt: skip
    assert reading.hierarchy.broader("t0406") == ("d04",)
    assert reading.hierarchy["t0406"].notation == "0406"


@pytest.mark.parametrize(
    "link",
    [
        "<http://purl.org/dc/terms/subject>",
        "<http://publications.europa.eu/ontology/euvoc#domain>",
    ],
)
def test_a_stated_domain_goes_before_the_number(read_changed, link: str) -> None:
    reading = read_changed(more=f"\n:t0411 {link} :d08 .")
    assert reading.hierarchy.broader("t0411") == ("d08",)


def test_a_top_concept_of_two_micro_thesauri_is_below_both(read_changed) -> None:
    reading = read_changed(more="\n:t0806 skos:hasTopConcept :105 .")
    assert reading.hierarchy.broader("105") == ("t0411", "t0806")


def test_a_member_without_a_broader_concept_is_below_its_micro_thesaurus(read_changed) -> None:
    reading = read_changed(("skos:topConceptOf :all , :t0411 ;", ""))
    assert reading.hierarchy.broader("105") == ("t0411",)
    assert reading.hierarchy.level("105") == 3


def test_a_micro_thesaurus_of_no_domain_is_listed(read_changed) -> None:
    reading = read_changed(
        more='\n:t9906 a skos:ConceptScheme ; skos:prefLabel "9906 nowhere"@en .'
    )
    (mending,) = reading.mended
    assert mending.concept == "http://vocabulary.example/t9906"
    assert "9906" in mending.problem
    assert "t9906" in reading.hierarchy.top_concepts


def test_schemes_of_other_vocabularies_stay_schemes(read_changed) -> None:
    reading = read_changed((":domains", ":other"))
    assert "t0406" not in reading.hierarchy
    assert reading.hierarchy.level("101") == 1
    assert all(reading.hierarchy[i].assignable for i in reading.hierarchy)


def test_only_eurovoc_itself_is_called_so(read_changed) -> None:
    assert read_skos(TINY_SKOS).hierarchy.vocabulary_id == "all"
    official = read_changed(("http://vocabulary.example/", "http://eurovoc.europa.eu/"))
    assert official.hierarchy.vocabulary_id == "eurovoc"


def test_levels_of_the_shared_file_are_as_published(shared_data: Path) -> None:
    path = shared_data / "eurovoc" / "eurovoc_in_skos_core_concepts.ttl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    reading = read_skos(path)
    hierarchy = reading.hierarchy
    assert [len(level) for level in hierarchy.levels] == [21, 127, 544, 3915, 2320, 483, 49, 6]
    assert hierarchy.vocabulary_id == "eurovoc"
    assert (reading.n_concepts, reading.deprecated, reading.mended) == (7465, 0, [])
    assert sum(hierarchy[i].assignable for i in hierarchy) == 7317
    assert list(reading.languages) == ["en", "fr"]
