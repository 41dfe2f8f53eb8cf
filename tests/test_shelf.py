"""Imported vocabularies are kept as they were read, taken into use, and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import VocabularyError
from core.vocabulary.importing import Importer
from core.vocabulary.shelf import ABOUT, BUNDLED, CHOICES, CONCEPTS, Choice, Shelf, ShelfEntry
from core.vocabulary.skos import SkosReading
from tests.skos_files import PET, PREFIXES

NOTED = (
    PET + ':dog skos:scopeNote "The tame one."@en ; skos:related :cat ; skos:altLabel "hound"@en .'
    ':cat a skos:Concept ; skos:prefLabel "cat"@en , "chat"@fr ; skos:broader :animal .'
    ':old a skos:Concept ; skos:prefLabel "old"@en ; owl:deprecated true ;'
    " dct:isReplacedBy :dog . :all a skos:ConceptScheme ; owl:versionInfo "
    '"1.0" . :dog skos:inScheme :all .'
)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def kept(shelf: Shelf, reading: SkosReading, sha256: str = "a" * 64) -> ShelfEntry:
    return shelf.add(reading.hierarchy, file_name="pets.ttl", sha256=sha256, report={"levels": [1]})


def test_what_was_kept_is_loaded_whole(
    shelf: Shelf, read_turtle: Callable[[str], SkosReading]
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


def test_another_file_of_the_same_version_stands_beside_it(
    shelf: Shelf, read_turtle: Callable[[str], SkosReading]
) -> None:
    first, again = kept(shelf, read_turtle(NOTED)), kept(shelf, read_turtle(NOTED))
    other = kept(shelf, read_turtle(NOTED.replace("hound", "cur")), "b" * 64)
    assert first.choice == again.choice
    assert other.version == "1.0 (bbbbbbbb)"
    assert shelf.load(other.choice)["dog"].alt_labels == {"en": ("cur",)}
    assert len(shelf.entries()) == 2


def test_the_last_taken_is_in_use_and_can_be_taken_back(
    shelf: Shelf, read_turtle: Callable[[str], SkosReading]
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


def test_what_is_not_there_cannot_be_taken(shelf: Shelf) -> None:
    with pytest.raises(VocabularyError, match="is not there"):
        shelf.take(Choice("eurovoc", "9"))
    with pytest.raises(VocabularyError, match="cannot be read"):
        shelf.load(Choice("eurovoc", "9"))


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "", "ä" * 300, "a\x00b"])
def test_no_name_leads_out_of_the_folder(shelf: Shelf, read_turtle, name: str) -> None:
    hierarchy = read_turtle(NOTED).hierarchy
    hierarchy.version = name
    entry = shelf.add(hierarchy, file_name="x", sha256="a" * 64, report={})
    (place,) = shelf.folder.glob(f"*/*/{CONCEPTS}")
    assert place.resolve().is_relative_to(shelf.folder.resolve())
    assert "dog" in shelf.load(entry.choice)


def test_damage_is_said_and_leaves_the_bundle_in_use(shelf: Shelf, read_turtle) -> None:
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


def test_a_file_is_imported_in_the_background(shelf: Shelf) -> None:
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


@pytest.mark.parametrize("content", [b"", b"%PDF-1.4", b"not rdf", b"PK\x03\x04junk", b"\x00"])
def test_a_bad_file_gets_a_sentence_and_changes_nothing(shelf: Shelf, content: bytes) -> None:
    importer = Importer(shelf)
    importer.start("pets.ttl", content)
    importer.wait(30)
    assert importer.state.stage == "failed"
    assert importer.state.problem.startswith("pets.ttl ")
    assert (shelf.entries(), shelf.in_use()) == ([], BUNDLED)
