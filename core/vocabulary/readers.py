"""The registry of vocabulary readers: of code systems, and of SKOS.

Another format is a module of its own with a `VocabularyReader`, and a line in `READERS`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from core.boundaries import VOCABULARY_FILES
from core.errors import VocabularyError
from core.vocabulary.reading import (
    Progress,
    VocabularyFiles,
    VocabularyReader,
    VocabularyReading,
    code_systems,
)
from core.vocabulary.skos.reader import SkosReading, read_skos
from core.vocabulary.text_files import beginning_of

BUILT_IN = code_systems().BUILT_IN
"""Vocabularies that come with a package, and need no file."""

TABLES = (".csv", ".tsv")
MAYBE_TABLES = (".txt", ".zip")
COLUMNS_NEEDED = (
    "a table of codes needs a first line that names the columns code and label, and parent and "
    "synonyms where there are some; lists of ICD-9-CM without such a line have a code, a tab and "
    "a title on each"
)


def read_vocabulary(
    paths: Sequence[Path], *, vocabulary_id: str | None = None, on_progress: Progress | None = None
) -> VocabularyReading:
    """Read one file, or several files of ICD-9-CM as their union.

    Args:
        vocabulary_id: what a table of codes is to be called; None: as its file. A table that is
            called otherwise is not ICD-9-CM, whatever its codes look like.
        on_progress: called now and then with the share of a SKOS file that was read, in [0, 1].
    Raises:
        VocabularyError: a file cannot be read, or several are there that are no ICD-9-CM.
    """
    files = VocabularyFiles(tuple(paths), vocabulary_id, on_progress)
    return next(reader for reader in READERS if reader.can_read(files)).read(files)


def comes_by_itself(vocabulary_id: str) -> bool:
    """Return whether a vocabulary is there without that anybody imports it."""
    return vocabulary_id in BUILT_IN and BUILT_IN[vocabulary_id].by_itself


def read_built_in(vocabulary_id: str) -> VocabularyReading:
    """Read a vocabulary that comes with the program.

    Raises:
        VocabularyError: there is no such one, or the package is not installed.
    """
    if vocabulary_id not in BUILT_IN:
        raise VocabularyError(f"{vocabulary_id} is not built in; these are: {', '.join(BUILT_IN)}.")
    return BUILT_IN[vocabulary_id].read()


def _skos(files: VocabularyFiles) -> SkosReading:
    """Read SKOS, which also comes in a ZIP or with the suffix of a text."""
    path = files.paths[0]
    _refuse_table(path)
    try:
        return read_skos(path, on_progress=files.on_progress)
    except VocabularyError as error:
        raise VocabularyError(f"{error}{_other_formats(path)}") from error


def _refuse_table(path: Path) -> None:
    """Refuse what can be no SKOS either, before it is read as SKOS.

    Raises:
        VocabularyError: it is packed and damaged, or is a table without the columns needed.
    """
    if not path.is_file():
        return  # the reader of SKOS has a sentence for it
    if path.suffix.lower() == ".zip" and not zipfile.is_zipfile(path):
        raise VocabularyError(f"{path} is damaged, or no ZIP file; download or pack it again.")
    with VOCABULARY_FILES.translated(
        "{path} is damaged, or was not packed ({reason}); download or pack it again.", path=path
    ):
        text = beginning_of(path)
    if _suffix(path) in TABLES:
        problem = "names no such columns" if text.strip() else "is empty"
        raise VocabularyError(f"{path} {problem}: {COLUMNS_NEEDED}.")


def _other_formats(path: Path) -> str:
    """Suggest formats for a file that is not SKOS; "" where its name is conclusive."""
    if not path.is_file() or _suffix(path) not in MAYBE_TABLES:
        return ""
    hint = " (unpack it, and give the table)" if path.suffix.lower() == ".zip" else ""
    return f" {COLUMNS_NEEDED[:1].upper()}{COLUMNS_NEEDED[1:]}{hint}."


def _suffix(path: Path) -> str:
    """Of the file, or of what is packed in a .gz."""
    return Path(path.name.removesuffix(".gz")).suffix.lower()


READERS = [
    *code_systems().readers(),
    VocabularyReader(
        "SKOS",
        ("rdf", "xml", "ttl", "nt", "nq", "n3", "trig", "jsonld", "json", "gz", "zip"),
        can_read=lambda files: files.single is not None,
        read=_skos,
    ),
]
"""In the order in which they are asked; SKOS is what is left."""
