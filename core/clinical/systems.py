"""What code systems add to vocabularies: `core/__init__.py` registers this module there.

Readers and names are imported when they are asked for: a thesaurus needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.clinical.conventions import CONVENTIONS, ICD9CM, ICD10CM
from core.vocabulary.conventions import BuiltIn, WordsOfCodes

if TYPE_CHECKING:
    from core.vocabulary.concepts import Hierarchy
    from core.vocabulary.reading import VocabularyReader, VocabularyReading
    from core.vocabulary.search.vocabulary_index import VocabularyIndex

__all__ = [
    "BUILT_IN",
    "CONVENTIONS",
    "label_words",
    "open_index",
    "plain_codes",
    "readers",
    "write_names",
]


def _read_icd10cm() -> VocabularyReading:
    from core.clinical.codes.icd10cm import read_icd10cm

    return read_icd10cm()


def _release_of_icd10cm() -> str:
    from core.clinical.codes.icd10cm import release

    return release()


def _read_icd9cm() -> VocabularyReading:
    from core.clinical.codes.icd9cm import RELEASE, TREE, read_icd9cm

    return read_icd9cm([RELEASE, TREE])


BUILT_IN: Mapping[str, BuiltIn] = {
    ICD10CM: BuiltIn(_read_icd10cm, _release_of_icd10cm),
    # Its model of radiology knows a few codes, and a project of it has these until all are imported.
    ICD9CM: BuiltIn(_read_icd9cm, lambda: "v32", by_itself=False),
}


def readers() -> Sequence[VocabularyReader]:
    """Return the readers of their files."""
    from core.clinical.codes import code_table, icd9cm, order_file

    return order_file.READER, icd9cm.READER, code_table.READER


def label_words() -> WordsOfCodes:
    """Return how their labels are compared."""
    from core.clinical.names import label_words as words

    return words


def plain_codes(hierarchy: Hierarchy) -> Callable[[str], str | None]:
    """Return what finds the plain code below a category."""
    from core.clinical.names.index import PlainCodes

    return PlainCodes(hierarchy).below


def open_index(hierarchy: Hierarchy, path: Path) -> VocabularyIndex:
    """Open the search index of a vocabulary, of ICD-10-CM as coders ask it."""
    from core.clinical.queries.code_index import open_index as opened

    return opened(hierarchy, path)


def write_names(hierarchy: Hierarchy, home: Path) -> None:
    """Write the index of the names of codes."""
    from core.clinical.names.index import LexicalIndex, index_file

    LexicalIndex.open(hierarchy, index_file(hierarchy, home))
