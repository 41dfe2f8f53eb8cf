"""Imported vocabularies are kept as they were read, taken into use, and taken back."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import VocabularyError
from core.vocabulary.skos.reader import SkosReading
from core.vocabulary.versions.importing import Importer, ImportState
from core.vocabulary.versions.keeping import index_path
from core.vocabulary.versions.vocabulary_versions import (
    ABOUT,
    CONCEPTS,
    UNFINISHED,
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


def kept(
    versions: VocabularyVersions, reading: SkosReading, sha256: str = "a" * 64
) -> VocabularyVersion:
    return versions.add(
        reading.hierarchy, file_name="pets.ttl", sha256=sha256, report={"levels": [1]}
    )


def test_what_was_kept_is_loaded_whole(
    versions: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    reading = read_turtle(NOTED)
    entry = kept(versions, reading)
    loaded = versions.load(entry.key)
    original = reading.hierarchy
    assert list(loaded) == list(original)
    assert [loaded[i] for i in loaded] == [original[i] for i in original]
    assert loaded["dog"].notes == {"scopeNote": {"en": ("The tame one.",)}}
    assert loaded.deprecated["old"].replaced_by == ("dog",)
    assert (loaded.vocabulary_id, loaded.version) == ("all", "1.0")
    assert versions.entries() == [entry]
    assert entry.report == {"levels": [1]}


def test_another_file_of_the_same_version_stands_beside_it(
    versions: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    first, again = kept(versions, read_turtle(NOTED)), kept(versions, read_turtle(NOTED))
    other = kept(versions, read_turtle(NOTED.replace("hound", "cur")), "b" * 64)
    assert first.key == again.key
    assert other.version == "1.0 (bbbbbbbb)"
    assert versions.load(other.key)["dog"].alt_labels == {"en": ("cur",)}
    assert len(versions.entries()) == 2


def test_what_was_not_imported_cannot_be_loaded(versions: VocabularyVersions) -> None:
    assert versions.entry(VersionKey("eurovoc", "9")) is None
    with pytest.raises(VocabularyError, match="cannot be read"):
        versions.load(VersionKey("eurovoc", "9"))


def ended_at(step: int, write: Callable[[], object]) -> bool:
    """Write in a process that is ended before its n-th change of a file; whether it came to it."""
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        seen = iter(range(step, -1, -1))

        def end(event: str, arguments: tuple[object, ...]) -> None:
            changes = event in {"os.rename", "os.remove", "os.rmdir", "os.mkdir"}
            if (changes or (event == "open" and "w" in str(arguments[1]))) and not next(seen):
                os._exit(9)

        sys.addaudithook(end)
        write()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_a_version_that_is_imported_again_is_there_wherever_it_ends(
    versions: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    reading = read_turtle(NOTED)
    key = kept(versions, reading).key
    n_ended = 0
    while ended_at(n_ended, lambda: kept(versions, reading)):
        n_ended += 1
        assert [entry.key for entry in versions.entries()] == [key]
        assert "dog" in VocabularyVersions(versions.home).load(key)
    assert n_ended > 4
    for left in versions.folder.glob(f"*/{UNFINISHED}*"):
        os.utime(left, (0, 0))
    kept(versions, reading)
    assert len(list(versions.folder.glob("*/*"))) == 1


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "", "ä" * 300, "a\x00b"])
def test_no_name_leads_out_of_the_folder(
    versions: VocabularyVersions, read_turtle, name: str
) -> None:
    hierarchy = read_turtle(NOTED).hierarchy
    hierarchy.version = name
    entry = versions.add(hierarchy, file_name="x", sha256="a" * 64, report={})
    (place,) = versions.folder.glob(f"*/*/{CONCEPTS}")
    assert place.resolve().is_relative_to(versions.folder.resolve())
    assert "dog" in versions.load(entry.key)


def test_damage_is_said_and_leaves_a_version_out(versions: VocabularyVersions, read_turtle) -> None:
    choice = kept(versions, read_turtle(NOTED)).key
    (path,) = versions.folder.glob(f"*/*/{CONCEPTS}")
    path.write_text(path.read_text("utf-8")[:-30], "utf-8")
    with pytest.raises(VocabularyError, match="import the file again"):
        versions.load(choice)
    (path.parent / ABOUT).write_text("{")
    assert versions.entries() == []


def test_a_file_is_imported_in_the_background(versions: VocabularyVersions) -> None:
    importer = Importer(versions)
    assert importer.start_files({"../pets.ttl": (PREFIXES + NOTED).encode()})
    importer.wait(120)
    state = importer.state
    assert (state.stage, state.problem) == ("done", "")
    assert state.entry == versions.entries()[0]
    assert state.entry.report["concepts"] == 4
    assert state.entry.file_name == "pets.ttl"
    importer.forget()
    assert importer.state.stage == ""


def test_several_files_of_icd9_are_imported_as_one(
    versions: VocabularyVersions, tmp_path: Path
) -> None:
    paths = [write_tree(tmp_path), write_release(tmp_path), write_table(tmp_path)]
    importer = Importer(versions)
    assert importer.start_files({path.name: path.read_bytes() for path in paths})
    importer.wait(120)
    entry = importer.state.entry
    assert entry is not None
    assert (entry.vocabulary_id, entry.version) == ("icd9cm", "v32")
    assert entry.file_name == "tree.tsv, release.zip, table.csv"
    assert (entry.report["untitled"], entry.report["paper"][0]["here"]) == (3, 4)
    assert not versions.load(entry.key)["786.3"].assignable
    assert index_path(versions.home, versions.load(entry.key)).exists()


def test_files_that_do_not_belong_together_are_refused(
    versions: VocabularyVersions, tmp_path: Path
) -> None:
    importer = Importer(versions)
    paths = [write_tree(tmp_path), write_list(tmp_path)]
    importer.start_files({path.name: path.read_bytes() for path in paths})
    importer.wait(120)
    assert importer.state.problem.startswith("rounds.csv: only the files of ICD-9-CM are read")
    assert versions.entries() == []


def test_a_table_of_codes_is_imported(versions: VocabularyVersions, tmp_path: Path) -> None:
    importer = Importer(versions)
    importer.start_files({"rounds.csv": write_list(tmp_path).read_bytes()})
    importer.wait(120)
    assert [entry.vocabulary_id for entry in versions.entries()] == ["rounds"]


def test_one_vocabulary_is_read_at_a_time(versions: VocabularyVersions) -> None:
    importer, may_end = Importer(versions), threading.Event()

    def bring() -> VocabularyVersion:
        may_end.wait(30)
        raise VocabularyError("never mind")

    assert importer._start("slow", bring)
    assert not importer.start_built_in("icd10cm", "ICD-10-CM")
    may_end.set()
    importer.wait(120)
    assert importer.state.problem == "never mind"


HOSTILE = {
    "an encoding with NUL": b'<?xml version="1.0" encoding="a\0b"?><rdf:RDF/>',
    "a list that overflows the parser's stack": b"<http://a.example> <http://b.example> "
    + b"(" * 300_000,
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_ends_the_import_and_nothing_else(
    versions: VocabularyVersions, content: bytes
) -> None:
    importer = Importer(versions)
    importer.start_files({"pets.rdf": content})
    importer.wait(120)
    assert importer.state.stage == "failed"
    assert importer.state.problem.startswith("pets.rdf ")
    assert importer.start_files({"pets.ttl": (PREFIXES + NOTED).encode()})
    importer.wait(120)
    assert importer.state.stage == "done"


def test_an_error_that_nobody_expected_ends_the_import(versions: VocabularyVersions) -> None:
    importer = Importer(versions)
    importer.state = ImportState("reading", "pets.ttl")

    def bring() -> VocabularyVersion:
        raise LookupError

    with pytest.raises(LookupError):
        importer._run("pets.ttl", bring)
    assert importer.state.problem.startswith("pets.ttl cannot be imported")


@pytest.mark.parametrize("content", [b"", b"%PDF-1.4", b"not rdf", b"PK\x03\x04junk", b"\x00"])
def test_a_bad_file_gets_a_sentence_and_changes_nothing(
    versions: VocabularyVersions, content: bytes
) -> None:
    importer = Importer(versions)
    importer.start_files({"pets.ttl": content})
    importer.wait(120)
    assert importer.state.stage == "failed"
    assert importer.state.problem.startswith("pets.ttl ")
    assert versions.entries() == []
