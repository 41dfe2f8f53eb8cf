"""SKOS files of every syntax, packing and encoding are read, or refused in one sentence."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from core.errors import VocabularyError
from core.vocabulary.skos.reader import read_skos
from tests.support.files.skos_files import PET, PREFIXES, edges

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


def test_a_context_on_the_web_is_not_fetched_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    path.write_text('{"@context": "https://v.example/context.json", "id": "http://v.example/1"}')
    with pytest.raises(VocabularyError, match="context on the web, and nothing is fetched"):
        read_skos(path)


def test_tags_of_java_are_those_of_a_variety(tmp_path: Path) -> None:
    path = tmp_path / "v.rdf"
    path.write_bytes(RDF_XML.replace("ENCODING", "UTF-8").replace('"fr"', '"fr_BE"').encode())
    assert read_skos(path).languages == {"fr-be": 2}


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
