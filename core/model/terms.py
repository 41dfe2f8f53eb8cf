"""Texts as stemmed words and pairs of words, and as TF-IDF vectors of them.

Source: Annif's snowball analyzer and its TF-IDF mixin (https://annif.org), read, not copied: words
of three characters or more with a letter in them, lower-cased, stemmed; pairs of neighbours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.vocabulary.folding import stemming

Array = npt.NDArray[np.float32]
Columns = npt.NDArray[np.int32]

WORD = re.compile(r"\w+(?:[-'’]\w+)*")
MIN_WORD_LENGTH = 3


def count_words(text: str) -> int:
    """Return how many words a text has."""
    return sum(1 for _ in WORD.finditer(text))


def end_of_word(text: str, number: int) -> int:
    """Return where the word of this number ends, from 1 on; 0 where there is none."""
    last = next(islice(WORD.finditer(text), number - 1, None), None) if number else None
    return last.end() if last else 0


class StemmedWords:
    """Cuts a text into stemmed words."""

    def __init__(self, language: str = "en") -> None:
        stem = stemming(language)
        self._stem = lru_cache(maxsize=500_000)(lambda word: stem(word) if _is_word(word) else "")

    def __call__(self, text: str) -> list[str]:
        """Return the words worth counting, lower-cased and stemmed, in their order."""
        return [stem for word in WORD.findall(text.lower()) if (stem := self._stem(word))]

    def located(self, text: str) -> list[tuple[str, int]]:
        """Return the same words, each with where it begins in the text as it is written."""
        lowered = text.lower()
        place = _places(text) if len(lowered) != len(text) else range(len(text))
        return [
            (stem, place[match.start()])
            for match in WORD.finditer(lowered)
            if (stem := self._stem(match.group()))
        ]


def _places(text: str) -> list[int]:
    # "İ" becomes two characters in lower case.
    return [place for place, character in enumerate(text) for _ in character.lower()]


def _is_word(word: str) -> bool:
    return len(word) >= MIN_WORD_LENGTH and any(character.isalpha() for character in word)


class StemmedTerms:
    """Cuts a text into its stemmed words and the pairs of neighbours among them."""

    def __init__(self) -> None:
        self.words = StemmedWords()

    def __call__(self, text: str) -> list[str]:
        """Return all words, then all pairs, each pair as two words with a space between them."""
        words = self.words(text)
        return words + [f"{first} {second}" for first, second in pairwise(words)]


class TermVectors:
    """Turns texts into TF-IDF vectors over known terms.

    A term that occurs n times weighs (1 + ln n) · idf, and each vector has length 1, so a long text
    has no more weight than a title.

    Args:
        terms: one a column.
        idf: how rare each term is, shape (n_terms,).
    """

    def __init__(self, terms: Sequence[str], idf: Array) -> None:
        self.terms = tuple(terms)
        self.idf = np.asarray(idf, dtype=np.float32)
        self._column = {term: column for column, term in enumerate(self.terms)}
        self._cut = StemmedTerms()

    def __len__(self) -> int:
        return len(self.terms)

    def column_of(self, term: str) -> int | None:
        """Return the column of a term; None where it is not known."""
        return self._column.get(term)

    def stems(self, text: str) -> list[tuple[str, int]]:
        """Return the words that terms are made of, stemmed, each with where it begins."""
        return self._cut.words.located(text)

    def __call__(self, text: str) -> sp.csr_matrix:
        """Return the vector of one text, shape (1, n_terms); all zeros where no term is known."""
        return one_row(*self.row(text), n_columns=len(self))

    def row(self, text: str) -> tuple[Columns, Array]:
        """Return the columns of the vector of one text that are not zero, and their weights."""
        column_of = self._column
        counts = Counter(self._cut(text))
        known_terms = [(column_of[term], n) for term, n in counts.items() if term in column_of]
        columns, numbers = np.array(known_terms, dtype=np.int32).reshape(-1, 2).T
        weights = (1 + np.log(numbers, dtype=np.float32)) * self.idf[columns]
        return columns, unit_length(weights)


def one_row(columns: Columns, weights: Array, *, n_columns: int) -> sp.csr_matrix:
    """Return a matrix of one row."""
    return sp.csr_matrix((weights, columns, [0, len(columns)]), shape=(1, n_columns))


def unit_length(weights: Array) -> Array:
    """Return weights scaled to length 1; none stay none."""
    return np.asarray(weights / (np.sqrt(weights @ weights) or 1), dtype=np.float32)


def weighed(counts: sp.csr_matrix, idf: Array) -> sp.csr_matrix:
    """Return TF-IDF rows of length 1 from rows of counts; a row without a term stays empty."""
    rows = sp.csr_matrix(counts, dtype=np.float32, copy=True)
    rows.data = (1 + np.log(rows.data)) * idf[rows.indices]
    return unit_rows(rows)


def unit_rows(rows: sp.csr_matrix) -> sp.csr_matrix:
    """Return the rows scaled to length 1; modifies and returns `rows`."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1
    rows.data /= np.repeat(lengths, np.diff(rows.indptr)).astype(np.float32)
    return rows


def title_and_text(title: sp.csr_matrix, text: sp.csr_matrix, title_share: float) -> sp.csr_matrix:
    """Return one unit vector a document, from the vectors of its title and its text.

    Args:
        title_share: in [0, 1]; where one of the two is empty, the other stands alone.
    """
    return unit_rows(sp.csr_matrix(title_share * title + (1 - title_share) * text))
