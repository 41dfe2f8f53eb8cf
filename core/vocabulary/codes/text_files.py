"""Text files that lists of codes come in, plain or gzipped, in the encoding that their bytes show."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

from core.documents.rows.encoding import encoding_of
from core.errors import VocabularyError

SNIFFED_BYTES = 1 << 16
MOST_BYTES = 500_000_000
_PACKED = ".gz"


def text_of(path: Path) -> str:
    """Return the whole text.

    Raises:
        OSError, EOFError: it cannot be read.
        VocabularyError: it is larger than any list of codes.
    """
    with gzip.open(path) if path.suffix == _PACKED else path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise VocabularyError(f"{path} holds more than {MOST_BYTES:,} bytes; give a part of it.")
    return _decoded(content)


def beginning_of(path: Path) -> str:
    """Return the beginning of a file, which shows what it is, however large it is.

    Raises:
        OSError, EOFError: it cannot be read.
    """
    with gzip.open(path) if path.suffix == _PACKED else path.open("rb") as file:
        return _decoded(file.read(SNIFFED_BYTES))


def _decoded(content: bytes) -> str:
    return content.decode(encoding_of(io.BytesIO(content)), "replace")
