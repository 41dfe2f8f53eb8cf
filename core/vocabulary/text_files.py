"""Text files that lists of codes come in, plain or gzipped, in the encoding that their bytes show."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path
from typing import IO, cast

from core.encoding import encoding_of
from core.errors import VocabularyError

SNIFFED_BYTES = 1 << 16
MOST_BYTES = 500_000_000
_PACKED = ".gz"
_YEAR = re.compile(r"(?<!\d)(20\d{2})(?!\d)")


def year_in(path: Path) -> str:
    """Return the year that the name of a file gives its codes, or ""."""
    match = _YEAR.search(path.name)
    return match[1] if match else ""


def text_of(path: Path) -> str:
    """Return the whole text.

    Raises:
        OSError, EOFError: it cannot be read.
        VocabularyError: it is larger than any list of codes.
    """
    with gzip.open(path) if path.suffix == _PACKED else path.open("rb") as file:
        return _decoded(bounded_text(cast(IO[bytes], file), path))


def bounded_text(file: IO[bytes], path: Path) -> bytes:
    """Return all bytes of a text, which may be packed in the file of this path.

    Raises:
        VocabularyError: it is larger than any list of codes.
    """
    content = bytearray()
    while chunk := file.read(SNIFFED_BYTES):  # more at once would take the memory for it at once
        content += chunk
        if len(content) > MOST_BYTES:
            most = f"{MOST_BYTES:,}"
            raise VocabularyError(f"{path} holds more than {most} bytes; give a part of it.")
    return bytes(content)


def beginning_of(path: Path) -> str:
    """Return the beginning of a file, which shows what it is, however large it is.

    Raises:
        OSError, EOFError: it cannot be read.
    """
    with gzip.open(path) if path.suffix == _PACKED else path.open("rb") as file:
        return _decoded(file.read(SNIFFED_BYTES))


def _decoded(content: bytes) -> str:
    return content.decode(encoding_of(io.BytesIO(content)), "replace")
