"""Text files as lists of codes come in: plain or gzipped, in UTF-8 or in the letters of Windows."""

from __future__ import annotations

import gzip
from pathlib import Path

from core.errors import VocabularyError

SNIFFED_BYTES = 1 << 16
MOST_BYTES = 500_000_000
_PACKED = ".gz"


def text_of(path: Path) -> str:
    """The whole text.

    Raises:
        OSError, EOFError: it cannot be read.
        VocabularyError: it is larger than any list of codes.
    """
    with gzip.open(path) if path.suffix == _PACKED else path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise VocabularyError(f"{path} holds more than {MOST_BYTES:,} bytes; give a part of it.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def beginning_of(path: Path) -> str:
    """As much of a file as tells what it is, however large it is.

    Raises:
        OSError, EOFError: it cannot be read.
    """
    with gzip.open(path) if path.suffix == _PACKED else path.open("rb") as file:
        return file.read(SNIFFED_BYTES).decode("utf-8-sig", "replace")
