"""ICD-10-CM needs no file: it is kept once by another process, and then opens in a moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.clinical.codes.icd10cm import release
from core.errors import VocabularyError
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.index_file import fingerprint, fingerprint_at
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions.keeping import built_in_version, index_path, keep_built_in
from core.vocabulary.versions.vocabulary_versions import VocabularyVersion, VocabularyVersions


def test_it_is_read_once_with_the_release_as_its_version(
    icd10cm_versions: VocabularyVersions, icd10cm_entry: VocabularyVersion
) -> None:
    assert icd10cm_entry.version == release()
    assert icd10cm_entry.report["assignable"] > 70_000
    assert (
        built_in_version(icd10cm_versions, "icd10cm")
        == keep_built_in(icd10cm_versions, "icd10cm")
        == icd10cm_entry
    )


def test_only_codes_with_none_below_are_assignable(icd10cm_tree: Hierarchy) -> None:
    assert icd10cm_tree["E11.9"].assignable
    assert not any(icd10cm_tree[code].assignable for code in ("E11", "E08-E13", "4", "M00-M25"))
    divided = {code for code in icd10cm_tree if icd10cm_tree.narrower(code)}
    codes = (code for code in icd10cm_tree if "-" not in code)
    assert all(icd10cm_tree[code].assignable != (code in divided) for code in codes)


def test_codes_stand_below_category_block_and_chapter(icd10cm_tree: Hierarchy) -> None:
    assert icd10cm_tree.path("E11.65") == ("4", "E08-E13", "E11", "E11.6", "E11.65")
    assert icd10cm_tree.path("S72.001A")[-3:] == ("S72.0", "S72.00", "S72.001", "S72.001A")[1:]
    assert icd10cm_tree.broader("B99") == ("1",)  # a block that is one category
    assert icd10cm_tree["E08-E13"].label() == "Diabetes mellitus"
    assert icd10cm_tree["E11.9"].uri == "http://hl7.org/fhir/sid/icd-10-cm/E11.9"


def test_instructions_are_the_codes_own(icd10cm_tree: Hierarchy) -> None:
    notes = icd10cm_tree["E11"].notes
    assert any("(E08.-)" in text for text in notes["excludes1"]["en"])
    assert "(Z79.4)" in notes["useAdditionalCode"]["en"][0]
    assert "diabetes NOS" in notes["includes"]["en"]
    assert "codeFirst" not in icd10cm_tree["E11.9"].notes
    assert icd10cm_tree["S72"].notes["sevenChrDef"]["en"][0].startswith("A: initial encounter")
    assert "D: subsequent encounter" in "".join(icd10cm_tree["T36"].notes["sevenChrDef"]["en"])


def test_inclusion_terms_are_alternative_labels(icd10cm_tree: Hierarchy) -> None:
    assert "essential hypertension" not in icd10cm_tree["I10"].label()
    terms = icd10cm_tree["J18.9"].alt_labels.get("en", ())
    assert terms == icd10cm_tree["J18.9"].notes.get("inclusionTerm", {}).get("en", ())
    assert any(icd10cm_tree[code].alt_labels for code in icd10cm_tree.descendants("I10-I1A"))


def test_its_search_index_is_there_and_finds_codes(
    icd10cm_versions: VocabularyVersions, icd10cm_tree: Hierarchy
) -> None:
    path = index_path(icd10cm_versions.home, icd10cm_tree)
    assert fingerprint_at(path) == fingerprint(icd10cm_tree)
    index = VocabularyIndex.open(icd10cm_tree, path)
    for query in ("E11.65", "e1165", "E11 65", "e11.65 "):
        assert index.search(query)[0].concept_id == "E11.65"
    index.close()


def test_only_what_is_built_in_can_be_had_without_a_file(
    icd10cm_versions: VocabularyVersions,
) -> None:
    with pytest.raises(VocabularyError, match="icd11 is not built in; these are: icd10cm, icd9cm"):
        keep_built_in(icd10cm_versions, "icd11")


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, no folder")
    with pytest.raises(VocabularyError, match="icd10cm could not be kept in"):
        keep_built_in(VocabularyVersions(tmp_path / "home"), "icd10cm")
