"""Names of codes in a text: every label of a vocabulary, in whatever inflection and order.

All labels are looked at at once: an inverted list says which wordings have each word, so that
counting the words of a text leaves those of which none is missing. Only of these is asked whether
their words stand together. Long texts are looked at stretch by stretch.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.clinical.names.clinical_words import Word, key_of, words_of
from core.clinical.names.index import LexicalIndex, Numbers, starts
from core.clinical.names.past_conditions import PastConditions
from core.clinical.names.wordings import LexicalMatch
from core.vocabulary.concepts import Hierarchy

Places = Mapping[int, list[int]]

TYPE = key_of("type")
MAX_GAP = 2  # words that may stand between those of a name
# "MCA stroke with right | hemiparesis", "fibrillation with rapid ventricular | response": the side
# is that of what follows, and so is the organ.
_OF_NEXT = re.compile(
    r"(?:\b(?:with|and|plus)\s+|w/\s*)(?:(?:a|an|new|mild|residual)\s+)?(?:left|right)(?=\s+[a-z])"
    r"|\b(?:atrial|cardiac|heart|hepatic|kidney|liver|pulmonary|renal|respiratory|ventricular)"
    r"(?=\s+(?:drive|effort|enzymes|function|pressures?|rates?|response|rhythm|size|status|tests?)\b)",
    re.IGNORECASE,
)
# "Pulmonary edema due to hypertensive heart disease": the organ is that of what was caused, and no
# half of "pulmonary hypertension".
_OF_CAUSED = re.compile(
    r"\b(?:cardiac|heart|hepatic|kidney|liver|pulmonary|renal|respiratory)"
    r"(?=\s+[a-z]+,?\s+(?:due to|d/t|secondary to|2/2|caused by|because of|from|in the setting of)\s)",
    re.IGNORECASE,
)
# Words of a stretch: it ends with the sentence, and one without an end is cut.
STRETCH, LONGEST_STRETCH = 1_000, 1_500


class _Find(NamedTuple):
    """A wording, by its number, from one word of a text to another."""

    wording: int
    first: int
    last: int
    n_keys: int
    gap: int
    is_one: bool  # without other words between


class _Near:
    """Words by key, and whether others are near, as bits of whole numbers: one for each place."""

    def __init__(self, words: Sequence[Word], places: Places) -> None:
        self._origin = words[0].place if words else 0
        self._words = words
        self._places = places
        self._bits: dict[tuple[int, int], int] = {}

    def within(self, key: int, reach: int) -> int:
        """Return the places that are no further than this from a word with the key."""
        bits = self._bits.get((key, reach))
        if bits is None:
            bits = 0
            if reach:
                before = self.within(key, reach - 1)
                bits = before | before << 1 | before >> 1
            else:
                for n in self._places[key]:
                    bits |= 1 << (self._words[n].place - self._origin)
            self._bits[key, reach] = bits
        return bits

    def seeds(self, rarest: int, others: Sequence[int], reach: int) -> list[int]:
        """Return the words with the first key that have all others within reach."""
        near = self.within(rarest, 0)
        for key in others:
            near &= self.within(key, reach)
            if not near:
                return []
        return [n for n in self._places[rarest]
                if near >> (self._words[n].place - self._origin) & 1]  # fmt: skip


class LexicalMatcher:
    """Finds names of the assignable concepts of a hierarchy; may be used from many threads.

    Args:
        index: of this very hierarchy; it is built where none is given.
    """

    def __init__(self, hierarchy: Hierarchy, index: LexicalIndex | None = None) -> None:
        self.hierarchy = hierarchy
        self._index = index or LexicalIndex.build(hierarchy)
        self._concept_ids = list(hierarchy)
        self._numbers = {key: n for n, key in enumerate(self._index.vocabulary.tolist())}
        self._n_keys = np.diff(self._index.key_starts)
        self._having, self._having_starts = self._inverted_lists()

    @classmethod
    def open(cls, hierarchy: Hierarchy, path: Path) -> LexicalMatcher:
        """With the index from a file, which is written where it is missing or of another one.

        Raises:
            VocabularyError: the file cannot be written.
        """
        return cls(hierarchy, LexicalIndex.open(hierarchy, path))

    def __len__(self) -> int:
        """How many wordings are looked for."""
        return len(self._index)

    @cached_property
    def past(self) -> PastConditions:
        """What the codes say of conditions that are over; computed when it is first used."""
        return PastConditions(self.hierarchy, self.matches)

    def matches(self, text: str) -> list[LexicalMatch]:
        """All names in a text, in the order of the text; none that is part of a longer one."""
        return [
            match
            for words in _stretches(words_of(text))
            for match in self._in_stretch(
                words, _ends(_OF_NEXT, text, words), _ends(_OF_CAUSED, text, words)
            )
        ]

    def _in_stretch(
        self, words: Sequence[Word], of_next: Collection[int], of_caused: Collection[int]
    ) -> Iterator[LexicalMatch]:
        """Yield the names in a stretch.

        Args:
            of_next: where words end that belong to what follows, and so end no name.
            of_caused: where organs end of what has a cause, and so begin no name of that.
        """
        places: dict[int, list[int]] = defaultdict(list)
        for n, word in enumerate(words):
            for key in {self._numbers[key] for key in word.keys if key in self._numbers}:
                places[key].append(n)
        near = _Near(words, places)
        places_found = [
            place
            for n in self._complete_wordings(places)
            for place in self._at(n, places, words, near)
            if words[place.last].end not in of_next
            and not (place.gap and place.n_keys == 2 and words[place.first].end in of_caused)
        ]
        for place in _longest(_untorn(places_found, words)):
            yield from self._matches_of_concepts(place, words)

    def _inverted_lists(self) -> tuple[Numbers, Numbers]:
        keys = self._index.keys
        owner = np.repeat(np.arange(len(self), dtype=np.int32), self._n_keys)
        counts = np.bincount(keys, minlength=len(self._numbers))
        return owner[np.argsort(keys, kind="stable")], starts(counts)

    def _complete_wordings(self, places: Places) -> list[int]:
        begins, having = self._having_starts, self._having
        lists = [having[begins[key] : begins[key + 1]] for key in places]
        if not lists:
            return []
        counts = np.bincount(np.concatenate(lists), minlength=len(self))
        complete: list[int] = np.flatnonzero(counts == self._n_keys).tolist()
        return complete

    def _at(
        self, wording: int, places: Places, words: Sequence[Word], near: _Near
    ) -> Iterator[_Find]:
        """Wherever the words of a wording stand together, in whatever order."""
        first, behind = self._index.key_starts[wording : wording + 2]
        keys: list[int] = self._index.keys[first:behind].tolist()
        rarest, *others = sorted(keys, key=lambda key: len(places[key]))
        most = len(keys) + min(MAX_GAP, len(keys) - 1)
        seen: set[tuple[int, int]] = set()
        for seed in near.seeds(rarest, others, most - 1):
            chosen = {seed, *(_nearest(places[key], seed, words) for key in others)}
            ends = min(chosen), max(chosen)
            width = words[ends[1]].place - words[ends[0]].place + 1
            if width > most or ends in seen or not self._says_all(chosen, words, keys):
                continue
            if any(_is_number_of_type(n, words) and n - 1 not in chosen for n in chosen):
                continue
            seen.add(ends)
            gap = width - len(chosen)
            is_across = words[ends[0]].clause != words[ends[1]].clause
            # Else the parts of two names: "knee pain, left hip fracture".
            if not is_across or (gap == 0 and words[ends[1]].closes):
                yield _Find(wording, *ends, len(keys), gap, gap == 0)

    def _says_all(self, chosen: Iterable[int], words: Sequence[Word], keys: list[int]) -> bool:
        """Whether of words that stand for several, all are in the name, or the word itself."""
        for n in chosen:
            itself, *meant = (self._numbers.get(key, -1) for key in words[n].keys)
            if meant and itself not in keys and not set(meant) <= set(keys):
                return False
        return True

    def _matches_of_concepts(self, place: _Find, words: Sequence[Word]) -> Iterator[LexicalMatch]:
        index = self._index
        for name in range(*index.name_starts[place.wording : place.wording + 2]):
            concept_id = self._concept_ids[index.concepts[name]]
            yield LexicalMatch(
                concept_id=concept_id,
                label=self.hierarchy[concept_id].label(),
                start=words[place.first].start,
                end=words[place.last].end,
                kind=index.kind(name),
                n_words=place.n_keys,
                gap=place.gap,
                lowered=bool(index.lowered[name]),
            )


def _stretches(words: Iterable[Word]) -> Iterator[list[Word]]:
    """Words in stretches that are no longer than what is looked at at once."""
    here: list[Word] = []
    for word in words:
        is_new = here and word.place > here[-1].place + 1
        if (len(here) >= STRETCH and is_new) or len(here) >= LONGEST_STRETCH:
            yield here
            here = []
        here.append(word)
    if here:
        yield here


def _ends(pattern: re.Pattern[str], text: str, words: Sequence[Word]) -> frozenset[int]:
    """Return where the words end that a pattern finds in a stretch of words."""
    found = pattern.finditer(text, words[0].start, words[-1].end)
    return frozenset(match.end() for match in found)


def _is_number_of_type(n: int, words: Sequence[Word]) -> bool:
    """Return whether a number is that of a type: the 2 of "type 2 diabetes with CKD" is no stage."""
    return words[n].keys[0].isdigit() and n > 0 and words[n - 1].keys[0] == TYPE


def _nearest(numbers: list[int], seed: int, words: Sequence[Word]) -> int:
    """Return the word beside another, in its clause if there is one there.

    Of two the one behind, as "failure" follows "kidney".
    """
    at, clause = words[seed].place, words[seed].clause
    behind = bisect_left(numbers, seed)
    around = numbers[max(0, behind - 1) : behind + 1]
    return min(around, key=lambda n: (words[n].clause != clause, abs(words[n].place - at), -n))


def _untorn(places: list[_Find], words: Sequence[Word]) -> list[_Find]:
    """Return those that take no words from a name before a comma to join them to another behind it.

    "Sacral pressure ulcer stage 2, CKD" says no stage of the kidney disease.
    """
    spans = {(place.first, place.last) for place in places}
    begins: dict[int, int] = {}  # last word -> where the longest name that ends there begins
    for first, last in spans:
        begins[last] = min(first, begins.get(last, first))

    def is_torn(place: _Find) -> bool:
        clause = words[place.first].clause
        behind = next(
            (n for n in range(place.first, place.last + 1) if words[n].clause != clause), None
        )
        return (
            behind is not None
            and (behind, place.last) in spans
            and begins.get(behind - 1, place.first) < place.first
        )

    return [place for place in places if not is_torn(place)]


def _longest(places: list[_Find]) -> list[_Find]:
    """Return those that are not part of a place where a name of more words stands together."""
    longest: list[_Find] = []
    covering: dict[int, list[_Find]] = defaultdict(list)  # word -> names of more words around it
    for place in sorted(places, key=lambda place: -place.n_keys):
        around = covering[place.first]
        if any(
            wider.is_one and wider.n_keys > place.n_keys and place.last <= wider.last
            for wider in around
        ):
            continue
        longest.append(place)
        for word in range(place.first, place.last + 1):
            covering[word].append(place)
    return sorted(longest, key=lambda place: (place.first, place.last))
