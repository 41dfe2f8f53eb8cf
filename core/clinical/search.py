"""The search index of a vocabulary: of ICD-10-CM as coders ask it."""

from __future__ import annotations

from pathlib import Path

from core.clinical.notation import ICD10CM
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex


def open_index(hierarchy: Hierarchy, path: Path) -> VocabularyIndex:
    """Open the search index of a vocabulary, which is built where it is missing or of another.

    Raises:
        VocabularyError: the file cannot be written or read.
    """
    if hierarchy.vocabulary_id != ICD10CM:
        return VocabularyIndex.open(hierarchy, path)
    from core.clinical.queries.code_index import CodeIndex  # with tables that no thesaurus needs

    return CodeIndex.open(hierarchy, path)
