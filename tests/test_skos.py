from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from core.errors import VocabularyError
from core.vocabulary.skos import SkosReading, concept_ids, read_skos

PREFIXES = """
@prefix : <http://v.example/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix iso: <http://purl.org/iso25964/skos-thes#> .
@prefix euvoc: <http://publications.europa.eu/ontology/euvoc#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
PET = """
:animal a skos:Concept ; skos:prefLabel "animal"@en .
:dog a skos:Concept ; skos:prefLabel "dog"@en ; skos:broader :animal .
"""


@pytest.fixture
def read(tmp_path: Path):
    def read_turtle(body: str) -> SkosReading:
        path = tmp_path / "pets.ttl"
        path.write_text(PREFIXES + body, "utf-8")
        return read_skos(path)

    return read_turtle


def edges(reading: SkosReading) -> set[tuple[str, str]]:
    return {(i, b) for i in reading.hierarchy for b in reading.hierarchy.broader(i)}


def the_mending(reading: SkosReading) -> tuple[str, str, str]:
    (mending,) = reading.mended
    return mending.concept.removeprefix("http://v.example/"), mending.problem, mending.action


# Links


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
def test_one_link_in_any_of_its_ways(read, link: str) -> None:
    reading = read(
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
def test_other_relations_make_neither_links_nor_concepts(read, link: str) -> None:
    reading = read(
        PET + f":dog {link} :cat , <http://other.example/1> . "
        '<http://other.example/1> skos:prefLabel "elsewhere" .'
        "skos:broadMatch rdfs:subPropertyOf skos:broader ."
        ":near rdfs:subPropertyOf skos:broadMatch ."
    )
    assert edges(reading) == {("dog", "animal")}
    assert reading.n_concepts == 2


def test_several_broader_concepts(read) -> None:
    reading = read(PET + ':pet a skos:Concept ; skos:prefLabel "pet" . :dog skos:broader :pet .')
    assert edges(reading) == {("dog", "animal"), ("dog", "pet")}
    assert reading.hierarchy.top_concepts == ("animal", "pet")


def test_transitive_links_alone_are_reduced(read) -> None:
    reading = read("""
        :a a skos:Concept ; skos:prefLabel "a" .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broaderTransitive :a .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broaderTransitive :a , :b .
        :d a skos:Concept ; skos:prefLabel "d" ; skos:broaderTransitive :a , :b , :c .
    """)
    assert edges(reading) == {("b", "a"), ("c", "b"), ("d", "c")}
    assert reading.n_edges == 3


def test_transitive_links_beside_direct_ones_are_ignored(read) -> None:
    reading = read("""
        :a a skos:Concept ; skos:prefLabel "a" .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broader :a ; skos:broaderTransitive :a .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broader :b ; skos:broaderTransitive :a , :b .
    """)
    assert edges(reading) == {("b", "a"), ("c", "b")}


def test_a_cycle_loses_the_link_that_closes_it_in_file_order(read) -> None:
    reading = read("""
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


def test_a_cycle_of_narrower_links_is_cut_in_file_order_too(read) -> None:
    reading = read("""
        :c a skos:Concept ; skos:prefLabel "c" ; skos:narrower :a .
        :a a skos:Concept ; skos:prefLabel "a" ; skos:narrower :b .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:narrower :c .
    """)
    assert edges(reading) == {("a", "c"), ("b", "a")}
    assert the_mending(reading)[0] == "c"


def test_links_beside_a_cycle_stay(read) -> None:
    reading = read("""
        :a a skos:Concept ; skos:prefLabel "a" ; skos:broader :b .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broader :a , :top .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broader :a , :b .
        :top a skos:Concept ; skos:prefLabel "top" .
    """)
    assert edges(reading) == {("a", "b"), ("b", "top"), ("c", "a"), ("c", "b")}
    assert the_mending(reading)[0] == "b"


