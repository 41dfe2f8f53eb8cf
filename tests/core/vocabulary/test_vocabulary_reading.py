"""A file is read as what it is: numbers alone are no ICD-9-CM, and what is nothing is told so."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.clinical.codes.icd9cm import read_icd9cm
from core.errors import VocabularyError
from core.vocabulary import readers
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.readers import READERS, read_vocabulary
from core.vocabulary.reading import VocabularyFiles, VocabularyReader, VocabularyReading
from core.vocabulary.repairs import Repair
from core.vocabulary.report import report
from tests.support.files.code_files import write_list, write_release, write_table
from tests.support.files.office_files import zip_file
from tests.support.places import TINY_SKOS

HOSPITAL = "code,description\n100,Bed wash; daily\n101,Injection; insulin\n"


def test_a_hospitals_list_of_numbers_is_its_own(tmp_path: Path) -> None:
    tree = read_vocabulary([write_list(tmp_path, "hospital.csv", HOSPITAL)]).hierarchy
    assert (tree.vocabulary_id, tree["100"].label()) == ("hospital", "Bed wash; daily")
    assert tree["100"].uri == "urn:codes:hospital:100"


@pytest.mark.parametrize("more", ["", "250.00,Wash room\n"])
def test_what_a_person_calls_it_decides(tmp_path: Path, more: str) -> None:
    path = write_list(tmp_path, "list.csv", HOSPITAL + more)
    assert read_vocabulary([path], vocabulary_id="ward").hierarchy.vocabulary_id == "ward"
    assert read_vocabulary([path], vocabulary_id="icd9cm").hierarchy.version == "titled"


@pytest.mark.parametrize(
    ("name", "more"),
    [("a.csv", "V30,Born\n"), ("a.csv", "250.0,Sugar\n"), ("ICD-9 list.csv", "")],
)
def test_a_point_a_letter_or_its_name_tell_icd9cm(tmp_path: Path, name: str, more: str) -> None:
    lines = "".join(f"{number},x\n" for number in range(100, 400))  # more than are looked at first
    path = write_list(tmp_path, name, f"code,description\n{lines}{more}")
    assert read_vocabulary([path]).hierarchy.vocabulary_id == "icd9cm"


def test_beside_a_release_numbers_are_icd9cm(tmp_path: Path) -> None:
    numbers = write_list(tmp_path, "old.tsv", "250\tSugar\n786\tBreath\n")
    tree = read_vocabulary([numbers, write_release(tmp_path), write_table(tmp_path)]).hierarchy
    assert tree["250"].label() == "Sugar"


def test_a_tree_without_points_is_read(tmp_path: Path) -> None:
    lines = ("001-999.99", "250", "2500", "25000", "4019", "E8859", "V3000", "99", "9915", "e8260")
    path = write_list(tmp_path, "t.tsv", "".join(f"{code}\tTitle of it\n" for code in lines))
    reading = read_icd9cm([path])
    codes = {"250.0", "250.00", "401.9", "E885.9", "V30.00", "99.15", "E826.0"}
    assert codes <= set(reading.hierarchy)
    assert read_vocabulary([path]).hierarchy.vocabulary_id == "icd9cm"
    assert [one.problem for one in reading.repaired] == [
        "4019 has no point, and may be 401.9 or 40.19"
    ]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", r"a\.csv is empty: a table of codes needs .* the columns code and label"),
        ("a.csv", b"A1,Short round\n", "names no such columns: a table of codes needs"),
        ("a.tsv.gz", gzip.compress(b"Ward\tBed\n"), "names no such columns"),
        ("a.csv.gz", b"code,label\nA,a\n", "is damaged, or was not packed .* pack it again"),
        ("a.csv.gz", gzip.compress(b"code,label\nA,a\n" * 99)[:20], "is damaged"),
        ("a.zip", b"PK\3\4 cut short", "is damaged, or no ZIP file"),
        ("a.zip", zip_file({"x.csv": b"Ward;Bed\n"}), "A table of codes needs .*unpack it"),
        ("a.txt", b"Ward rounds\n", "not valid .*A table of codes needs"),
    ],
)
def test_a_table_that_cannot_be_read_is_told_what_it_needs(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(VocabularyError, match=sentence):
        read_vocabulary([path])


@pytest.mark.parametrize("name", ["tiny.txt", "tiny.zip", "tiny.ttl.gz"])
def test_skos_is_read_whatever_its_suffix(tmp_path: Path, name: str) -> None:
    content = TINY_SKOS.read_bytes()
    if name.endswith(".zip"):
        content = zip_file({"tiny.ttl": content})
    elif name.endswith(".gz"):
        content = gzip.compress(content)
    (tmp_path / name).write_bytes(content)
    assert len(read_vocabulary([tmp_path / name]).hierarchy) == 17


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"gone\.csv cannot be read \(No such file"):
        read_vocabulary([tmp_path / "gone.csv"])


def test_another_reader_is_a_module_and_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass
    class Words:
        """One concept a line."""

        hierarchy: Hierarchy
        mended: Sequence[Repair] = ()
        schemes: Sequence[str] = ()
        languages: Mapping[str, int] = field(default_factory=dict)
        n_edges: int = 0
        deprecated: int = 0
        figures: Mapping[str, int] = field(default_factory=dict)

        @property
        def n_concepts(self) -> int:
            return len(self.hierarchy)

    def read(files: VocabularyFiles) -> VocabularyReading:
        lines = files.paths[0].read_text("utf-8").split()
        concepts = [Concept(line, f"urn:{line}", None, {"en": line}) for line in lines]
        return Words(Hierarchy(concepts, vocabulary_id="words", version="1"))

    def can_read(files: VocabularyFiles) -> bool:
        return files.single is not None and files.single.suffix == ".words"

    monkeypatch.setattr(
        readers, "READERS", [VocabularyReader("words", ("words",), can_read, read), *READERS]
    )
    path = tmp_path / "fish.words"
    path.write_text("herring\nsole\n", "utf-8")
    assert report(read_vocabulary([path]), seconds=0)["concepts"] == 2
    assert read_vocabulary([TINY_SKOS]).hierarchy.vocabulary_id != "words"
