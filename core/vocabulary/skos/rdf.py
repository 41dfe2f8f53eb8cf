"""Streams the statements of an RDF file, whatever its syntax."""

from __future__ import annotations

import gzip
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, cast

import pyoxigraph as ox

from core.boundaries import VOCABULARY_FILES
from core.errors import VocabularyError
from core.vocabulary.reading import Progress

_BY_SUFFIX = {
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".nq": ox.RdfFormat.N_QUADS,
    ".trig": ox.RdfFormat.TRIG,
    ".n3": ox.RdfFormat.N3,
    ".json": ox.RdfFormat.JSON_LD,
    ".jsonld": ox.RdfFormat.JSON_LD,
}
_XML_STARTS = (b"<?xml", b"<!doctype", b"<!entity", b"<!--", b"<rdf:")
_XML_ENCODING = re.compile(rb"""(<\?xml[^>]*?)\s+encoding=["']([^"']*)["']""")
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HEAD_BYTES = 4096
MAX_STATEMENTS = 20_000_000  # EuroVoc in all its languages has about a fifth of that
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
        _unpacked(raw, path) as (stream, name),
    ):
        size = path.stat().st_size
        for number, quad in enumerate(_parsed(stream, path, name)):
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


def _parsed(stream: IO[bytes], path: Path, name: str) -> Iterator[ox.Quad]:
    head = stream.read(_HEAD_BYTES)
    stream.seek(len(_UTF8_MARK) if head.startswith(_UTF8_MARK) else 0)
    encoding = _encoding(head)
    if encoding:
        content = _in_utf8(stream.read(), encoding, path)
        stream, head = BytesIO(content), content[:_HEAD_BYTES]
    syntax = _syntax(head.removeprefix(_UTF8_MARK).strip(), path, name)
    base = "file:///" + "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
    try:
        yield from ox.parse(stream, syntax, base_iri=base, lenient=True)
    except (SyntaxError, ValueError) as exc:
        where = " ".join(str(exc).split())[:200]
        raise VocabularyError(
            f"{path} is not valid {syntax.name} ({where}); correct it there, or {_REMEDY}."
        ) from exc


@contextmanager
def _unpacked(raw: IO[bytes], path: Path) -> Iterator[tuple[IO[bytes], str]]:
    """The file's bytes, unpacked where it is a .gz or a .zip of one file, and its inner name."""
    magic = raw.read(4)
    raw.seek(0)
    if magic[:2] == b"\x1f\x8b":
        with gzip.open(raw) as stream:
            yield cast(IO[bytes], stream), path.name.removesuffix(".gz")
    elif magic == b"PK\x03\x04":
        with zipfile.ZipFile(raw) as archive:
            member = _only_member(archive, path)
            with archive.open(member) as stream:
                yield stream, Path(member).name
    else:
        yield raw, path.name


def _only_member(archive: zipfile.ZipFile, path: Path) -> str:
    members = [
        info.filename
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        raise VocabularyError(
            f"{path} holds {len(members)} files; unpack it and give the one with the vocabulary."
        )
    if archive.getinfo(members[0]).flag_bits & 0x1:
        raise VocabularyError(f"{path} is encrypted; unpack it and give the file in it.")
    return members[0]


def _encoding(head: bytes) -> str | None:
    """Return the encoding that a mark or an XML declaration names, unless it is UTF-8."""
    if head.startswith(_UTF16_MARKS):
        return "utf-16"
    declared = _XML_ENCODING.match(head)
    name = declared.group(2).decode("ascii", "replace").lower() if declared else "utf-8"
    return None if name in {"utf-8", "utf8", "us-ascii", "ascii"} else name


def _in_utf8(content: bytes, encoding: str, path: Path) -> bytes:
    """Return the same text in UTF-8, the only encoding that the parser reads."""
    try:
        utf8 = content.decode(encoding).encode()
    except (LookupError, UnicodeError) as exc:
        raise VocabularyError(f"{path} is not readable as {encoding}; save it as UTF-8.") from exc
    return _XML_ENCODING.sub(rb"\1", utf8, count=1)


def _syntax(head: bytes, path: Path, name: str) -> ox.RdfFormat:
    """Tell the syntax by how the file begins, or say what it is instead of RDF."""
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