def test_each_of_two_entwined_cycles_is_cut_once(read) -> None:
    reading = read("""
        :a a skos:Concept ; skos:prefLabel "a" ; skos:broader :b .
        :b a skos:Concept ; skos:prefLabel "b" ; skos:broader :c .
        :c a skos:Concept ; skos:prefLabel "c" ; skos:broader :a , :b .
    """)
    assert edges(reading) == {("a", "b"), ("b", "c")}
    assert len(reading.mended) == 2


def test_a_concept_below_itself_loses_that_link(read) -> None:
    reading = read(PET + ":dog skos:broader :dog .")
    assert edges(reading) == {("dog", "animal")}
    concept, problem, action = the_mending(reading)
    assert (concept, action) == ("dog", "the link was dropped")
    assert '"dog" (http://v.example/dog) is named as broader than itself' in problem


def test_a_broader_concept_that_is_not_there_is_dropped_and_named(read) -> None:
    reading = read(PET + ":dog skos:broader :gone .")
    assert edges(reading) == {("dog", "animal")}
    concept, problem, _ = the_mending(reading)
    assert concept == "dog"
    assert "http://v.example/gone" in problem
    assert '"dog"' in problem


def test_a_narrower_concept_that_is_not_there_is_dropped_and_named(read) -> None:
    concept, problem, _ = the_mending(read(PET + ":dog skos:narrower :gone ."))
    assert concept == "dog"
    assert "http://v.example/gone" in problem


# What is a concept


@pytest.mark.parametrize(
    "kind", ["skos:Collection", "skos:OrderedCollection", "iso:ThesaurusArray", ":Group"]
)
def test_collections_are_no_concepts(read, kind: str) -> None:
    reading = read(
        PET + f':pets a {kind} ; skos:prefLabel "pets" ; skos:member :dog ; skos:inScheme :all .'
        ":Group rdfs:subClassOf skos:Collection . :dog skos:broader :pets ."
    )
    assert set(reading.hierarchy) == {"animal", "dog"}
    concept, problem, _ = the_mending(reading)
    assert concept == "dog"
    assert "is a collection, no concept" in problem


