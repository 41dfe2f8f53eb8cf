"""What ICD-10-CM instructs at a code and at all that is above it.

Only what a code itself says is kept in its notes; what a category, a block or a chapter says holds
for every code below it, so it is found here by climbing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from core.vocabulary.concepts import Concept, Hierarchy

EXCLUDES_1, EXCLUDES_2 = "excludes1", "excludes2"
CODE_FIRST, USE_ADDITIONAL, CODE_ALSO = "codeFirst", "useAdditionalCode", "codeAlso"
KINDS = (EXCLUDES_1, EXCLUDES_2, CODE_FIRST, USE_ADDITIONAL, CODE_ALSO)
HEADINGS = {
    EXCLUDES_1: "Excludes1",
    EXCLUDES_2: "Excludes2",
    CODE_FIRST: "Code first",
    USE_ADDITIONAL: "Use additional",
    CODE_ALSO: "Code also",
}
LOOSE = ("if applicable", "if known", "any ")
OPEN_LIST = "such as"
# Words of instructions for special cases, as "heart failure due to hypertension (I11.0)" at heart
# failure; what asks for the disease behind a code holds for every case of it.
CASES = ("complicating", "due to", "following", "associated")
ALWAYS = ("underlying", "the ")
ADVERSE_EFFECTS, ADVERSE_EFFECT = "for adverse effects", "5"
INTENT_LENGTH = 6  # the characters of a code of T36-T50 up to its intent


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction that holds for a code.

    Attributes:
        kind: one of `KINDS`.
        text: as the code system has it, without its heading.
        stated_at: the concept whose note it is: the code, or one above it.
        codes: what the text names; of "underlying condition" there are none.
    """

    kind: str
    text: str
    stated_at: str
    codes: References

    @property
    def is_loose(self) -> bool:
        """Whether it holds only for some, as "if applicable" or a list of special cases says."""
        text = self.text.lower()
        if any(words in text for words in LOOSE):
            return True
        asked = text.partition(OPEN_LIST)[0]  # without its examples
        return not asked.startswith(ALWAYS) and any(words in asked for words in CASES)

    def holds_for(self, code: str) -> bool:
        """Return whether it is meant for this code: one for adverse effects is for no poisoning.

        Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.19.e.5.
        """
        if not self.text.lower().startswith(ADVERSE_EFFECTS):
            return True
        return code.replace(".", "")[:INTENT_LENGTH].rstrip("X").endswith(ADVERSE_EFFECT)

    @property
    def has_open_list(self) -> bool:
        """Whether the codes that it names are examples."""
        return OPEN_LIST in self.text.lower()

    @property
    def is_perhaps(self) -> bool:
        """Whether it gives examples of what may be a cause: "if applicable, …, such as"."""
        return self.has_open_list and self.text.lower().startswith("if applicable")

    @property
    def sentence(self) -> str:
        """The instruction on one line, with its heading."""
        words = " ".join(self.text.split())
        colon = ":" if self.kind in (EXCLUDES_1, EXCLUDES_2) else ""
        return f"{HEADINGS[self.kind]}{colon} {words}"


def instructions(
    concept_id: str, hierarchy: Hierarchy, kinds: Iterable[str] = KINDS
) -> list[Instruction]:
    """Return the instructions for a code, the nearest first; none for an unknown concept."""
    if concept_id not in hierarchy:
        return []
    wanted = tuple(kinds)
    return [
        instruction
        for above in with_ancestors(concept_id, hierarchy)
        for instruction in _stated_at(hierarchy[above], wanted)
    ]


def with_ancestors(concept_id: str, hierarchy: Hierarchy) -> list[str]:
    """Return a code and all that is above it, the nearest first."""
    above = hierarchy.ancestors(concept_id)
    return [concept_id, *sorted(above, key=lambda concept: (-hierarchy.level(concept), concept))]


def _stated_at(concept: Concept, kinds: Iterable[str]) -> Iterator[Instruction]:
    for kind in kinds:
        for texts in concept.notes.get(kind, {}).values():
            for text in texts:
                yield Instruction(kind, text, concept.concept_id, references(text))


# ---------------------------------------------------------------------- codes that they name
# The tabular list writes `(E08.-)` for all that begins so, `(I10-I1A)` for a range, and conditions
# such as `(T36-T50 with fifth or sixth character 5)` or `(E08-E13 with .51-.52)`.

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
    named = (reference for part in bracketed or [text] for reference in _named(part))
    return References(tuple(dict.fromkeys(named)))


def _named(text: str) -> Iterator[CodeReference]:
    """Yield the codes of one bracket, each with the condition that follows it.

    A condition that cannot be read may hold for all codes of the list that it ends.
    """
    hits = list(_NAMED.finditer(text))
    listed: list[CodeReference] = []
    for number, hit in enumerate(hits):
        end = hits[number + 1].start() if number + 1 < len(hits) else len(text)
        first = _without_point(hit["first"])
        last = _without_point(hit["last"] or hit["first"])
        reference = CodeReference(first, last)
        condition = _CONDITION.match(text[hit.end() : end].strip(" ,;"))
        if condition is None:
            listed.append(reference)
            continue
        complete = _conditioned(reference, condition[1])
        if complete is not None:
            yield from (*listed, complete)
        listed = []
    yield from listed


def _without_point(code: str) -> str:
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
