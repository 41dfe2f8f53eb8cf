"""Files that are built to break programs are refused in a sentence, before they take memory."""

from __future__ import annotations

import gzip
import tracemalloc
import zipfile
from pathlib import Path
from typing import IO

import pytest

from core.errors import VocabularyError
from core.vocabulary.packing import unpacked_bytes
from core.vocabulary.skos.reader import concept_ids, read_skos

BODY = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:skos="http://www.w3.org/2004/02/skos/core#">
  <skos:Concept rdf:about="http://v.example/a"><skos:prefLabel>LABEL</skos:prefLabel></skos:Concept>
</rdf:RDF>
"""
LAUGHS = '<!ENTITY e0 "lololololol">' + "".join(
    f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9)
)
REPEATED = ('<!ENTITY e8 "' + "x" * 20_000 + '">', "&e8;" * 100)


def rdf_xml(declared: str, label: str = "&e8;", *, start: str = "") -> str:
    return f"{start}<!DOCTYPE rdf:RDF [{declared}]>\n{BODY.replace('LABEL', label)}"


def refusal(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(VocabularyError) as refused:
        read_skos(path)
    message = str(refused.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert message.endswith(".")
    return message


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (rdf_xml(LAUGHS), "of other entities"),
        (
            rdf_xml(LAUGHS, start='<?xml version="1.0" encoding="UTF-16"?>').encode("utf-16"),
            "other",
        ),
        (rdf_xml(f"<!-- {LAUGHS} -->"), "unrecognized entity"),
        (BODY.replace("LABEL", f"<!DOCTYPE r [{LAUGHS}]>&e8;"), "document type among its elements"),
        (rdf_xml('<!ENTITY e8 "&#38;other;">'), "of other entities"),
        (rdf_xml('<!ENTITY e8 "<b>dog</b>">'), "of other entities or of elements"),
        (rdf_xml('<!ENTITY e8 SYSTEM "file:///etc/passwd">'), "from elsewhere"),
        (rdf_xml('<!ENTITY % e8 SYSTEM "http://v.example/more"> %e8;'), "from elsewhere"),
        (rdf_xml('<!ENTITY % e8 "dog">'), "from elsewhere"),
        (rdf_xml(*REPEATED), "expand to more than 1 MB"),
        (rdf_xml(f"<!-- {'x' * 2_000_000} -->"), "before its first element"),
        (rdf_xml('<!ENTITY e8 "dog">', "&e8;")[:60], "not valid RDF/XML"),
    ],
)
def test_entities_that_grow_or_come_from_elsewhere_are_refused(
    tmp_path: Path, content: str | bytes, reason: str
) -> None:
    tracemalloc.start()
    try:
        assert reason in refusal(tmp_path / "v.rdf", content)
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_flat_entities_are_read_in_labels_and_namespaces(tmp_path: Path) -> None:
    declared = (
        '<!ENTITY skos "http://www.w3.org/2004/02/skos/core#">'
        """<!ENTITY e8 'dog > "cat" &amp; &#233;l&#xE9;phant'><!ENTITY e8 "another">"""
    )
    content = rdf_xml(declared).replace(
        'skos="http://www.w3.org/2004/02/skos/core#"', 'skos="&skos;"'
    )
    (tmp_path / "v.rdf").write_text(content, "utf-8")
    assert read_skos(tmp_path / "v.rdf").hierarchy["a"].label() == 'dog > "cat" & éléphant'


def test_many_short_entities_of_a_large_file_are_read(tmp_path: Path) -> None:
    name = "http://vocabulary.example/of/somebody/"
    concepts = "".join(
        f'<skos:Concept rdf:about="&v;c{n}"><skos:prefLabel xml:lang="en">concept {n}'
        f'</skos:prefLabel><skos:inScheme rdf:resource="&v;all"/>'
        f'<skos:related rdf:resource="&v;c0"/></skos:Concept>\n'
        for n in range(10_000)
    )
    content = rdf_xml(f'<!ENTITY v "{name}">').replace("</rdf:RDF>", f"{concepts}</rdf:RDF>")
    (tmp_path / "v.rdf").write_text(content.replace("&e8;", "dog"), "utf-8")
    assert content.count("&v;") * len(name) > 1_000_000
    assert read_skos(tmp_path / "v.rdf").hierarchy["c7"].uri == f"{name}c7"


@pytest.mark.parametrize(
    "name", ["utf-8\0x", "a\0", "idna", "punycode", "zip", "zlib_codec", "rot13", "x" * 400, "é"]
)
def test_an_encoding_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    content = f'<?xml version="1.0" encoding="{name}"?>{BODY}'
    assert "is not readable as" in refusal(tmp_path / "v.rdf", content)


@pytest.mark.parametrize("suffix", [".gz", ".zip"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_unpacks_to_a_thousand_times_its_size_is_refused(
    tmp_path: Path, suffix: str, encoding: str
) -> None:
    path = tmp_path / f"v.ttl{suffix}"
    with gzip.open(path, "wb") if suffix == ".gz" else zipped(path) as file:
        file.write("# nothing".encode(encoding))
        for _ in range(40):
            file.write((" " * 999_999 + "\n").encode(encoding).removeprefix(b"\xff\xfe"))
    tracemalloc.start()
    try:
        assert "which no vocabulary of its size does" in refusal(path, path.read_bytes())
        with pytest.raises(VocabularyError, match="unpacks to more"):
            unpacked_bytes(path)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def zipped(path: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
    member = archive.open("v.ttl", "w")
    close = member.close

    def close_both() -> None:
        close()
        archive.close()

    member.close = close_both
    return member


def test_a_uri_of_any_length_has_an_id_at_once() -> None:
    slashes = "http://v.example/" + "/#" * 200_000
    assert concept_ids([slashes + "a", slashes]) == {slashes + "a": "a", slashes: "v.example"}
    assert concept_ids(["/" * 400_000 + "b"]) == {"/" * 400_000 + "b": "b"}
