"""Reads a vocabulary whatever it comes in: SKOS, the files of ICD-9-CM, a table of codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from core.errors import VocabularyError
from core.vocabulary.codes.code_table import is_code_table, read_code_table
from core.vocabulary.codes.icd9cm import read_icd9cm
from core.vocabulary.codes.icd9cm_files import is_icd9cm
from core.vocabulary.codes.icd10cm import read_icd10cm
from core.vocabulary.codes.reading import CodeReading
from core.vocabulary.conventions import ICD9CM, ICD10CM
from core.vocabulary.refusals import other_ways, refuse_table
from core.vocabulary.skos.rdf import Progress
from core.vocabulary.skos.reader import SkosReading, read_skos

BUILT_IN: dict[str, Callable[[], CodeReading]] = {ICD10CM: read_icd10cm}
"""Vocabularies that come with a package, and need no file."""


Reading = SkosReading | CodeReading
"""A vocabulary and what was met while reading it."""


def read_vocabulary(
    paths: Sequence[Path], *, vocabulary_id: str | None = None, on_progress: Progress | None = None
) -> Reading:
    """Read one file, or several files of ICD-9-CM as their union.

    Args:
        vocabulary_id: what a table of codes is to be called; None: as its file. A table that is
            called otherwise is not ICD-9-CM, whatever its codes look like.
        on_progress: told now and then what share of a SKOS file was read, in [0, 1].
    Raises:
        VocabularyError: a file cannot be read, or several are there that are no ICD-9-CM.
    """
    strange = _no_icd9cm(paths, vocabulary_id)
    if not strange:
        return read_icd9cm(paths)
    if len(paths) > 1:
        raise VocabularyError(
            f"{', '.join(strange)}: only the files of ICD-9-CM are read together; "
            "read other vocabularies one by one."
        )
    if is_code_table(paths[0]):
        return read_code_table(paths[0], vocabulary_id)
    refuse_table(paths[0])
    return _skos(paths[0], on_progress)


def _skos(path: Path, on_progress: Progress | None) -> SkosReading:
    """SKOS, which also comes in a ZIP or with the suffix of a text."""
    try:
        return read_skos(path, on_progress=on_progress)
    except VocabularyError as error:
        raise VocabularyError(f"{error}{other_ways(path)}") from error


def _no_icd9cm(paths: Sequence[Path], vocabulary_id: str | None) -> list[str]:
    """The files that are none of ICD-9-CM, by what they are called or by what is in them.

    Beside a file that surely is, a list of numbers is of ICD-9-CM as well.
    """
    if vocabulary_id not in (None, ICD9CM):
        return [path.name for path in paths]
    named = vocabulary_id == ICD9CM or (len(paths) > 1 and any(map(is_icd9cm, paths)))
    return [path.name for path in paths if not is_icd9cm(path, named=named)]


def read_built_in(vocabulary_id: str) -> CodeReading:
    """Read a vocabulary that comes with a package.

    Raises:
        VocabularyError: there is no such one, or the package is not installed.
    """
    if vocabulary_id not in BUILT_IN:
        raise VocabularyError(f"{vocabulary_id} is not built in; these are: {', '.join(BUILT_IN)}.")
    return BUILT_IN[vocabulary_id]()
