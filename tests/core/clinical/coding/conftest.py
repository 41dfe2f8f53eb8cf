"""The search of ICD-10-CM, for the codes of the examples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions.keeping import index_path
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions


@pytest.fixture(scope="module")
def index(icd10cm_versions: VocabularyVersions, tree: Hierarchy) -> Iterator[VocabularyIndex]:
    opened = VocabularyIndex.open(tree, index_path(icd10cm_versions.home, tree))
    yield opened
    opened.close()
