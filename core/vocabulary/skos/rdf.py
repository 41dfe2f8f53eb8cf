"""Streams the statements of an RDF file, whatever its syntax."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pyoxigraph as ox

from core.boundaries import VOCABULARY_FILES
from core.encoding import NO_CHARACTER_SETS
from core.errors import VocabularyError
from core.vocabulary.packing import CHUNK_BYTES, ByteStream, unpacked
from core.vocabulary.reading import Progress
from core.vocabulary.skos.entities import with_flat_entities

_BY_SUFFIX = {
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".nq": ox.RdfFormat.N_QUADS,
    ".trig": ox.RdfFormat.TRIG,
    ".n3": ox.RdfFormat.N3,
    ".json": ox.RdfFormat.JSON_LD,
    ".jsonld": ox.RdfFormat.JSON_LD,
}
_XML_STARTS = (b"<?xml", b"<!doctype", b"<!entity", b"<!--", b"<rdf:")
_XML_ENCODING = re.compile(rb"""<\?xml[^<>]*?\sencoding=["']([^"']*)["']""")
_ENCODING_NAME = re.compile(r"[a-z][a-z0-9._-]{0,39}")
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HEAD_BYTES = 4096
MAX_STATEMENTS = 20_000_000  # EuroVoc in all its languages has about a fifth of that
_NO_CONTEXT = "LoadDocumentCallback"  # of the parser, where a context is an address
_STEP = 5_000
_REMEDY = "give a SKOS file in RDF/XML, Turtle or N-Triples"


def statements(path: Path, on_progress: Progress | None = None) -> Iterator[ox.Quad]:
    """Yield every statement of the file; its content, then its suffix, shows the syntax.

    Relative URIs are resolved against the file's name alone, so they stay the same in any folder.

    Args:
        on_progress: called now and then with the share of the file that was read, in [0, 1].
    Raises:
        VocabularyError: the file cannot be read, is no RDF, or is larger than a vocabulary.
    """
    with (
        VOCABULARY_FILES.translated(
            "{path} cannot be read ({reason}); {remedy}.", path=path, remedy=_REMEDY
        ),
        path.open("rb") as raw,
    ):
        name, chunks = unpacked(raw, path)
        size = path.stat().st_size
        for number, quad in enumerate(_parsed(chunks, path, name)):
            if number % _STEP == 0:
                _watch(number, path)
                if on_progress is not None:
                    on_progress(raw.tell() / size)
            yield quad


def _watch(number: int, path: Path) -> None:
    if number > MAX_STATEMENTS:
        raise VocabularyError(
            f"{path} holds more than {MAX_STATEMENTS:,} statements; give a part of it."
        )


def _parsed(chunks: Iterator[bytes], path: Path, name: str) -> Iterator[ox.Quad]:
    head, chunks = _beginning(chunks)
    encoding = _encoding(head.removeprefix(_UTF8_MARK))
    if encoding:
        head, chunks = _beginning(_in_utf8(chunks, encoding, path))
    skipped = len(head) - len(head.removeprefix(_UTF8_MARK).lstrip())
    syntax = _syntax(head[skipped:].rstrip(), path, name)
    chunks = _without_first(chunks, skipped)
    if syntax == ox.RdfFormat.RDF_XML:
        chunks = with_flat_entities(chunks, path)
    stream = io.BufferedReader(ByteStream(chunks), CHUNK_BYTES)
    base = "file:///" + "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
    try:
        yield from ox.parse(stream, syntax, base_iri=base, lenient=True)
    except (SyntaxError, ValueError, MemoryError) as exc:  # the last of a value of many megabytes
        where = " ".join(str(exc).split())[:200] or type(exc).__name__
        if _NO_CONTEXT in where:
            raise VocabularyError(
                f"{path} names a JSON-LD context on the web, and nothing is fetched from there; write "
                f"the context into the file, or {_REMEDY}."
            ) from exc
        raise VocabularyError(
            f"{path} is not valid {syntax.name} ({where}); correct it there, or {_REMEDY}."
        ) from exc


def _beginning(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes, and all chunks once more."""
    first = b""
    while len(first) < _HEAD_BYTES and (chunk := next(chunks, None)) is not None:
        first += chunk
    return first[:_HEAD_BYTES], chain([first], chunks)


def _without_first(chunks: Iterator[bytes], n_bytes: int) -> Iterator[bytes]:
    yield next(chunks, b"")[n_bytes:]
    yield from chunks


def _encoding(head: bytes) -> str | None:
    """Return the encoding that a mark or an XML declaration names, unless it is UTF-8."""
    if head.startswith(_UTF16_MARKS):
        return "utf-16"
    declared = _XML_ENCODING.match(head)
    name = declared.group(1).decode("ascii", "replace").lower() if declared else "utf-8"
    return None if name in {"utf-8", "utf8", "us-ascii", "ascii"} else name


def _in_utf8(chunks: Iterator[bytes], encoding: str, path: Path) -> Iterator[bytes]:
    """Yield the same text in UTF-8, the only encoding that the parser reads."""
    try:
        if not _ENCODING_NAME.fullmatch(encoding):
            raise LookupError(encoding)
        if codecs.lookup(encoding).name in NO_CHARACTER_SETS:
            raise LookupError(encoding)
        b"\0\0\0\0".decode(encoding, "replace")  # refuses what encodes no text, such as "zip"
        decoder = codecs.getincrementaldecoder(encoding)()
        for chunk in chunks:
            yield decoder.decode(chunk).encode()
        yield decoder.decode(b"", final=True).encode()
    except (LookupError, UnicodeError) as exc:
        shown = encoding if encoding.isprintable() else ascii(encoding)
        raise VocabularyError(f"{path} is not readable as {shown}; save it as UTF-8.") from exc


def _syntax(head: bytes, path: Path, name: str) -> ox.RdfFormat:
    """Determine the syntax from the beginning of the file, or refuse a file that is not RDF."""
    start = head.lower()
    if b"\x00" in head or head.startswith(b"%PDF"):
        raise VocabularyError(f"{path} is a binary file, not a vocabulary; {_REMEDY}.")
    if not head:
        raise VocabularyError(f"{path} is empty; {_REMEDY}.")
    if start.startswith(b"<") and b"<html" in start and b"<rdf:rdf" not in start:
        raise VocabularyError(
            f"{path} is a web page, not a vocabulary; download the data itself: {_REMEDY}."
        )
    if start.startswith(_XML_STARTS) or _is_namespaced_tag(head):
        return ox.RdfFormat.RDF_XML
    return _BY_SUFFIX.get(Path(name).suffix.lower(), ox.RdfFormat.TURTLE)


def _is_namespaced_tag(head: bytes) -> bool:
    """Return whether it begins with an XML tag, not with a URI in angle brackets as Turtle may."""
    return head.startswith(b"<") and b"xmlns" in head[1:].partition(b">")[0]
