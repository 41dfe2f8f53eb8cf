"""What code systems add to vocabularies: `core/__init__.py` registers this module there.

Readers and names are imported when they are asked for: a thesaurus needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.clinical.notation import ICD9CM, ICD10CM, ICD10PCS
from core.vocabulary.conventions import Conventions, WordsOfCodes
from core.vocabulary.reading import BuiltIn

if TYPE_CHECKING:
    from core.clinical.suggester import CodesSuggester
    from core.suggest.protocol import Suggester
    from core.vocabulary.concepts import Hierarchy
    from core.vocabulary.reading import VocabularyReader, VocabularyReading

__all__ = [
    "BUILT_IN",
    "CONVENTIONS",
    "codes_of",
    "label_words",
    "plain_codes",
    "readers",
    "write_names",
]

_CODES = Conventions(
    code_first=True,
    leaves_only=True,
    sequenced=True,
    present_on_admission=True,
    dated_procedures=True,
    checked=True,
    lexical=True,
)
CONVENTIONS: Mapping[str, Conventions] = {
    ICD9CM: replace(_CODES, system="http://hl7.org/fhir/sid/icd-9-cm"),
    ICD10CM: replace(_CODES, dated_procedures=False, system="http://hl7.org/fhir/sid/icd-10-cm"),
    ICD10PCS: replace(
        _CODES, present_on_admission=False, system="http://www.cms.gov/Medicare/Coding/ICD10"
    ),
}
"""By the id of a vocabulary."""


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


def write_names(hierarchy: Hierarchy, home: Path) -> None:
    """Write the index of the names of codes."""
    from core.clinical.names.index import LexicalIndex, index_file

    LexicalIndex.open(hierarchy, index_file(hierarchy, home))


def codes_of(
    model: Suggester | None, hierarchy: Hierarchy, home: Path, *, bundle_dir: Path | None = None
) -> CodesSuggester:
    """Return what ranks the codes that a text names, and those of a model where there is one."""
    from core.clinical.suggester import codes_of as suggester_of

    return suggester_of(model, hierarchy, home, bundle_dir=bundle_dir)
