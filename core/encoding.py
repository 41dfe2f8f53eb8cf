"""The encoding of a text file, judged from all of its bytes.

The page, the command line, corpora and vocabularies ask here, so that a file reads the same in all.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Of Python, for names of hosts, for programs and for e-mail of old; some take long, or run into errors.
NO_CHARACTER_SETS = frozenset(
    {
        "idna",
        "punycode",
        "undefined",
        "unicode-escape",
        "raw-unicode-escape",
        "utf-7",
        "mbcs",
        "oem",
    }
)
UTF_8, UTF_16, WINDOWS = "utf-8-sig", "utf-16", "cp1252"
CHUNK_BYTES = 1 << 20
BAD_BYTES = re.compile("[\udc80-\udcff]")  # as "surrogateescape" decodes them
BEYOND_ASCII = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")


def encoding_of(file: BinaryIO) -> str:
    """Return the codec of a file, which stands at its beginning before and after.

    UTF-16 shows by its byte order mark. A file is in Windows-1252 if more of its bytes are wrong
    in UTF-8 than letters beyond ASCII are right; otherwise it is in UTF-8, and its wrong bytes
    spoil their own row. A pipe cannot be read twice, and counts as UTF-8 unless it has a mark.
    """
    if not file.seekable():
        return UTF_8
    if (marked := marked_encoding(file)) is not None:
        return marked
    is_utf_8 = _is_utf_8(file)
    file.seek(0)
    if is_utf_8:
        return UTF_8
    n_bad, n_good = _counts(file)
    file.seek(0)
    return WINDOWS if n_bad > n_good else UTF_8


def marked_encoding(file: BinaryIO) -> str | None:
    """Return the codec that a file's byte order mark names; the file stays at its beginning."""
    start = file.read(len(codecs.BOM_UTF8))
    file.seek(0)
    marks = BYTE_ORDER_MARKS.items()
    return next((codec for mark, codec in marks if start.startswith(mark)), None)


def _is_utf_8(file: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        for chunk in _chunks(file):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _counts(file: BinaryIO) -> tuple[int, int]:
    """Count the bytes that are not UTF-8, and the letters beyond ASCII that are."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    n_bad = n_good = 0
    for chunk in chain(_chunks(file), [b""]):
        text = decoder.decode(chunk, final=not chunk)
        n_bad += len(BAD_BYTES.findall(text))
        n_good += len(BEYOND_ASCII.findall(text))
    return n_bad, n_good


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(file.read, CHUNK_BYTES), b"")
