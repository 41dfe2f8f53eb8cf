"""Labels in a text: each preferred and alternative label of a vocabulary, in whatever inflection, and as
evidence.

The labels are a tree of stemmed words, which is walked from every word of a text; the time depends
on the length of the text and hardly on the number of labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.suggest.evidence.spans import DocumentWords, Span
from core.vocabulary.concepts import Concept
from core.vocabulary.folding import UNSPACED, composed, places_of_words, stemming
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]
Columns = npt.NDArray[np.int64]

_QUALIFIER = re.compile(r"\([^()]*\)")
_FEWEST_CHARACTERS, _FEWEST_UNSPACED = 3, 2
_MOST_WORDS = 40  # of a label that is looked for; the time depends on them for each word of a text


class _Label(NamedTuple):
    concept: int
    is_preferred: bool


@dataclass(slots=True)
class _Node:
    """A stemmed word of labels, and what may follow it."""

    following: dict[str, _Node] = field(default_factory=dict)
    labels: list[_Label] = field(default_factory=list)


@dataclass(slots=True)
class LabelMatch:
    """All places where labels of one concept stand in a text.

    Attributes:
        first: number of the word at which the first of them begins.
        n_words: of the longest of them.
        is_preferred: whether the preferred label is among them.
        n_places: how many there are.
        n_alone: how many of them are in no longer label.
        places: start and end of all of them, those that are in no longer label first.
    """

    first: int
    n_words: int = 0
    is_preferred: bool = False
    n_places: int = 0
    n_alone: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)


class LabelMatches(NamedTuple):
    """What was found in a text.

    Attributes:
        concepts: by the concept's position among those that may be assigned.
        n_words: of the whole text.
    """

    concepts: dict[int, LabelMatch]
    n_words: int


class LabelMatcher:
    """Finds labels of the assignable concepts of a label space; may be used from many threads.

    Words are compared by their stems, in the order of the label. What stands in brackets behind a
    label, as in “crane (bird)”, need not stand in the text.

    Args:
        language: of the labels, as a tag; of concepts without one in it, the next best is taken.
    """

    def __init__(self, label_space: LabelSpace, language: str = "en") -> None:
        self._root = _Node()
        self._stem = lru_cache(maxsize=200_000)(stemming(language))
        for concept_id, position in label_space.assignable_position.items():
            for wording, is_preferred in _wordings(label_space.hierarchy[concept_id], language):
                self._add(wording, _Label(position, is_preferred))

    def find(self, text: str) -> LabelMatches:
        """Return every concept of which a label stands in a text."""
        words = places_of_words(text)
        stems = [self._stem(text[start:end].lower()) for start, end in words]
        matches = list(self._found(stems))
        longest = [0] * len(stems)
        for start, end, _ in matches:
            for word in range(start, end):
                longest[word] = max(longest[word], end - start)
        concepts: dict[int, LabelMatch] = {}
        inside: dict[int, list[tuple[int, int]]] = {}
        for start, end, labels in matches:
            is_alone = max(longest[start:end]) == end - start
            place = words[start][0], words[end - 1][1]
            for label in labels:
                match = concepts.setdefault(label.concept, LabelMatch(first=start))
                match.n_words = max(match.n_words, end - start)
                match.is_preferred |= label.is_preferred
                match.n_places += 1
                match.n_alone += is_alone
                (match.places if is_alone else inside.setdefault(label.concept, [])).append(place)
        for position, places in inside.items():
            concepts[position].places += places
        return LabelMatches(concepts, len(words))

    def _add(self, wording: str, label: _Label) -> None:
        # Older versions of a vocabulary may have accents apart from their letters.
        label_text = composed(wording).lower()
        stems = [self._stem(label_text[start:end]) for start, end in places_of_words(label_text)]
        fewest = _FEWEST_UNSPACED if UNSPACED.search(label_text) else _FEWEST_CHARACTERS
        if sum(map(len, stems)) < fewest or len(stems) > _MOST_WORDS:
            return
        node = self._root
        for stem in stems:
            node = node.following.setdefault(stem, _Node())
        if all(other.concept != label.concept for other in node.labels):
            node.labels.append(label)

    def _found(self, stems: list[str]) -> Iterator[tuple[int, int, list[_Label]]]:
        """Yield first word, word behind the last, and labels of each place, by the first word."""
        for start in range(len(stems)):
            node, end = self._root.following.get(stems[start]), start + 1
            while node is not None:
                if node.labels:
                    yield start, end, node.labels
                node = node.following.get(stems[end]) if end < len(stems) else None
                end += 1


def _wordings(concept: Concept, language: str) -> Iterator[tuple[str, bool]]:
    """Yield the labels, each with whether it is the preferred one as it is written."""
    yield concept.label(language), True
    for label in (concept.label(language), *concept.other_labels(language)):
        yield label, False
        yield _QUALIFIER.sub("", label), False


# ---------------------------------------------------------------------- evidence


@dataclass(frozen=True, slots=True)
class LabelWords:
    """The places of labels in a document, as what each word adds.

    Its logit of a concept is 1 where a label stands in the document, and 0 elsewhere; the words
    of all places have equal shares in it.

    Args:
        in_title, in_text: what was found there.
        right: by field, the probability that a concept is assigned whose label stands there,
            (n_assignable,).
    """

    words: DocumentWords
    in_title: LabelMatches
    in_text: LabelMatches
    right: dict[str, Array]

    def terms(self, columns: Columns) -> Array:
        """Return each word's part in the logits, (n_words + 1, concepts), the last of no word."""
        terms = np.zeros((len(self.words) + 1, len(columns)), dtype=np.float32)
        for number, column in enumerate(columns.tolist()):
            if inside := self.words.inside(self._spans(column)):
                terms[inside, number] = 1 / len(inside)
        return terms

    def logits(self, columns: Columns) -> Array:
        """Return 1 where a label of the concept stands in the document, else 0, (concepts,)."""
        standing = [bool(self._spans(column)) for column in columns.tolist()]
        return np.array(standing, dtype=np.float32)

    def bias(self, columns: Columns) -> Array:
        """Return the logits of a document that says nothing, (concepts,)."""
        return np.zeros(len(columns), dtype=np.float32)

    def probability(self, columns: Columns) -> Callable[[Array], Array]:
        """Return how often such a concept is assigned, as a function of whether a label stands."""
        chances = [
            max((float(self.right[field][column]) for field, _ in self._matches(column)), default=0)
            for column in columns.tolist()
        ]
        share = np.array(chances, dtype=np.float32)
        return lambda standing: np.asarray(standing * share, dtype=np.float32)

    def _matches(self, column: int) -> list[tuple[str, LabelMatch]]:
        fields = (("title", self.in_title), ("text", self.in_text))
        return [(name, of.concepts[column]) for name, of in fields if column in of.concepts]

    def _spans(self, column: int) -> list[Span]:
        """Return the places outside longer labels; all places where every one is inside."""
        matches = self._matches(column)
        places = {name: match.places[: match.n_alone] for name, match in matches}
        if not any(places.values()):
            places = {name: match.places for name, match in matches}
        return [Span(name, *place) for name, of_field in places.items() for place in of_field]
