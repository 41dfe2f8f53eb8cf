"""Mends typing errors: words that labels have near to what a person typed, and their labels."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from core.vocabulary.folding import fold_text
from core.vocabulary.search.hits import Match, Why
from core.vocabulary.search.label_rows import LabelRows

MIN_LETTERS = 4  # a shorter word is near to too many others
TWO_ERRORS = 6  # letters from which on a word may have two
PER_WORD = 16
MENDED_READ = 60  # labels of which the likeliest are shown
LONGEST_CUT = 16  # longer ones are cut when they are asked for
MOST_VARIED = 6  # words of one query that are varied at once

Choices = list[str]
Reading = Sequence[Choices]


class Spelling:
    """The words of an index; a word that is still being typed is compared with beginnings.

    An error is a letter left out, put in, or wrong, or two neighbours swapped.
    Source: optimal string alignment distance, as in rapidfuzz. The first letter is seldom wrong
    (Yannakoudakis and Fawthrop 1983), so it is held to be right while that finds anything.

    Args:
        words: folded words, with the number of labels that have them.
    """

    def __init__(self, words: Mapping[str, int]) -> None:
        self._words = words
        self._sorted = sorted(words)
        self._letters = {word[0] for word in words}
        self._beginnings: dict[int, dict[str, dict[str, int]]] = {}

    def warm(self) -> None:
        """Cut the words now, so that the first error does not wait for it."""
        for length in range(2, LONGEST_CUT):
            self._of_length(length)

    def is_word(self, text: str) -> bool:
        """Return whether a label has this very word, not only one that begins so."""
        return text in self._words

    def readings(self, query: str) -> Iterator[list[Choices]]:
        """Yield corrections of the words of a folded query, the likeliest first.

        First words that no label has are replaced by what is nearest, then long ones by what is two
        errors away, and at last words that labels do have too, for an error may make another word.
        """
        words = query.split()
        unknown = {word for word in words if self.may_be_wrong(word) and not self.begins_word(word)}
        if unknown:
            most = {word: 2 if len(word) >= TWO_ERRORS else 1 for word in unknown}
            nearest = {
                word: self._near(word, 1) or self._near(word, most[word]) for word in unknown
            }
            yield [nearest.get(word) or [word] for word in words]
            within_two = {word: self._near(word, most[word]) for word in unknown}
            if within_two != nearest:
                yield [within_two.get(word) or [word] for word in words]
        varied = sorted(filter(self.may_be_wrong, words), key=len, reverse=True)[:MOST_VARIED]
        yield [
            [word, *self._near(word, 1, first_too=False)] if word in varied else [word]
            for word in words
        ]

    @staticmethod
    def may_be_wrong(word: str) -> bool:
        """Return whether a word is long enough, and no code, to be near to few others."""
        return len(word) >= MIN_LETTERS and word.isalpha()

    def begins_word(self, word: str) -> bool:
        """Return whether a label has a word that begins so."""
        at = bisect_left(self._sorted, word)
        return at < len(self._sorted) and self._sorted[at].startswith(word)

    def _near(self, word: str, errors: int, *, first_too: bool = True) -> Choices:
        """Beginnings of words at up to this distance, those of most labels first.

        Args:
            first_too: whether the first letter may be wrong, where with it nothing is near.
        """
        words_near = self._near_from(word, errors, [word[0]])
        if not words_near and first_too:
            words_near = self._near_from(word, errors, sorted(self._letters - {word[0]}))
        return _without_longer(sorted(words_near, key=lambda text: (-words_near[text], text)))[
            :PER_WORD
        ]

    def _near_from(self, word: str, errors: int, letters: Iterable[str]) -> dict[str, int]:
        """Return those that begin with one of these letters, each with its number of labels."""
        distances: dict[str, int] = {}
        for length in range(max(2, len(word) - errors), len(word) + errors + 1):
            by_letter = self._of_length(length)
            for letter in letters:
                beginnings = by_letter.get(letter, {})
                near = process.extract(
                    word, list(beginnings), scorer=OSA.distance, score_cutoff=errors, limit=None
                )
                distances.update({text: beginnings[text] for text, distance, _ in near if distance})
        return distances

    def _of_length(self, length: int) -> dict[str, dict[str, int]]:
        """Beginnings of this many letters by the first one, each with its number of labels."""
        by_beginning = self._beginnings.get(length)
        if by_beginning is None:
            by_beginning = defaultdict(lambda: defaultdict(int))
            for word, count in self._words.items():
                if len(word) >= length and word[:length].isalpha():  # codes are not misspelt words
                    by_beginning[word[0]][word[:length]] += count
            self._beginnings[length] = by_beginning
        return by_beginning


def _without_longer(texts: Choices) -> Choices:
    """Return a beginning finds what goes on from it, so the longer one need not be tried."""
    whole = set(texts)
    return [t for t in texts if not any(t[:n] in whole for n in range(2, len(t)))]


def mended_by_spelling(
    rows: LabelRows, spelling: Spelling, text: str, same: Sequence[str], others: Sequence[str]
) -> list[tuple[str, Match]]:
    """Return what is found when typing errors are mended, by the likeliest reading that finds.

    Args:
        text: folded.
        own, others: the languages of labels; others only where own find nothing.
    """
    for reading in spelling.readings(text):
        words = _expression(reading, spelling)
        matches = rows.having(words, same, MENDED_READ) or rows.having(words, others, MENDED_READ)
        if matches:
            matches.sort(key=lambda row: _strangeness(row[0][1], reading))
            return [
                (concept_id, Match(label, language, Why.MENDED, _as_meant(label, reading)))
                for (concept_id, label, _), language in matches
            ]
    return []


def _expression(reading: Reading, spelling: Spelling) -> str:
    """Return the query to FTS5: whole words, which are cheap, and the beginning of the last."""
    groups = []
    for at, choices in enumerate(reading):
        is_whole = len(choices) == 1 and spelling.is_word(choices[0])
        end = "" if is_whole and at < len(reading) - 1 else "*"
        terms = (f'"{text}"{end}' for text in choices)
        groups.append(f"({' OR '.join(terms)})")
    return " AND ".join(groups)


def _strangeness(label: str, reading: Reading) -> tuple[int, bool, int]:
    """Return how far a label is from the query: rarer choices, another beginning, more words."""
    words = fold_text(label).split()
    rank = sum(
        next((at for at, choice in enumerate(choices) if _has(words, choice)), len(choices))
        for choices in reading
    )
    begins = any(words[0].startswith(choice) for choice in reading[0])
    return rank, not begins, len(label)


def _as_meant(label: str, reading: Reading) -> str:
    """Return the words of the label that stand for those of the query."""
    words = fold_text(label).split()
    return " ".join(
        next((word for choice in choices for word in words if word.startswith(choice)), choices[0])
        for choices in reading
    )


def _has(words: list[str], beginning: str) -> bool:
    return any(word.startswith(beginning) for word in words)
