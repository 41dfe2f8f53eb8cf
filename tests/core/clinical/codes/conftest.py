"""Code systems as they are read."""

from __future__ import annotations

import pytest

from core.clinical.codes.icd9cm import read_icd9cm
from core.clinical.codes.reading import CodeReading
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.keeping import keep_built_in
from core.vocabulary.versions.vocabulary_versions import VocabularyVersion, VocabularyVersions
from tests.support.files.code_files import write_release, write_table, write_tree


@pytest.fixture(scope="module")
def icd10cm_entry(icd10cm_versions: VocabularyVersions) -> VocabularyVersion:
    return keep_built_in(icd10cm_versions, "icd10cm")


@pytest.fixture(scope="module")
def icd10cm_tree(
    icd10cm_versions: VocabularyVersions, icd10cm_entry: VocabularyVersion
) -> Hierarchy:
    return icd10cm_versions.load(icd10cm_entry.key)


@pytest.fixture(scope="module")
def icd9cm_union(tmp_path_factory: pytest.TempPathFactory) -> CodeReading:
    folder = tmp_path_factory.mktemp("icd9cm")
    return read_icd9cm([write_tree(folder), write_release(folder), write_table(folder)])


@pytest.fixture(scope="module")
def icd9cm_tree(icd9cm_union: CodeReading) -> Hierarchy:
    return icd9cm_union.hierarchy
