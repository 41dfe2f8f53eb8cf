"""Folders of vocabularies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.clinical.codes.icd10cm import release
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.skos.reader import SkosReading
from core.vocabulary.versions import keeping
from core.vocabulary.versions.vocabulary_versions import VersionKey, VocabularyVersions
from tests.support.files.skos_files import scheme


@pytest.fixture(autouse=True)
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with which nothing was prepared yet."""
    folder = tmp_path / "prepared"
    monkeypatch.setattr(keeping, "PREPARED", folder)
    return folder


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


@pytest.fixture
def add(
    versions: VocabularyVersions, read_turtle: Callable[[str], SkosReading]
) -> Callable[..., VersionKey]:
    """Reads and keeps a scheme; returns what it is kept as."""

    def read_and_add(uri: str, version: str = "1.0", base: str = "") -> VersionKey:
        hierarchy = read_turtle(scheme(uri, version, base)).hierarchy
        checksum = f"{hash((uri, version)):064x}"
        return versions.add(hierarchy, file_name="x.ttl", sha256=checksum, report={}).key

    return read_and_add
