"""Keeps entities from the parser of RDF/XML, unless they are flat and few.

An entity that is made of entities doubles with each line ("billion laughs"): the parser expands it
into as much memory as there is. Only flat entities pass, as editors write them for namespaces. The
beginning of a file is read by expat, which expands nothing, and is written anew with the flat
entities alone, so that two parsers can never see two different declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from xml.parsers import expat

from core.errors import VocabularyError
from core.vocabulary.packing import CHUNK_BYTES

MAX_PROLOGUE_BYTES = 1_000_000
MAX_EXPANDED_BYTES = 1_000_000
_REFERENCE = re.compile(rb"&([^\s&;<>\"']{1,200});")
_WHOLE = re.compile(r"(?:[^&<]|&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)*")
_QUOTED = str.maketrans({'"': "&quot;", ">": "&gt;"})
_DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_CUT_BYTES = 210  # of a reference or a mark that may be cut by the end of a chunk
_REMEDY = "save it with all entities written out"


class _RootReachedError(Exception):
    """The first element begins: what follows is no matter of the prologue."""


def with_flat_entities(chunks: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Yield RDF/XML with a prologue that declares flat entities alone.

    Args:
        chunks: of the file, in UTF-8.
        path: names it in sentences.
    Raises:
        VocabularyError: an entity is nested or external, or what they expand to is larger than a
            megabyte and than the file itself; the prologue is not well-formed.
    """
    remaining = iter(chunks)
    prologue = _Prologue(path)
    start = b""
    while not prologue.is_read:
        chunk = next(remaining, b"")
        start += chunk
        if len(start) > MAX_PROLOGUE_BYTES + CHUNK_BYTES:
            raise VocabularyError(
                f"{path} has more than {MAX_PROLOGUE_BYTES / 1e6:.0f} MB before its first element; "
                f"{_REMEDY}."
            )
        prologue.read(chunk)
    yield prologue.rewritten()
    body = chain([start[prologue.length :]], remaining)
    yield from _watched(body, prologue.entities, path)


class _Prologue:
    """What stands before the first element, as expat reads it."""

    def __init__(self, path: Path) -> None:
        self.entities: dict[str, str] = {}
        self.length = 0
        self.is_read = False
        self._path = path
        self._parser = expat.ParserCreate("utf-8")
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self._parser.EntityDeclHandler = self._declare
        self._parser.StartElementHandler = self._reach_root

    def read(self, chunk: bytes) -> None:
        """Read more; an empty result is the end of the file."""
        try:
            self._parser.Parse(chunk, not chunk)
        except _RootReachedError:
            self.is_read = True
        except expat.ExpatError as error:
            where = " ".join(str(error).split())
            raise VocabularyError(
                f"{self._path} is not valid RDF/XML ({where}); correct it there, or {_REMEDY}."
            ) from error

    def rewritten(self) -> bytes:
        """Return a prologue with these entities, in the only form that the parser reads."""
        if not self.entities:
            return b""
        declared = "".join(
            f'<!ENTITY {name} "{text.translate(_QUOTED)}">' for name, text in self.entities.items()
        )
        return f"<!DOCTYPE rdf [{declared}]>\n".encode()

    def _declare(
        self, name: str, is_parameter: bool, value: str | None, *_external: str | None
    ) -> None:
        if value is None or is_parameter:
            raise VocabularyError(
                f"{self._path} takes the entity {name[:50]} from elsewhere; {_REMEDY}."
            )
        if not _WHOLE.fullmatch(value):
            raise VocabularyError(
                f"{self._path} makes the entity {name[:50]} of other entities or of elements, "
                f"which may grow without end; {_REMEDY}."
            )
        self.entities.setdefault(name, value)  # of several declarations the first counts

    def _reach_root(self, _name: str, _attributes: object) -> None:
        self.length = self._parser.CurrentByteIndex
        raise _RootReachedError


def _watched(chunks: Iterable[bytes], entities: dict[str, str], path: Path) -> Iterator[bytes]:
    """Yield the elements; count what references expand to before the parser gets them."""
    sizes = {name.encode(): len(value.encode()) for name, value in entities.items()}
    n_bytes = n_expanded = 0
    cut = b""
    for chunk in chunks:
        n_bytes += len(chunk)
        seen = cut + chunk
        if _DOCTYPE.search(seen):
            raise VocabularyError(f"{path} has a document type among its elements; {_REMEDY}.")
        if sizes:
            references = _REFERENCE.finditer(seen)
            n_expanded += sum(sizes.get(match[1], 0) for match in references)
            if n_expanded > max(MAX_EXPANDED_BYTES, n_bytes):
                most = max(MAX_EXPANDED_BYTES, n_bytes) / 1e6
                raise VocabularyError(
                    f"{path} has entities that expand to more than {most:,.0f} MB; {_REMEDY}."
                )
        cut = _cut(seen)
        yield chunk


def _cut(seen: bytes) -> bytes:
    """Return a reference or mark that begins at the end and may go on in the next chunk."""
    end = seen[-_CUT_BYTES:]
    at = max(end.rfind(b"&"), end.rfind(b"<"))
    return b"" if at < 0 or b";" in end[at:] or b">" in end[at:] else end[at:]
