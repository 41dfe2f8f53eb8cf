"""Codes that an instruction of ICD-10-CM names in its text, and which codes they take in.

The tabular list writes `(E08.-)` for all that begins so, `(I10-I1A)` for a range, and conditions
such as `(T36-T50 with fifth or sixth character 5)` or `(E08-E13 with .51-.52)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

POSITIONS = {
    "fourth": 4, "4th": 4, "fifth": 5, "5th": 5, "sixth": 6, "six": 6, "6th": 6,
    "seventh": 7, "7th": 7,
}  # fmt: skip
CATEGORY_LENGTH = 3

_CODE = r"(?<![A-Za-z0-9.])[A-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{0,4})?(?![0-9A-Za-z])"
_NAMED = re.compile(rf"(?P<first>{_CODE})(?:\.?-?\s*(?:-|\bto\b)\s*(?P<last>{_CODE}))?(?:\.?-)?")
_BRACKETS = re.compile(r"\(([^()]*)\)")
_CONDITION = re.compile(r"^\.?-?\s*with\s+(.*)", re.DOTALL)
_POSITION = re.compile(rf"\b({'|'.join(POSITIONS)})\b")
_AFTER_CHARACTER = re.compile(r"character(?:s|\(s\))?\s*:?\s*(.*)", re.DOTALL)
_SPAN = re.compile(r"(?<![0-9A-Z])([0-9A-Z])(?:-([0-9A-Z]))?(?![0-9A-Za-z])")
_SUFFIX = re.compile(r"\.([0-9A-Z]+)-?(?:-\.([0-9A-Z]+))?")
_ENDING = re.compile(r"(?:final characters?|fifth to sixth characters)\s+-?([0-9A-Z]{1,2})\b")
_FREE = "to indicate"  # "with fifth or sixth character to indicate intent": any will do


@dataclass(frozen=True, slots=True)
class CodeReference:
    """The codes that begin like one code, or like any from one to another.

    Attributes:
        first, last: without point; the same where it is no range.
        positions, characters: one of these characters stands at one of these places, from 1 on.
        suffixes: what is behind the category begins like one of these.
        ending: what the code ends with.
    """

    first: str
    last: str
    positions: tuple[int, ...] = ()
    characters: frozenset[str] = frozenset()
    suffixes: tuple[str, ...] = ()
    ending: str = ""

    def matches(self, code: str) -> bool:
        """Return whether a code, written with its point, is among them."""
        plain = code.replace(".", "")
        within = self.first <= plain[: len(self.first)] and plain[: len(self.last)] <= self.last
        if not within or "-" in plain:
            return False
        if self.positions and not any(plain[n - 1 : n] in self.characters for n in self.positions):
            return False
        rest = plain[CATEGORY_LENGTH:]
        if self.suffixes and not rest.startswith(self.suffixes):
            return False
        return plain.endswith(self.ending)


@dataclass(frozen=True, slots=True)
class References:
    """All codes that a text names."""

    each: tuple[CodeReference, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.each)

    def matches(self, code: str) -> bool:
        """Return whether the text means this code."""
        return any(reference.matches(code) for reference in self.each)


@lru_cache(maxsize=20_000)
def references(text: str) -> References:
    """Return the codes that a text names, in brackets, or where none are, anywhere in it.

    A condition that cannot be read leaves its codes out, as too many would be worse than none.
    Categories with a letter at the end (C4A) are taken as behind those with digits, which is not
    their place in three ranges of the tabular list.
    """
    bracketed = [inner for inner in _BRACKETS.findall(text) if _NAMED.search(inner)]
    found = (reference for part in bracketed or [text] for reference in _named(part))
    return References(tuple(dict.fromkeys(found)))


def _named(text: str) -> Iterator[CodeReference]:
    """Yield the codes of one bracket, each with the condition that follows it."""
    hits = list(_NAMED.finditer(text))
    for number, hit in enumerate(hits):
        end = hits[number + 1].start() if number + 1 < len(hits) else len(text)
        first = _plain(hit["first"])
        last = _plain(hit["last"] or hit["first"])
        reference = CodeReference(first, last)
        condition = _CONDITION.match(text[hit.end() : end].strip(" ,;"))
        met = reference if condition is None else _conditioned(reference, condition[1])
        if met is not None:
            yield met


def _plain(code: str) -> str:
    return code.replace(".", "")


def _conditioned(reference: CodeReference, condition: str) -> CodeReference | None:
    """Return a reference under a condition; None where it cannot be read."""
    ending = _ENDING.search(condition)
    if ending:
        return CodeReference(reference.first, reference.last, ending=ending[1])
    suffixes = tuple(_spread(condition))
    if suffixes:
        return CodeReference(reference.first, reference.last, suffixes=suffixes)
    positions = tuple(POSITIONS[word] for word in _POSITION.findall(condition))
    stated = _AFTER_CHARACTER.search(condition.replace("-character", " character"))
    if not positions or stated is None:
        return None
    if stated[1].startswith(_FREE):
        return reference
    characters = frozenset(_characters(stated[1]))
    return (
        CodeReference(reference.first, reference.last, positions, characters)
        if characters
        else None
    )


def _spread(condition: str) -> Iterator[str]:
    """Yield the endings of `.51-.52`, `.17, .27` or `.62-`."""
    for first, last in _SUFFIX.findall(condition):
        if last and first.isdigit() and last.isdigit() and len(first) == len(last):
            yield from (f"{n:0{len(first)}}" for n in range(int(first), int(last) + 1))
        else:
            yield first


def _characters(text: str) -> Iterator[str]:
    """Yield the characters of `1-4 or 6`."""
    for first, last in _SPAN.findall(text):
        yield from (chr(n) for n in range(ord(first), ord(last or first) + 1))
