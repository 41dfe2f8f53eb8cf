"""Imported vocabularies are kept as they were read, taken into use, and taken back."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import VocabularyError
from core.vocabulary.records import as_record
from core.vocabulary.skos.reader import SkosReading
from core.vocabulary.versions.importing import Importer
from core.vocabulary.versions.keeping import index_path
from core.vocabulary.versions.vocabulary_versions import (
    ABOUT,
    BUNDLED,
    CHOICES,
    CONCEPTS,
    LINES,
    LINES_FORMAT,
    VersionKey,
    VocabularyVersion,
    VocabularyVersions,
)
from tests.support.files.code_files import write_list, write_release, write_table, write_tree
from tests.support.files.skos_files import PET, PREFIXES

NOTED = (
    PET + ':dog skos:scopeNote "The tame one."@en ; skos:related :cat ; skos:altLabel "hound"@en .'
    ':cat a skos:Concept ; skos:prefLabel "cat"@en , "chat"@fr ; skos:broader :animal .'
    ':old a skos:Concept ; skos:prefLabel "old"@en ; owl:deprecated true ;'
    " dct:isReplacedBy :dog . :all a skos:ConceptScheme ; owl:versionInfo "
    '"1.0" . :dog skos:inScheme :all .'
)


@pytest.fixture
def shelf(tmp_path: Path) -> VocabularyVersions:
    return VocabularyVersions(tmp_path)


def kept(
    shelf: VocabularyVersions, reading: SkosReading, sha256: str = "a" * 64
) -> VocabularyVersion:
    return shelf.add(reading.hierarchy, file_name="pets.ttl", sha256=sha256, report={"levels": [1]})


def test_what_was_kept_is_loaded_whole(
    shelf: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    reading = read_turtle(NOTED)
    entry = kept(shelf, reading)
    loaded = shelf.load(entry.choice)
    original = reading.hierarchy
    assert list(loaded) == list(original)
    assert [loaded[i] for i in loaded] == [original[i] for i in original]
    assert loaded["dog"].notes == {"scopeNote": {"en": ("The tame one.",)}}
    assert loaded.deprecated["old"].replaced_by == ("dog",)
    assert (loaded.vocabulary_id, loaded.version) == ("all", "1.0")
    assert shelf.entries() == [entry]
    assert entry.report == {"levels": [1]}


def test_what_an_older_strata_kept_is_still_loaded(
    shelf: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    entry = kept(shelf, read_turtle(NOTED))
    (path,) = shelf.folder.glob(f"*/*/{CONCEPTS}")
    now = shelf.load(entry.choice)
    path.unlink()
    records = [as_record(now[i]) for i in now] + [as_record(now.deprecated["old"])]
    lines = [{"format": LINES_FORMAT, "uri_base": now.uri_base}, *records]
    (path.parent / LINES).write_text("\n".join(map(json.dumps, lines)), "utf-8")
    before = shelf.load(entry.choice)
    assert [before[i] for i in before] == [now[i] for i in now]
    assert before["dog"].notes == now["dog"].notes
    assert before.deprecated == now.deprecated


def test_another_file_of_the_same_version_stands_beside_it(
    shelf: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    first, again = kept(shelf, read_turtle(NOTED)), kept(shelf, read_turtle(NOTED))
    other = kept(shelf, read_turtle(NOTED.replace("hound", "cur")), "b" * 64)
    assert first.choice == again.choice
    assert other.version == "1.0 (bbbbbbbb)"
    assert shelf.load(other.choice)["dog"].alt_labels == {"en": ("cur",)}
    assert len(shelf.entries()) == 2


def test_the_last_taken_is_in_use_and_can_be_taken_back(
    shelf: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    assert (shelf.in_use(), shelf.before()) == (BUNDLED, None)
    one = kept(shelf, read_turtle(NOTED)).choice
    two = kept(shelf, read_turtle(NOTED.replace('"1.0"', '"2.0"'))).choice
    for choice in (one, two, two):
        shelf.take(choice)
    assert (shelf.in_use(), shelf.before()) == (two, one)
    shelf.take_back()
    assert (shelf.in_use(), shelf.before()) == (one, BUNDLED)
    shelf.take_back()
    assert (shelf.in_use(), shelf.before()) == (BUNDLED, None)


def test_what_is_not_there_cannot_be_taken(shelf: VocabularyVersions) -> None:
    with pytest.raises(VocabularyError, match="is not there"):
        shelf.take(VersionKey("eurovoc", "9"))
    with pytest.raises(VocabularyError, match="cannot be read"):
        shelf.load(VersionKey("eurovoc", "9"))


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "", "ä" * 300, "a\x00b"])
def test_no_name_leads_out_of_the_folder(shelf: VocabularyVersions, read_turtle, name: str) -> None:
    hierarchy = read_turtle(NOTED).hierarchy
    hierarchy.version = name
    entry = shelf.add(hierarchy, file_name="x", sha256="a" * 64, report={})
    (place,) = shelf.folder.glob(f"*/*/{CONCEPTS}")
    assert place.resolve().is_relative_to(shelf.folder.resolve())
    assert "dog" in shelf.load(entry.choice)


def test_damage_is_said_and_leaves_the_bundle_in_use(
    shelf: VocabularyVersions, read_turtle
) -> None:
    choice = kept(shelf, read_turtle(NOTED)).choice
    shelf.take(choice)
    (path,) = shelf.folder.glob(f"*/*/{CONCEPTS}")
    path.write_text(path.read_text("utf-8")[:-30], "utf-8")
    with pytest.raises(VocabularyError, match="import the file again"):
        shelf.load(choice)
    (path.parent / ABOUT).write_text("{")
    assert (shelf.entries(), shelf.in_use()) == ([], BUNDLED)
    (shelf.folder / CHOICES).write_text(json.dumps({"x": 1}))
    assert shelf.in_use() == BUNDLED


def test_a_file_is_imported_in_the_background(shelf: VocabularyVersions) -> None:
    importer = Importer(shelf)
    assert importer.start("../pets.ttl", (PREFIXES + NOTED).encode())
    importer.wait(30)
    state = importer.state
    assert (state.stage, state.problem) == ("done", "")
    assert state.entry == shelf.entries()[0]
    assert state.entry.report["concepts"] == 4
    assert state.entry.file_name == "pets.ttl"
    importer.forget()
    assert importer.state.stage == ""


def test_several_files_of_icd9_are_imported_as_one(
    shelf: VocabularyVersions, tmp_path: Path
) -> None:
    paths = [write_tree(tmp_path), write_release(tmp_path), write_table(tmp_path)]
    importer = Importer(shelf)
    assert importer.start_files({path.name: path.read_bytes() for path in paths})
    importer.wait(30)
    entry = importer.state.entry
    assert entry is not None
    assert (entry.vocabulary_id, entry.version) == ("icd9cm", "v32")
    assert entry.file_name == "tree.tsv, release.zip, table.csv"
    assert (entry.report["untitled"], entry.report["paper"][0]["here"]) == (3, 4)
    assert not shelf.load(entry.choice)["786.3"].assignable
    assert index_path(shelf.home, shelf.load(entry.choice)).exists()


def test_files_that_do_not_belong_together_are_refused(
    shelf: VocabularyVersions, tmp_path: Path
) -> None:
    importer = Importer(shelf)
    paths = [write_tree(tmp_path), write_list(tmp_path)]
    importer.start_files({path.name: path.read_bytes() for path in paths})
    importer.wait(30)
    assert importer.state.problem.startswith("rounds.csv: only the files of ICD-9-CM are read")
    assert shelf.entries() == []


def test_a_table_of_codes_is_imported(shelf: VocabularyVersions, tmp_path: Path) -> None:
    importer = Importer(shelf)
    importer.start("rounds.csv", write_list(tmp_path).read_bytes())
    importer.wait(30)
    assert [entry.vocabulary_id for entry in shelf.entries()] == ["rounds"]


def test_one_vocabulary_is_read_at_a_time(shelf: VocabularyVersions) -> None:
    importer, may_end = Importer(shelf), threading.Event()

    def bring() -> VocabularyVersion:
        may_end.wait(30)
        raise VocabularyError("never mind")

    assert importer._start("slow", bring)
    assert not importer.start_built_in("icd10cm", "ICD-10-CM")
    may_end.set()
    importer.wait(30)
    assert importer.state.problem == "never mind"


@pytest.mark.parametrize("content", [b"", b"%PDF-1.4", b"not rdf", b"PK\x03\x04junk", b"\x00"])
def test_a_bad_file_gets_a_sentence_and_changes_nothing(
    shelf: VocabularyVersions, content: bytes
) -> None:
    importer = Importer(shelf)
    importer.start("pets.ttl", content)
    importer.wait(30)
    assert importer.state.stage == "failed"
    assert importer.state.problem.startswith("pets.ttl ")
    assert (shelf.entries(), shelf.in_use()) == ([], BUNDLED)
