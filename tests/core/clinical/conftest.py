"""ICD-10-CM as it is kept."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions


@pytest.fixture(scope="session")
def tree(icd10cm_versions: VocabularyVersions) -> Hierarchy:
    return icd10cm_versions.load(icd10cm_versions.entries()[0].key)
