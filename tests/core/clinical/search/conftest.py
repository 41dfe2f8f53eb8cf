"""The search of ICD-10-CM as coders ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.clinical.search import open_index
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions.keeping import index_path
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions


@pytest.fixture(scope="module")
def index(icd10cm_versions: VocabularyVersions, tree: Hierarchy) -> Iterator[VocabularyIndex]:
    opened = open_index(tree, index_path(icd10cm_versions.home, tree))
    yield opened
    opened.close()
