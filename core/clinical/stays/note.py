"""A note of a stay as rules read it, and what a rule finds."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from core.clinical.assertions import Assertions, is_denying
from core.clinical.names.mentions import Mention, Named
from core.documents.document import Document
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy

ASSERTED = 0.2
"""Probability from which on a condition that a note names, and does not deny, is taken as said."""
NO_CONDITIONS = ("Z", "Y")
NEAR = 8
"""Names before and behind that of a condition in which the nearest one is looked for."""
# The point of "E. coli" ends none.
_SENTENCE_END = re.compile(
    r"[;!?](?=\s|$)|(?<!\b[A-Z])\.(?=[\x22”’]?(?:\s|$))|\.(?=\s+[^a-z\s]|\s*$)|\n"
)
LONGEST_SENTENCE = 1_000
"""Characters; what has none of these marks is cut, since rules look through a sentence at a time."""
# Before an L and behind an R that are sides. "80 mg/L" and "given 1 L" are litres, and "stage 3 L heel",
# "L5-S1 L foot drop", "POD 2 L hip" are none; "R 18" counts breaths, and no "R 5th toe", "R 8-10 rib".
NO_LITRES = (
    r"(?<![/\d])(?:(?<![\s.,(~>]\d )(?<!^\d )(?<!\s\d\d )(?<!\.\d\d )(?<!\s\d-\d )"
    r"|(?<=(?i:stage|grade) \d )|(?<=(?i:type) \d )|(?<=(?i:day|pod) \d ))"
)
NO_BREATHS = r"(?! ?[:=]? ?(?:[6-9]|\d{2,3})\b(?![-–\d ]{0,6}ribs?\b))"


class StayCode(NamedTuple):
    """A code that a rule finds.

    Attributes:
        spans: the words that say it.
        replaced: codes that it takes the place of.
    """

    code: str
    probability: float
    spans: tuple[Span, ...]
    replaced: tuple[str, ...] = ()


@dataclass(frozen=True)
class StayNote:
    """A note, and the codes that it says so far.

    Attributes:
        chances: probabilities of its codes so far.
        named: codes that it names, and neither denies nor calls over.
        barred: codes that it denies, or calls over.
        denied: codes that it names and denies, of the family among them.
    """

    document: Document
    hierarchy: Hierarchy
    chances: Mapping[str, float]
    named: Sequence[Named]
    barred: frozenset[str] = frozenset()
    denied: Sequence[Named] = ()

    @cached_property
    def text(self) -> str:
        """All notes of the encounter."""
        return self.document.text

    @cached_property
    def codes(self) -> list[str]:
        """The codes that are likely enough to build on, in their order."""
        return sorted(i for i, p in self.chances.items() if p >= ASSERTED and i not in self.barred)

    def says(self, *beginnings: str) -> list[str]:
        """Return the codes that are said and begin with one of these."""
        return [code for code in self.codes if code.startswith(beginnings)]

    def affirmed(self, pattern: re.Pattern[str], *within: int) -> Iterator[re.Match[str]]:
        """Yield the matches of a pattern, of the text or from a start to an end, that are not denied."""
        for match in pattern.finditer(self.text, *within):
            if not self.denies(*match.span()):
                yield match

    def denies(self, start: int, end: int) -> bool:
        """Return whether the note denies what stands here."""
        return is_denying(self._assertions.at(start, end))

    def sentence(self, at: int) -> tuple[int, int]:
        """Return where the sentence around a place begins and ends, at most `LONGEST_SENTENCE`."""
        n = bisect_right(self._ends, at)
        return self._ends[n - 1], self._ends[n] if n < len(self._ends) else len(self.text)

    def around(self, condition: Span) -> tuple[int, int]:
        """Return where is told of a condition: in its sentence and the next one of its line.

        A line goes on where the next one begins in small letters. What is told of other conditions,
        before it and behind it, is left out.
        """
        start, end = self.sentence(condition.start)
        first = self.text[end : end + 1]
        if first.strip("\n") and (self.text[end - 1] != "\n" or first.islower()):
            end = self.sentence(end + 1)[1]
        names = self._places_of_conditions
        at = bisect_left(names, condition.start, key=lambda span: span.start)
        before = [span.end for span in names[max(at - NEAR, 0) : at] if span.end <= condition.start]
        behind = [span.start for span in names[at : at + NEAR] if span.start >= condition.end]
        return max([start, *before]), min([end, *behind])

    def has_beside(self, pattern: re.Pattern[str], span: Span) -> bool:
        """Return whether the sentence around a place has such words."""
        return pattern.search(self.text, *self.sentence(span.start)) is not None

    def mentions(self, code: str) -> list[Mention]:
        """Return where the text says a code without denying it."""
        mentions = self._mentions.get(code, ())
        return [m for m in mentions if m.span.field == "text" and not is_denying(m.assertion)]

    def spans(self, code: str) -> tuple[Span, ...]:
        """Return the places of these mentions."""
        return tuple(mention.span for mention in self.mentions(code))

    def is_only(self, code: str, holds: Callable[[Span], object]) -> bool:
        """Return whether the text says a code, and something holds wherever it does."""
        spans = self.spans(code)
        return bool(spans) and all(map(holds, spans))

    @cached_property
    def _mentions(self) -> dict[str, tuple[Mention, ...]]:
        return {code.concept_id: code.mentions for code in self.named}

    @cached_property
    def _places_of_conditions(self) -> list[Span]:
        spans = (
            mention.span
            for code in self.named
            if not code.concept_id.startswith(NO_CONDITIONS)
            for mention in self.mentions(code.concept_id)
        )
        return sorted(spans, key=lambda span: span.start)

    @cached_property
    def _assertions(self) -> Assertions:
        return Assertions.of_document(self.document)

    @cached_property
    def _ends(self) -> list[int]:
        ends = [0]
        for end in (*(match.end() for match in _SENTENCE_END.finditer(self.text)), len(self.text)):
            ends += [*range(ends[-1] + LONGEST_SENTENCE, end, LONGEST_SENTENCE), end]
        return ends


def span_of(match: re.Match[str]) -> Span:
    """Return where a match stands in the text."""
    return Span("text", *match.span())


def apart(one: re.Match[str], other: re.Match[str]) -> int:
    """Return how many characters lie between two matches."""
    return max(other.start() - one.end(), one.start() - other.end(), 0)
