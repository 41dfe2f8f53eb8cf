"""Places in a document, passages that support a concept, and the words that they are made of.

Offsets are code points into a document's title or its text, as `Document` gives them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.documents.document import Document, Part
from core.model.terms import WORD


@dataclass(frozen=True, slots=True)
class Span:
    """Some characters of a document.

    Attributes:
        field: "title" or "text".
        end: of the first character that is not in it.
    """

    field: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A phrase that supports a concept, wherever it stands in the document.

    Attributes:
        text: as it is written where it is strongest.
        share: of all that supports the concept, in [0, 1].
        spans: its places, the strongest first.
        is_name: whether it is a name of the concept, as one that says "family history of asthma".
        lasts: whether it names a condition that a patient who had it has still, such as diabetes.
    """

    text: str
    share: float
    spans: tuple[Span, ...]
    is_name: bool = False
    lasts: bool = False


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a ranker goes by for a concept.

    Attributes:
        n_assigned: indexed documents that have it, of all that are known.
        n_similar: indexed documents that have it, of those that are most like this one.
        n_compared: how many are most like it.
        counted_for, counted_against: kinds of features that made it more, or less, probable than
            candidates are on average, the strongest first.
        is_local: whether the indexed documents are those that were finished in this project, and
            not those that a model has learned from.
    """

    n_assigned: int
    n_similar: int
    n_compared: int
    counted_for: tuple[str, ...] = ()
    counted_against: tuple[str, ...] = ()
    is_local: bool = False


GroundsOf = Callable[[npt.NDArray[np.int64]], Sequence[Grounds | None]]
"""Of concepts, by their columns among those that may be assigned; None where nothing is known."""


def no_grounds(columns: npt.NDArray[np.int64]) -> Sequence[Grounds | None]:
    """Return that nothing is known, as of a suggester without a ranker."""
    return [None] * len(columns)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What supports a concept.

    Attributes:
        passages: the strongest first.
        sources: suggester -> the probability that it alone gives the concept; without those that
            have nothing to say of it.
        grounds: None where no ranker has any.
        here: what finished documents of the project say, beside a model; None where they are none,
            or say it as `grounds`.
    """

    passages: tuple[Passage, ...]
    sources: Mapping[str, float]
    grounds: Grounds | None = None
    here: Grounds | None = None


def without_spans(document: Document, spans: Iterable[Span]) -> Document:
    """Return a copy of a document in one part, with some characters of title and text deleted."""
    cut: dict[str, list[Span]] = {"title": [], "text": []}
    for span in spans:
        cut[span.field].append(span)
    text = _without(document.text, cut["text"])
    parts = (Part(text),) if text.strip() else ()
    return replace(document, title=_without(document.title, cut["title"]).strip(), parts=parts)


def _without(text: str, spans: Iterable[Span]) -> str:
    remaining, position = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        remaining.append(text[position : max(span.start, position)])
        position = max(position, span.end)
    return "".join([*remaining, text[position:]])


# ---------------------------------------------------------------------- words

# What parts two phrases: an empty line, or the end of a sentence or of a numbered point.
_BREAK = re.compile(r"\n|[.;:!?]\s")


class DocumentWords:
    """The words that a model reads of a document, those of the title first.

    Args:
        n_characters: how much of the text is read.
        skipped: for each character of a text, whether it is boilerplate; words of it are left out.

    Attributes:
        spans: where each word stands.
    """

    def __init__(
        self, document: Document, n_characters: int, skipped: Callable[[str], Sequence[int]]
    ) -> None:
        self.texts = {"title": document.title, "text": document.text[:n_characters]}
        self.spans: list[Span] = []
        self._left_out: dict[str, Sequence[int]] = {}
        self._first: dict[str, int] = {}
        self._starts: dict[str, list[int]] = {}
        for field, text in self.texts.items():
            self._first[field] = len(self.spans)
            left_out = self._left_out[field] = skipped(text)
            self.spans += [
                Span(field, word.start(), word.end())
                for word in WORD.finditer(text)
                if not left_out[word.start()]
            ]
            self._starts[field] = [s.start for s in self.spans[self._first[field] :]]

    def __len__(self) -> int:
        return len(self.spans)

    def at(self, field: str, position: int) -> int:
        """Return the number of the word that holds this character; -1 where there is none."""
        before = bisect_right(self._starts[field], position) - 1
        if before < 0:
            return -1
        number = self._first[field] + before
        return number if position < self.spans[number].end else -1

    def of_spans(self, spans: Sequence[Span]) -> npt.NDArray[np.int64]:
        """The word in which each span begins; -1 where it begins in none, as punctuation does."""
        return np.array([self.at(span.field, span.start) for span in spans], dtype=np.int64)

    def inside(self, spans: Sequence[Span]) -> list[int]:
        """Return the numbers of the words that begin in one of these spans, or else hold it whole.

        In a script without spaces, what stands between two commas is one word.
        """
        numbers: set[int] = set()
        for span in spans:
            starts, first = self._starts[span.field], self._first[span.field]
            lowest, highest = bisect_left(starts, span.start), bisect_left(starts, span.end)
            holder = self.at(span.field, span.start) if lowest == highest else -1
            numbers.update([holder] if holder >= 0 else range(first + lowest, first + highest))
        return sorted(numbers)

    def text_of(self, first: int, last: int) -> str:
        """Return what stands from one word to another of the same field, as it is written."""
        start, end = self.spans[first], self.spans[last]
        return self.texts[start.field][start.start : end.end]

    @cached_property
    def folded(self) -> list[str]:
        """Each word in small letters."""
        texts = self.texts
        return [texts[span.field][span.start : span.end].casefold() for span in self.spans]

    @cached_property
    def joined(self) -> list[bool]:
        """For each word, and for none after the last, whether a phrase may reach it from before."""
        is_joined = [False] * (len(self.spans) + 1)
        for i in range(1, len(self.spans)):
            before, here = self.spans[i - 1], self.spans[i]
            if before.field == here.field:
                between = self.texts[here.field][before.end : here.start + 1]
                skipped = any(self._left_out[here.field][before.end : here.start])
                is_joined[i] = not skipped and _BREAK.search(between) is None
        return is_joined
