"""What to say of a file that is neither a table of codes nor one of ICD-9-CM, and looks like it."""

from __future__ import annotations

import zipfile
from pathlib import Path

from core.errors import VocabularyError
from core.vocabulary.codes.text_files import beginning_of

TABLES = (".csv", ".tsv")
MAYBE_TABLES = (".txt", ".zip")
COLUMNS_NEEDED = (
    "a table of codes needs a first line that names the columns code and label, and parent and "
    "synonyms where there are some; lists of ICD-9-CM without such a line have a code, a tab and "
    "a title on each"
)


def refuse_table(path: Path) -> None:
    """Refuse what can be no other vocabulary either, before it is read as one.

    Raises:
        VocabularyError: it is packed and damaged, or is a table without the columns needed.
    """
    if not path.is_file():
        return  # said by what would read it
    if path.suffix.lower() == ".zip" and not zipfile.is_zipfile(path):
        raise VocabularyError(f"{path} is damaged, or no ZIP file; download or pack it again.")
    try:
        text = beginning_of(path)
    except (OSError, EOFError) as exc:
        raise VocabularyError(
            f"{path} is damaged, or was not packed ({exc}); download or pack it again."
        ) from exc
    if _suffix(path) in TABLES:
        what = "names no such columns" if text.strip() else "is empty"
        raise VocabularyError(f"{path} {what}: {COLUMNS_NEEDED}.")


def other_ways(path: Path) -> str:
    """What else a file that is no SKOS may have been meant as; "" where its name says what it is."""
    if not path.is_file() or _suffix(path) not in MAYBE_TABLES:
        return ""
    hint = " (unpack it, and give the table)" if path.suffix.lower() == ".zip" else ""
    return f" {COLUMNS_NEEDED[:1].upper()}{COLUMNS_NEEDED[1:]}{hint}."


def _suffix(path: Path) -> str:
    """Of the file, or of what is packed in a .gz."""
    return Path(path.name.removesuffix(".gz")).suffix.lower()
