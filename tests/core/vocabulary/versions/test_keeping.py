"""What another process kept counts, even where that process did not come to its end."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from core.clinical.codes.icd10cm import release
from core.errors import VocabularyError
from core.home import checksum_of, clear_leftovers
from core.vocabulary.search.index_file import fingerprint, fingerprint_at, write_index
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions import keeping
from core.vocabulary.versions.keeping import MOST_SECONDS, index_path, keep, keep_built_in
from core.vocabulary.versions.prepared import copy_index
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.fakes import hierarchy


def stand_in(folder: Path, *commands: str) -> str:
    """A program in place of Python that runs these lines of a shell."""
    path = folder / "python"
    path.write_text("\n".join(("#!/bin/sh", *commands)) + "\n", "utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("end", ["exit 1", "exec sleep 600"], ids=["it failed", "out of time"])
def test_what_was_kept_is_taken_though_its_indexes_were_not_written(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    program = stand_in(tmp_path, f'cp -r "{kept}/." "$STRATA_HOME"', end)
    monkeypatch.setattr(sys, "executable", program)
    monkeypatch.setattr(keeping, "MOST_SECONDS", 4)
    entry = keep_built_in(VocabularyVersions(tmp_path / "home"), "icd10cm")
    assert entry.version == release()


def test_a_process_that_kept_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", stand_in(tmp_path, "echo no room >&2", "exit 3"))
    with pytest.raises(VocabularyError, match="icd10cm could not be kept: no room"):
        keep_built_in(VocabularyVersions(tmp_path / "home"), "icd10cm")


def test_what_was_prepared_with_the_installation_is_copied(
    tmp_path: Path, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fish = hierarchy()
    fish.vocabulary_id, fish.version = "icd10cm", release()
    keep(VocabularyVersions(prepared), fish, file_name="icd10cm", sha256="0", report={})
    monkeypatch.setattr(sys, "executable", "/nowhere/python")  # nothing is read again
    home = VocabularyVersions(tmp_path / "home")
    entry = keep_built_in(home, "icd10cm")
    assert list(home.load(entry.key)) == list(fish)
    indexes = [path.name for path in sorted((prepared / "search").iterdir())]
    assert [path.name for path in sorted((home.home / "search").iterdir())] == indexes != []
    assert not [*home.folder.glob("*/.new-*")]


def test_a_prepared_index_is_copied_where_there_is_none_and_made_anew_where_it_is_of_another(
    tmp_path: Path, prepared: Path
) -> None:
    fish, home = hierarchy(), tmp_path / "home"
    source, target = (index_path(folder, fish) for folder in (prepared, home))
    copy_index(target, prepared)
    assert not target.exists()
    write_index(fish, source)
    copy_index(target, prepared)
    assert fingerprint_at(target) == fingerprint(fish)
    target.write_text("mine")
    copy_index(target, prepared)
    assert target.read_text() == "mine"
    other = fish.truncated(2)
    VocabularyIndex.open(other, source).close()
    assert fingerprint_at(source) == fingerprint(other) != fingerprint(fish)


def test_a_models_own_vocabulary_and_an_imported_one_of_its_name_have_an_index_each(
    tmp_path: Path,
) -> None:
    imported = hierarchy()
    both = (imported, imported.truncated(2))  # of one id and version
    for each in both:
        VocabularyIndex.open(each, index_path(tmp_path, each)).close()
    assert [fingerprint_at(index_path(tmp_path, each)) for each in both] == [
        fingerprint(each) for each in both
    ]


def test_an_index_that_nothing_opens_any_more_goes_when_another_one_is_written(
    tmp_path: Path,
) -> None:
    unused, used, open_elsewhere, new = (hierarchy().truncated(level) for level in (1, 2, 3, 4))
    paths = [index_path(tmp_path, each) for each in (unused, used, open_elsewhere, new)]
    reading = [VocabularyIndex.open(hierarchy().truncated(n), paths[n - 1]) for n in (1, 2, 3)]
    for path in paths[:3]:
        os.utime(path, (0, time.time() - 31 * 86_400))
    VocabularyIndex.open(used, paths[1]).close()
    VocabularyIndex.open(new, paths[3]).close()
    assert [path.exists() for path in paths] == [False, True, False, True]
    assert reading[2].search("fishing quota")  # as in another process that has had it open
    for index in reading:
        index.close()


def test_an_index_is_of_the_file_that_a_vocabulary_is_read_from(tmp_path: Path) -> None:
    versions, fish = VocabularyVersions(tmp_path), hierarchy()
    key = keep(versions, fish, file_name="x", sha256="0", report={}).key
    read = versions.load(key)
    assert read.checksum == checksum_of(versions.place(key) / "concepts.json")
    assert fingerprint(read) == fingerprint(fish) == fingerprint_at(index_path(tmp_path, read))
    assert versions.is_kept(key, read) and not versions.is_kept(key, fish)


def test_of_another_release_nothing_is_copied(
    tmp_path: Path, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fish = hierarchy()
    fish.vocabulary_id, fish.version = "icd10cm", "2020-10-01"
    keep(VocabularyVersions(prepared), fish, file_name="icd10cm", sha256="0", report={})
    monkeypatch.setattr(sys, "executable", stand_in(tmp_path, "echo no room >&2", "exit 3"))
    with pytest.raises(VocabularyError, match="no room"):
        keep_built_in(VocabularyVersions(tmp_path / "home"), "icd10cm")


def test_a_busy_machine_gets_the_time_it_needs() -> None:
    assert MOST_SECONDS >= 1_800


def test_a_starting_server_clears_nothing_of_a_vocabulary_that_is_being_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unfinished = tmp_path / "vocabularies" / "fish" / ".new-other"
    unfinished.mkdir(parents=True)
    cleared: list[list[Path]] = []

    def look(*_: object) -> None:
        cleared.append(clear_leftovers(tmp_path))

    monkeypatch.setattr(keeping, "write_index", look)
    versions = VocabularyVersions(tmp_path)
    keep(versions, hierarchy(), file_name="fish.ttl", sha256="1", report={})
    assert cleared == [[]]
    assert clear_leftovers(tmp_path) == [unfinished]
