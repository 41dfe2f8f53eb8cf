"""Folders of vocabularies."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.vocabulary.codes.icd10cm import release
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.versions.vocabulary_versions import (
    VocabularyVersions,
)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Versions among which the vocabulary is already."""
    concept = Concept("E11.9", "urn:codes:E11.9", "E11.9", pref_label={"en": "Sugar"})
    tree = Hierarchy([concept], vocabulary_id="icd10cm", version=release(), uri_base="urn:codes:")
    VocabularyVersions(tmp_path / "kept").add(tree, file_name="x", sha256="0", report={})
    return tmp_path / "kept"


@pytest.fixture
def versions(tmp_path: Path) -> VocabularyVersions:
    return VocabularyVersions(tmp_path)
