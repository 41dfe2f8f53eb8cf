"""A few phrases that a person can read, from a score for each word."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from core.suggest.evidence.spans import DocumentWords, Passage, Span

Array = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

MAX_PASSAGES = 5
MIN_PASSAGES = 3
MAX_PHRASE_WORDS = 7
# A phrase below this share of the strongest one is left out past the third.
_WEAK = 0.25
# A phrase begins at a word whose score exceeds that of this many average words.
_AVERAGES = 2.0
# A neighbour with this share of the strongest word's score belongs to the phrase.
_NEARLY_AS_STRONG = 0.35
# The weakest beginnings in a long text would not be shown anyway.
_MAX_SEEDS = 200
_MAX_GROUPS = 40
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
# English words that nobody would begin or end a phrase with; the model's language is English.
SMALL_WORD = re.compile(
    "a|an|and|are|as|at|be|been|but|by|can|could|did|do|does|for|from|had|has|have|he|her|his|if|"
    "in|into|is|it|its|may|no|nor|not|of|on|or|our|shall|she|should|so|such|than|that|the|their|"
    "them|then|there|these|they|this|those|to|under|was|we|were|what|when|where|which|who|will|"
    "with|would|you"
)


def passages(words: DocumentWords, scores: Array) -> list[Passage]:
    """Return the phrases that support a concept most, best first.

    Args:
        scores: how much each word supports it, shape (n_words,).
    """
    positive = np.maximum(scores, 0)
    total = float(positive.sum())
    if total <= 0:
        return []
    groups = _Groups(words, positive)
    large = np.array([_says_something(word) for word in words.folded], dtype=bool)
    for first, last in _phrases(positive, words.joined, large):
        groups.add(*_trimmed(large, first, last))
    made = [
        Passage(words.texts[spans[0].field][spans[0].start : spans[0].end], weight / total, spans)
        for weight, spans in groups.ranked()[:MAX_PASSAGES]
    ]
    return [p for i, p in enumerate(made) if i < MIN_PASSAGES or p.share >= _WEAK * made[0].share]


class _Groups:
    """Phrases grouped by their words: the same words, or with more words around them."""

    def __init__(self, words: DocumentWords, scores: Array) -> None:
        self.words, self.scores = words, scores.tolist()
        self._places: dict[str, list[tuple[float, Span]]] = defaultdict(list)

    def add(self, first: int, last: int) -> None:
        """Note one place, from one word to another."""
        spans = self.words.spans
        text = " ".join(self.words.folded[first : last + 1])
        weight = sum(self.scores[first : last + 1])
        span = _balanced(
            self.words.texts[spans[first].field],
            Span(spans[first].field, spans[first].start, spans[last].end),
        )
        self._places[f" {text} "].append((weight, span))

    def ranked(self) -> list[tuple[float, tuple[Span, ...]]]:
        """Return weight and places of each group, best first, and the strongest place first."""
        by_weight = sorted(self._places, key=lambda text: -self._weight(text))
        merged: dict[str, list[tuple[float, Span]]] = {}
        for text in by_weight[:_MAX_GROUPS]:
            same = next(
                (
                    text_before
                    for text_before in merged
                    if text_before in text or text in text_before
                ),
                text,
            )
            merged.setdefault(same, []).extend(
                sorted(self._places[text], key=lambda place: -place[0])
            )
        totals = [
            (sum(weight for weight, _ in places), tuple(span for _, span in places))
            for places in merged.values()
        ]
        return sorted(totals, key=lambda group: -group[0])

    def _weight(self, text: str) -> float:
        return sum(weight for weight, _ in self._places[text])


def _says_something(word: str) -> bool:
    """Return whether a phrase may begin or end with a word: no small word, and no number alone."""
    return SMALL_WORD.fullmatch(word) is None and any(map(str.isalpha, word))


def _balanced(text: str, span: Span) -> Span:
    """Return a phrase with both brackets or none: with the other one beside it, or cut before it."""
    start, end = span.start, span.end
    for opening, closing in BRACKETS:
        phrase = text[start:end]
        if phrase.count(opening) == phrase.count(closing):
            continue
        if text[end : end + 1] == closing and phrase.count(opening) > phrase.count(closing):
            end += 1
        elif text[start - 1 : start] == opening and phrase.count(closing) > phrase.count(opening):
            start -= 1
        else:
            start, end = _longer_side(text, (start, end), opening + closing)
    return Span(span.field, start, end)


def _longer_side(text: str, ends: tuple[int, int], brackets: str) -> tuple[int, int]:
    """Return the longest stretch without any of these brackets."""
    start, end = ends
    cuts = [start - 1, *(n for n in range(start, end) if text[n] in brackets), end]
    first, last = max(pairwise(cuts), key=lambda pair: pair[1] - pair[0])
    inside = text[first + 1 : last]
    start = first + 1 + len(inside) - len(inside.lstrip())
    return start, start + len(inside.strip())


def _trimmed(large: Flags, first: int, last: int) -> tuple[int, int]:
    """Return a phrase without the small words at its ends; it has others."""
    inside = first + np.flatnonzero(large[first : last + 1])
    return int(inside[0]), int(inside[-1])


def _phrases(scores: Array, joined: list[bool], large: Flags) -> list[tuple[int, int]]:
    """Return first and last words of phrases around the strongest words, none over a break.

    A phrase takes in neighbours that score nearly as high as its strongest word, also over a word
    between them that does not, such as an "of". That leaves out the rest of a title, all of which
    scores higher than the text. No phrase begins with a small word: a bare "the" shows a person
    nothing, however high its score.
    """
    values = scores.tolist()
    taken = bytearray(len(values) + 1)
    phrases_found = []
    for seed in _seeds(scores, large):
        if taken[seed]:
            continue
        first, last = _grown(values, joined, taken, seed)
        taken[first : last + 1] = b"\1" * (last + 1 - first)
        phrases_found.append((first, last))
    return phrases_found


def _seeds(scores: Array, large: Flags) -> list[int]:
    """Return the words from which phrases grow, the strongest first, without stop words."""
    supporting = np.flatnonzero(large & (scores > 0))
    strong = supporting[scores[supporting] > _AVERAGES * scores.mean()]
    chosen = strong if len(strong) else supporting
    ordered: list[int] = chosen[np.argsort(-scores[chosen], kind="stable")][:_MAX_SEEDS].tolist()
    return ordered


def _grown(scores: list[float], joined: list[bool], taken: bytearray, seed: int) -> tuple[int, int]:
    """Return the phrase around a word, grown on its stronger side first."""
    first = last = seed
    while last - first + 1 < MAX_PHRASE_WORDS:
        before, after = (
            _next(scores, joined, taken, edge, step, _NEARLY_AS_STRONG * scores[seed])
            for edge, step in ((first, -1), (last, 1))
        )
        if before is None and after is None:
            break
        if after is None or (before is not None and scores[before] > scores[after]):
            first = before if before is not None else first
        else:
            last = after
    return first, last


def _next(
    scores: list[float], joined: list[bool], taken: bytearray, edge: int, step: int, least: float
) -> int | None:
    """Return the next word past an edge with the least score; beyond another word, twice that."""
    for reach in (1, 2):
        word = edge + reach * step
        # Whether a phrase may reach here is noted at the second of two words.
        if not 0 <= word < len(scores) or taken[word] or not joined[word if step > 0 else word + 1]:
            return None
        if scores[word] >= reach * least:
            return word
    return None
