"""Vocabularies are told apart by the URI of their scheme, not by its last word alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.vocabulary.bounded import read_bounded
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.skos.reader import SkosReading
from core.vocabulary.versions.keeping import index_path, keep
from core.vocabulary.versions.vocabulary_versions import CONCEPTS, VersionKey, VocabularyVersions
from tests.support.files.skos_files import scheme

WATER, BIRDS = "http://ex.org/water/scheme", "http://other.org/birds/scheme"


def test_another_scheme_of_the_same_last_word_is_a_vocabulary_of_its_own(
    add: Callable[..., VersionKey],
) -> None:
    assert add(WATER) == VersionKey("scheme", "1.0")
    assert add(BIRDS, "3.0") == VersionKey("birds-scheme", "3.0")
    assert add(BIRDS, "4.0") == VersionKey("birds-scheme", "4.0")
    assert add(WATER, "2.0") == VersionKey("scheme", "2.0")
    assert add("http://third.org/birds/v2/scheme").vocabulary_id == "birds-scheme-2"
    assert add("http://fourth.org/scheme").vocabulary_id == "fourth-org-scheme"
    assert add("urn:x#scheme").vocabulary_id == "scheme-2"


@pytest.mark.parametrize("uri", ["https://ex.org/water/scheme", "http://ex.org/water/scheme/"])
def test_one_uri_in_other_ways_of_writing_is_one_vocabulary(
    add: Callable[..., VersionKey], uri: str
) -> None:
    add(WATER)
    assert add(uri, "2.0") == VersionKey("scheme", "2.0")


def test_a_date_in_the_uri_of_a_scheme_makes_no_other_vocabulary(
    add: Callable[..., VersionKey],
) -> None:
    concepts = "http://ex.org/water"
    add("http://ex.org/water/2023-01/scheme", "1", concepts)
    assert add("http://ex.org/water/2024-10/scheme", "2", concepts).vocabulary_id == "scheme"
    assert add("http://ex.org/7/2024-10/scheme", "2", "http://ex.org/7").vocabulary_id != "scheme"


def test_a_version_that_states_no_scheme_goes_on_as_before(
    versions: VocabularyVersions, add: Callable[..., VersionKey]
) -> None:
    place = versions.place(add(WATER)) / CONCEPTS
    known = json.loads(place.read_text("utf-8"))
    del known["scheme_uri"]
    place.write_text(json.dumps(known), "utf-8")
    assert add(BIRDS, "2.0") == VersionKey("scheme", "2.0")
    place.write_text("[1]", "utf-8")
    assert add(WATER, "3.0") == VersionKey("scheme", "3.0")


def test_what_is_kept_is_found_and_indexed_under_its_own_id(
    tmp_path: Path, read_turtle: Callable[[str], SkosReading]
) -> None:
    versions = VocabularyVersions(tmp_path / "home")
    read: list[Hierarchy] = [read_turtle(scheme(uri)).hierarchy for uri in (WATER, BIRDS)]
    for number, hierarchy in enumerate(read):
        keep(versions, hierarchy, file_name="x.ttl", sha256=str(number), report={})
    assert [hierarchy.vocabulary_id for hierarchy in read] == ["scheme", "birds-scheme"]
    assert all(index_path(versions.home, hierarchy).exists() for hierarchy in read)
    assert versions.load(VersionKey("birds-scheme", "1.0")).scheme_uri == BIRDS


def test_a_report_says_what_it_is_kept_as(tmp_path: Path) -> None:
    reports = []
    for name, uri in (("water.ttl", WATER), ("birds.ttl", BIRDS)):
        path = tmp_path / name
        path.write_text(scheme(uri), "utf-8")
        reports.append(read_bounded([path], home=tmp_path / "home").report)
    assert [report.get("kept_as") for report in reports] == [None, "birds-scheme"]


def test_vocabularies_go_by_the_titles_of_their_newest_versions(
    versions: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    assert versions.titles() == {}
    for number, (uri, title) in enumerate([(WATER, "Water"), (BIRDS, "Life"), (WATER, "Life")]):
        named = f'<{uri}> skos:prefLabel "{title}" .'
        hierarchy = read_turtle(scheme(uri, str(number)) + named).hierarchy
        key = versions.add(hierarchy, file_name="x", sha256=str(number), report={}).key
        assert versions.load(key).title == title
    assert versions.titles() == {"scheme": "Life", "birds-scheme": "Life (birds-scheme)"}


def test_concepts_keep_their_ids_whatever_other_uris_a_version_has(
    versions: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    def kept(*uris: str, version: str, ends: str = "") -> dict[str, str]:
        turtle = f'<{WATER}> a skos:ConceptScheme ; owl:versionInfo "{version}" .\n' + "".join(
            f'<{uri}{ends}> a skos:Concept ; skos:inScheme <{WATER}> ; skos:prefLabel "{uri}"@en'
            f"{f' ; skos:broader <{uris[0]}{ends}>' if uri != uris[0] else ''} .\n"
            for uri in uris
        )
        hierarchy = read_turtle(turtle).hierarchy
        entry = keep(versions, hierarchy, file_name="x.ttl", sha256=version * 64, report={})
        assert entry.key == VersionKey("scheme", version)
        stored = versions.load(entry.key)
        top = stored.top_concepts[0]
        assert all(stored[i].broader == (top,) for i in stored if i != top)
        return {stored[i].uri.removesuffix(ends): i for i in stored}

    top, subject, place = "http://e.org/top", "http://e.org/subject/12", "http://e.org/place/12"
    alone, both = {top: "top", subject: "12"}, {top: "top", subject: "12", place: place}
    assert kept(top, subject, version="1") == alone
    assert kept(top, place, subject, version="2") == both
    assert kept(top, place, version="3") == {top: "top", place: place}
    assert kept(top, subject, version="4") == alone
    assert kept(top, subject, place, version="5", ends="/") == both
    moved = "http://new.org/subject/12"
    assert kept(top, moved, version="6") == {top: "top", moved: "12"}
    assert kept(top, subject, version="7") == alone
    twice = kept(top, subject, f"{place}/", place, version="9")  # the same URI, but for its end
    assert (twice[top], twice[subject]) == ("top", "12")
    (versions.place(VersionKey("scheme", "7")) / CONCEPTS).write_text("[1]", "utf-8")
    (versions.place(VersionKey("scheme", "9")) / CONCEPTS).write_text("[1]", "utf-8")
    assert kept(top, moved, subject, version="8") == {top: "top", moved: "12", subject: subject}


def test_an_id_with_which_nothing_can_be_decided_is_not_kept(
    versions: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> None:
    hierarchy = read_turtle(scheme(WATER, "1")).hierarchy
    long = Concept("x" * 300, "http://ex.org/water/c1", None, {"en": "one"})
    former = Hierarchy([long], vocabulary_id=hierarchy.vocabulary_id, version="0")
    versions.add(former, file_name="x", sha256="0", report={})
    key = keep(versions, hierarchy, file_name="x", sha256="1", report={}).key
    assert list(versions.load(key)) == ["c1"]
