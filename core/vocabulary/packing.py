"""Unpacks vocabulary files in a stream, and counts while it does.

A .gz or .zip of a megabyte may unpack to a gigabyte: nothing is held that was not asked for, and
reading stops where a file unpacks to far more than any vocabulary would.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from core.errors import VocabularyError

CHUNK_BYTES = 1 << 18
# Vocabularies as RDF/XML, in which every label has its tags, pack to a sixth; N-Triples to a
# fortieth. DEFLATE reaches a thousandth, on a file that repeats itself and nothing else.
MAX_RATIO = 150
FREE_BYTES = 30_000_000  # a small file may repeat itself
MAX_UNPACKED_BYTES = 8_000_000_000
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"


def unpacked(raw: IO[bytes], path: Path) -> tuple[str, Iterator[bytes]]:
    """Return the name of a file, or of what is packed in it, and its bytes in chunks.

    Args:
        raw: the file, opened; a .gz, or a .zip of one file, is unpacked.
        path: names it in sentences.
    Raises:
        VocabularyError: the .zip is encrypted or holds several files; while the chunks are read:
            the file unpacks to far more than a vocabulary.
        OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, ValueError,
        RuntimeError: it is damaged.
    """
    start = raw.read(4)
    raw.seek(0)
    if start[:2] == _GZIP:
        return path.name.removesuffix(".gz"), _counted(_gzip_chunks(raw), path)
    if start == _ZIP:
        member = _only_member(raw, path)
        return Path(member).name, _counted(_zip_chunks(raw, member), path)
    return path.name, _chunks(raw)


def unpacked_bytes(path: Path) -> int:
    """Return how large a file is when it is unpacked; every file of a .zip counts.

    Raises:
        VocabularyError: it unpacks to far more than a vocabulary.
        OSError and the others of `unpacked`: it is damaged.
    """
    with path.open("rb") as raw:
        start = raw.read(4)
        raw.seek(0)
        if start[:2] == _GZIP:
            return sum(map(len, _counted(_gzip_chunks(raw), path)))
        if start == _ZIP:
            return sum(map(len, _counted(_all_members(raw), path)))
        return path.stat().st_size


class ByteStream(io.RawIOBase):
    """Chunks of bytes as a file that is read from its beginning to its end."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill a buffer as far as the present chunk goes, and return how far."""
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _counted(chunks: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Yield the chunks, up to far more than a vocabulary has."""
    most = min(max(FREE_BYTES, MAX_RATIO * path.stat().st_size), MAX_UNPACKED_BYTES)
    n_bytes = 0
    for chunk in chunks:
        n_bytes += len(chunk)
        if n_bytes > most:
            raise VocabularyError(
                f"{path} unpacks to more than {most / 1e6:,.0f} MB, which no vocabulary of its size "
                "does; unpack it, look at what is in it, and give the vocabulary itself."
            )
        yield chunk


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK_BYTES):
        yield chunk


def _gzip_chunks(raw: IO[bytes]) -> Iterator[bytes]:
    with gzip.open(raw) as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def _zip_chunks(raw: IO[bytes], member: str) -> Iterator[bytes]:
    with zipfile.ZipFile(raw) as archive, archive.open(member) as stream:
        yield from _chunks(stream)


def _all_members(raw: IO[bytes]) -> Iterator[bytes]:
    with zipfile.ZipFile(raw) as archive:
        for info in archive.infolist():
            if not info.flag_bits & 0x1:
                with archive.open(info) as stream:
                    yield from _chunks(stream)


def _only_member(raw: IO[bytes], path: Path) -> str:
    with zipfile.ZipFile(raw) as archive:
        infos = [
            info
            for info in archive.infolist()
            if not info.is_dir() and not info.filename.startswith("__MACOSX/")
        ]
    if len(infos) != 1:
        raise VocabularyError(
            f"{path} holds {len(infos)} files; unpack it and give the one with the vocabulary."
        )
    if infos[0].flag_bits & 0x1:
        raise VocabularyError(f"{path} is encrypted; unpack it and give the file in it.")
    return infos[0].filename
