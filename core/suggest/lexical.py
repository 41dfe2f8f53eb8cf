"""Names of codes in a text: every label of a vocabulary, in whatever inflection and order.

All labels are looked at at once: an inverted list says which wordings have each word, so that
counting the words of a text leaves those of which none is missing. Only of these is asked whether
their words stand together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.suggest.clinical_words import Word, words_of
from core.suggest.label_wordings import Kind
from core.suggest.lexical_index import LexicalIndex, Numbers, starts
from core.vocabulary.concepts import Hierarchy

Places = Mapping[int, list[int]]

MAX_GAP = 2  # words that may stand between those of a name


@dataclass(frozen=True, slots=True)
class LexicalMatch:
    """A name of a concept at one place of a text.

    Attributes:
        label: the concept's preferred label.
        start, end: code-point offsets, from the first of its words to behind the last.
        kind: how literal the name is.
        n_words: words of the name that count.
        gap: words that count and stand between them.
        lowered: whether the name is that of a category, and this its code without particulars.
    """

    concept_id: str
    label: str
    start: int
    end: int
    kind: Kind
    n_words: int
    gap: int = 0
    lowered: bool = False


class _Find(NamedTuple):
    """A wording, by its number, from one word of a text to another."""

    wording: int
    first: int
    last: int
    n_keys: int
    gap: int


class LexicalMatcher:
    """Finds names of the assignable concepts of a hierarchy; may be used from many threads.

    Args:
        index: of this very hierarchy; it is built where none is given.
        language: of the labels that are looked for.
    """

    def __init__(
        self, hierarchy: Hierarchy, index: LexicalIndex | None = None, *, language: str = "en"
    ) -> None:
        self.hierarchy = hierarchy
        self.language = language
        self._index = index or LexicalIndex.build(hierarchy, language)
        self._concept_ids = list(hierarchy)
        self._numbers = {key: n for n, key in enumerate(self._index.vocabulary.tolist())}
        self._n_keys = np.diff(self._index.key_starts)
        self._having, self._having_starts = self._inverted()

    @classmethod
    def open(cls, hierarchy: Hierarchy, path: Path, *, language: str = "en") -> LexicalMatcher:
        """With the index from a file, which is written where it is missing or of another one.

        Raises:
            VocabularyError: the file cannot be written.
        """
        index = LexicalIndex.open(hierarchy, path, language)
        return cls(hierarchy, index, language=language)

    def __len__(self) -> int:
        """How many wordings are looked for."""
        return len(self._index)

    def matches(self, text: str) -> list[LexicalMatch]:
        """All names in a text, in the order of the text; none that is part of a longer one."""
        words = list(words_of(text))
        places: dict[int, list[int]] = defaultdict(list)
        for n, word in enumerate(words):
            for key in {self._numbers[key] for key in word.keys if key in self._numbers}:
                places[key].append(n)
        found = [one for n in self._complete(places) for one in self._at(n, places, words)]
        return [match for one in _longest(found) for match in self._matches(one, words)]

    def _inverted(self) -> tuple[Numbers, Numbers]:
        """The wordings that have each key, and where those of each begin."""
        keys = self._index.keys
        owner = np.repeat(np.arange(len(self), dtype=np.int32), self._n_keys)
        counts = np.bincount(keys, minlength=len(self._numbers))
        return owner[np.argsort(keys, kind="stable")], starts(counts)

    def _complete(self, places: Places) -> list[int]:
        """The wordings of which no word is missing."""
        begins, having = self._having_starts, self._having
        lists = [having[begins[key] : begins[key + 1]] for key in places]
        if not lists:
            return []
        counts = np.bincount(np.concatenate(lists), minlength=len(self))
        complete: list[int] = np.flatnonzero(counts == self._n_keys).tolist()
        return complete

    def _at(self, wording: int, places: Places, words: Sequence[Word]) -> Iterator[_Find]:
        """Wherever the words of a wording stand together, in whatever order."""
        first, behind = self._index.key_starts[wording : wording + 2]
        keys: list[int] = self._index.keys[first:behind].tolist()
        rarest, *others = sorted((places[key] for key in keys), key=len)
        most = len(keys) + min(MAX_GAP, len(keys) - 1)
        seen: set[tuple[int, int]] = set()
        for seed in rarest:
            chosen = [seed, *(_nearest(one, seed) for one in others)]
            ends = min(chosen), max(chosen)
            width = words[ends[1]].place - words[ends[0]].place + 1
            if width <= most and ends not in seen:
                seen.add(ends)
                yield _Find(wording, *ends, len(keys), width - len(set(chosen)))

    def _matches(self, found: _Find, words: Sequence[Word]) -> Iterator[LexicalMatch]:
        """One for each concept that the wording stands for."""
        index = self._index
        for name in range(*index.name_starts[found.wording : found.wording + 2]):
            concept_id = self._concept_ids[index.concepts[name]]
            yield LexicalMatch(
                concept_id=concept_id,
                label=self.hierarchy[concept_id].label(self.language),
                start=words[found.first].start,
                end=words[found.last].end,
                kind=index.kind(name),
                n_words=found.n_keys,
                gap=found.gap,
                lowered=bool(index.lowered[name]),
            )


def _nearest(places: list[int], seed: int) -> int:
    at = bisect_left(places, seed)
    return min(places[max(0, at - 1) : at + 1], key=lambda place: abs(place - seed))


def _longest(found: list[_Find]) -> list[_Find]:
    """Those that are not part of a place where a name of more words stands."""
    kept: list[_Find] = []
    covering: dict[int, list[_Find]] = defaultdict(list)  # word -> names of more words around it
    for one in sorted(found, key=lambda one: -one.n_keys):
        around = covering[one.first]
        if any(o.n_keys > one.n_keys and one.last <= o.last for o in around):
            continue
        kept.append(one)
        for word in range(one.first, one.last + 1):
            covering[word].append(one)
    return sorted(kept, key=lambda one: (one.first, one.last))