def test_a_scheme_as_broader_concept_is_dropped(read) -> None:
    reading = read(
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
def test_what_is_used_as_a_concept_is_read_as_one_and_listed(read, use: str) -> None:
    reading = read(PET + ':cat skos:prefLabel "cat"@en .' + use)
    assert "cat" in reading.hierarchy
    concept, problem, action = the_mending(reading)
    assert (concept, action) == ("cat", "it was read as a concept")
    assert '"cat"' in problem


def test_membership_in_a_scheme_makes_no_concept_of_another_class(read) -> None:
    reading = read(PET + ':cat a :Picture ; skos:prefLabel "cat" ; skos:inScheme :all .')
    assert "cat" not in reading.hierarchy
    assert reading.mended == []


def test_a_class_below_concept_is_one_where_there_is_a_label(read) -> None:
    reading = read(
        PET + ":Descriptor rdfs:subClassOf :Term . :Term rdfs:subClassOf skos:Concept ."
        ':cat a :Descriptor ; skos:prefLabel "cat" .'
        ':old a :Descriptor ; rdfs:label "old" .'
    )
    assert set(reading.hierarchy) == {"animal", "dog", "cat"}
    assert reading.mended == []


def test_concepts_in_no_scheme_are_read(read) -> None:
    reading = read(PET)
    assert reading.schemes == []
    assert reading.hierarchy.vocabulary_id == "pets"


def test_several_schemes(read) -> None:
    reading = read(
        PET + ":one a skos:ConceptScheme . :dog skos:inScheme :one , :two . :x skos:hasTopConcept"
        " :animal . :animal skos:topConceptOf :three ."
    )
    names = {uri.removeprefix("http://v.example/") for uri in reading.schemes}
    assert names == {"one", "two", "x", "three"}
    assert reading.hierarchy.top_concepts == ("animal",)


def test_a_stated_top_concept_that_has_a_broader_one_stays_below_it(read) -> None:
    reading = read(PET + ":dog skos:topConceptOf :all .")
    assert edges(reading) == {("dog", "animal")}
    assert reading.hierarchy.top_concepts == ("animal",)


def test_two_concepts_with_one_label_are_two(read) -> None:
    reading = read(PET + ':bone a skos:Concept ; skos:prefLabel "dog"@en .')
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
def test_deprecated_concepts_are_counted_and_not_offered(read, statement: str) -> None:
    reading = read(PET + f':pup a skos:Concept ; skos:prefLabel "pup" . :dog {statement} .'
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
def test_current_concepts_are_offered(read, statement: str) -> None:
    assert read(PET + f":dog {statement} .").deprecated == 0


def test_a_file_of_deprecated_concepts_alone_is_refused(read) -> None:
    with pytest.raises(VocabularyError, match="only deprecated"):
        read(':dog a skos:Concept ; skos:prefLabel "dog" ; owl:deprecated true .')


# Labels and notations


def test_labels_without_a_language(read) -> None:
    reading = read(
        ':dog a skos:Concept ; skos:prefLabel "dog" ; skos:altLabel "hound"@en , "cur" .'
    )
    dog = reading.hierarchy["dog"]
    assert dog.pref_label == {"": "dog"}
    assert dog.alt_labels == {"en": ("hound",), "": ("cur",)}
    assert reading.languages == {"": 2, "en": 1}


def test_labels_that_are_resources(read) -> None:
    reading = read("""
        :dog a skos:Concept ; xl:prefLabel :l1 , [ a xl:Label ; xl:literalForm "chien"@fr ] ;
            xl:altLabel :l2 .
        :l1 a xl:Label ; xl:literalForm "dog"@en . :l2 a xl:Label ; xl:literalForm "hound"@en .
    """)
    assert set(reading.hierarchy) == {"dog"}
    dog = reading.hierarchy["dog"]
    assert dog.pref_label == {"en": "dog", "fr": "chien"}
    assert dog.alt_labels == {"en": ("hound",)}
    assert reading.mended == []


def test_the_same_label_plain_and_as_a_resource_is_one(read) -> None:
    reading = read(PET + ':dog xl:prefLabel [ xl:literalForm "dog"@en ] .')
    assert reading.hierarchy["dog"].pref_label == {"en": "dog"}
    assert reading.mended == []


def test_of_several_notations_the_first_counts_whatever_its_datatype(read) -> None:
    reading = read(PET + ':dog skos:notation "7.1"^^:Code , "old" .')
    assert reading.hierarchy["dog"].notation == "7.1"
    assert reading.hierarchy["animal"].notation is None


def test_a_second_preferred_label_becomes_an_alternative_one(read) -> None:
    reading = read(PET + ':dog skos:prefLabel "hound"@en , "chien"@fr .')
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
def test_without_a_preferred_label_the_next_best_is_taken(read, labels: str, taken: str) -> None:
    reading = read(PET + f":x a skos:Concept ; {labels} .")
    assert reading.hierarchy["x"].label() == taken
    concept, problem, action = the_mending(reading)
    assert concept == "x"
    assert "http://v.example/x has no preferred label" in problem
    assert f'"{taken}"' in action


def test_a_concept_without_any_label_is_left_out_and_bridged(read) -> None:
    reading = read(
        PET
        + ':x a skos:Concept ; skos:broader :animal . :pup a skos:Concept ; skos:prefLabel "p" ;'
        " skos:broader :x ."
    )
    assert (reading.n_concepts, reading.n_edges) == (3, 2)
    assert edges(reading) == {("dog", "animal"), ("pup", "animal")}
    concept, problem, action = the_mending(reading)
    assert (concept, problem) == ("x", "the concept http://v.example/x has no label")
    assert "left out" in action


def test_white_space_in_labels_is_mended_silently(read) -> None:
    reading = read(':dog a skos:Concept ; skos:prefLabel " big \\n dog "@en .')
    assert reading.hierarchy["dog"].label() == "big dog"


# Identity


def test_ids_are_last_segments_where_these_are_unique() -> None:
    uris = ["http://a.example/s#1", "http://a.example/t/1", "http://a.example/2/", "urn:x:3"]
    assert list(concept_ids(uris).values()) == [*uris[:2], "2", "urn:x:3"]


def test_blank_nodes_are_numbered_in_the_order_of_the_file(read) -> None:
    body = '[] a skos:Concept ; skos:prefLabel "dog" . _:x a skos:Concept ; skos:prefLabel "cat" .'
    first, second = read(body), read(body)
    assert list(first.hierarchy) == list(second.hierarchy) == ["_:b1", "_:b2"]
    assert first.hierarchy.version == second.hierarchy.version


def test_relative_uris_are_resolved(read) -> None:
    reading = read('<#dog> a skos:Concept ; skos:prefLabel "dog" ; skos:broader <a/cat> . '
                   '<a/cat> a skos:Concept ; skos:prefLabel "cat" .')  # fmt: skip
    assert edges(reading) == {("dog", "cat")}


def test_version_is_what_the_scheme_states(read) -> None:
    dated = ':all a skos:ConceptScheme ; dct:modified "2020-01-01" . :dog skos:inScheme :all .'
    assert read(PET + dated).hierarchy.version == "2020-01-01"
    assert read(PET + dated + ':all owl:versionInfo "9.1" .').hierarchy.version == "9.1"
    assert read(PET + dated).hierarchy.vocabulary_id == "all"
    unstated = read(PET).hierarchy.version
    assert unstated.startswith("sha256-")
    assert unstated == read(PET).hierarchy.version
    assert unstated != read(PET.replace('"dog"', '"cat"')).hierarchy.version


# Files

RDF_XML = """<?xml version="1.0" encoding="ENCODING"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:skos="http://www.w3.org/2004/02/skos/core#">
  <skos:Concept rdf:about="http://v.example/animal">
    <skos:prefLabel xml:lang="fr">bête</skos:prefLabel>
  </skos:Concept>
  <rdf:Description rdf:about="http://v.example/dog">
    <rdf:type rdf:resource="http://www.w3.org/2004/02/skos/core#Concept"/>
    <skos:prefLabel xml:lang="fr">chien</skos:prefLabel>
    <skos:broader rdf:resource="http://v.example/animal"/>
  </rdf:Description>
</rdf:RDF>
"""
TURTLE = (PREFIXES + PET).replace('"animal"@en', '"bête"@fr')
CORE = "http://www.w3.org/2004/02/skos/core#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
N_TRIPLES = f"""
<http://v.example/animal> {TYPE} <{CORE}Concept> .
<http://v.example/animal> <{CORE}prefLabel> "b\\u00EAte"@fr .
<http://v.example/dog> {TYPE} <{CORE}Concept> .
<http://v.example/dog> <{CORE}prefLabel> "chien"@fr .
<http://v.example/dog> <{CORE}broader> <http://v.example/animal> .
"""


def zipped(path: Path, **contents: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.rdf", RDF_XML.replace("ENCODING", "UTF-8").encode()),
        ("v.xml", RDF_XML.replace("ENCODING", "utf-8").encode("utf-8-sig")),
        ("v.rdf", RDF_XML.replace("ENCODING", "ISO-8859-1").encode("iso-8859-1")),
        ("v.rdf", RDF_XML.replace("ENCODING", "UTF-16").encode("utf-16")),
        ("v.rdf", RDF_XML.partition("?>")[2].strip().encode()),
        ("v.ttl", TURTLE.encode()),
        ("v.ttl", TURTLE.encode("utf-8-sig")),
        ("turtle.rdf", TURTLE.encode()),
        ("xml.ttl", RDF_XML.replace("ENCODING", "UTF-8").encode()),
        ("v.nt", N_TRIPLES.encode()),
        ("triples.txt", N_TRIPLES.encode()),
        ("v", TURTLE.encode()),
        ("v.ttl.gz", gzip.compress(TURTLE.encode())),
        ("v.rdf.gz", gzip.compress(RDF_XML.replace("ENCODING", "UTF-8").encode())),
    ],
)
def test_the_same_vocabulary_in_any_syntax(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    reading = read_skos(tmp_path / name)
    assert edges(reading) == {("dog", "animal")}
    assert reading.hierarchy["animal"].label("fr") == "bête"


def test_a_zip_of_one_file(tmp_path: Path) -> None:
    zipped(tmp_path / "v.zip", **{"folder/v.nt": N_TRIPLES, "__MACOSX/x": "junk"})
    assert edges(read_skos(tmp_path / "v.zip")) == {("dog", "animal")}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b" \n\xc2\xa0\n ".replace(b"\xc2\xa0", b" "), "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        (b"%PDF-1.7 ...", "binary"),
        (b"<!DOCTYPE html><html><body>SKOS</body></html>", "web page"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', "web page"),
        (b"id,label\n1,dog\n", "is not valid Turtle"),
        (b"Dogs are animals.", "is not valid Turtle"),
        (TURTLE.encode()[:-40], "is not valid Turtle"),
        (RDF_XML.replace("ENCODING", "UTF-8").encode()[:-60], "is not valid RDF/XML"),
        (RDF_XML.replace("ENCODING", "no-such").encode(), "not readable as no-such"),
        (TURTLE.encode("latin-1"), "is not valid Turtle"),
        (b"<http://a.example/1> <http://a.example/p> 1 .", "1 RDF statements but no skos:Concept"),
        (b"# nothing but a comment", "no skos:Concept"),
        (
            (PREFIXES + ':all a skos:ConceptScheme ; skos:prefLabel "all" .').encode(),
            "no skos:Concept",
        ),
        ((PREFIXES + ":a a skos:Concept . :b a skos:Concept .").encode(), "2 concepts and not one"),
        (b"\x1f\x8b\x08junk", "cannot be read"),
        (gzip.compress(TURTLE.encode())[:-20], "cannot be read"),
        (b"PK\x03\x04junk", "cannot be read"),
    ],
)
def test_what_is_no_vocabulary_is_refused_in_one_sentence(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "file.ttl"
    path.write_bytes(content)
    with pytest.raises(VocabularyError) as refusal:
        read_skos(path)
    message = str(refusal.value)
    assert message.startswith(str(path))
    assert reason in message
    assert "\n" not in message
    assert message.endswith(".")


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.ttl", tmp_path):
        with pytest.raises(VocabularyError, match="cannot be read"):
            read_skos(path)


def test_a_zip_of_several_files_is_refused(tmp_path: Path) -> None:
    zipped(tmp_path / "v.zip", **{"a.nt": N_TRIPLES, "b.nt": N_TRIPLES})
    with pytest.raises(VocabularyError, match="holds 2 files; unpack it"):
        read_skos(tmp_path / "v.zip")


def test_a_vocabulary_that_no_code_was_written_for(shared_data: Path) -> None:
    """Counts by an independent count of the statements of the file."""
    path = shared_data / "stw" / "stw-skos.ttl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    reading = read_skos(path)
    assert (reading.n_concepts, reading.deprecated, reading.n_edges) == (6244, 1, 13252)
    assert len(reading.hierarchy.top_concepts) == 7
    assert reading.languages == {"de": 20438, "en": 12830}
    assert reading.schemes == ["http://zbw.eu/stw"]
    assert reading.hierarchy.version == "9.06"
    assert reading.mended == []
