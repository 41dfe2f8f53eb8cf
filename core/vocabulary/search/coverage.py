"""Which labels say the words of a query, in any form and order, and how much else they say.

The terms of all labels stand in the file of the index, each with the numbers of its labels; a
query reads the few that it asks for.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vocabulary.search.stems import TermsOf, joined_terms, said_by

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]

SCHEMA = """
    CREATE TABLE stem (
        language TEXT NOT NULL, term TEXT NOT NULL, labels BLOB NOT NULL,
        PRIMARY KEY (language, term)
    );
    CREATE TABLE mass (
        language TEXT PRIMARY KEY, first INTEGER NOT NULL, weights BLOB NOT NULL
    );
"""
_INSERT_STEM = "INSERT INTO stem VALUES (?, ?, ?)"
_INSERT_MASS = "INSERT INTO mass VALUES (?, ?, ?)"
_TERM = "SELECT labels FROM stem WHERE language = ? AND term = ?"
_LONGER = """
    SELECT labels FROM stem WHERE language = ? AND term > ? AND term < ? || char(1114111)
    AND length(term) <= ? LIMIT ?
"""
_MASSES = "SELECT language, first, weights FROM mass"

LEAST_WEIGHT = 0.15  # of a term that most labels have, beside 1 of one that a single label has
MIN_STEM = 5  # letters that a derivation shares at least: parliament, parliamentary
MOST_LONGER, MOST_SHORTER = 5, 3  # letters by which it may differ
DERIVED, BEGUN = 0.8, 0.7  # what such a term counts, and one that is still being typed
MIN_BEGUN = 3
MOST_TERMS = 300
BESIDE = 0.5  # what a term in brackets adds to a label: “Essential (primary) hypertension”
_BRACKETED = re.compile(r"[(\[]([^()\[\]]*)[)\]]")

LabelText = tuple[str, str]
"""The language and the text of a label; those of a language are neighbours."""


def write_terms(
    connection: sqlite3.Connection,
    labels: Sequence[LabelText],
    vocabulary_id: str,
    terms_of: TermsOf,
) -> None:
    """Write the terms of labels, whose numbers are their places from 1 on."""
    starts: dict[str, int] = {}
    for number, (language, _) in enumerate(labels, 1):
        starts.setdefault(language, number)
    ends = [*[start - 1 for start in starts.values()][1:], len(labels)]
    for (language, first), last in zip(starts.items(), ends, strict=True):
        texts = [text for _, text in labels[first - 1 : last]]
        # A label stands there more than once, and its terms are asked for twice.
        terms = {text: _terms(text, (language, vocabulary_id), terms_of) for text in set(texts)}
        places = _places([terms[text] for text in texts])
        rows = (
            (language, term, np.array(rows_of_term, dtype=np.int32).tobytes())
            for term, rows_of_term in places.items()
        )
        connection.executemany(_INSERT_STEM, rows)
        weight = {
            term: _weight(len(rows_of_term), len(texts)) for term, rows_of_term in places.items()
        }
        masses = {text: _mass(rows_of_term, weight) for text, rows_of_term in terms.items()}
        weights = np.array([masses[text] for text in texts], np.float32)
        connection.execute(_INSERT_MASS, (language, first, weights.tobytes()))


class _Terms(NamedTuple):
    """The terms of a label: what it says, what it adds in brackets, and hyphenated words as one."""

    said: list[str]
    beside: list[str]
    joined: list[str]


def _terms(text: str, about: tuple[str, str], terms_of: TermsOf) -> _Terms:
    """Return the terms of a label, but those that stand behind a “without” or say nothing."""
    language, vocabulary_id = about
    plain, beside = said_by(text, vocabulary_id), " ".join(_BRACKETED.findall(text))
    return _Terms(
        terms_of(plain, language),
        terms_of(beside, language) if beside else [],
        joined_terms(f"{plain} {beside}", language),
    )


def _places(labels: Sequence[_Terms]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, terms in enumerate(labels):
        for term in dict.fromkeys([*terms.said, *terms.beside, *terms.joined]):
            places.setdefault(term, []).append(place)
    return places


def _mass(terms: _Terms, weight: Mapping[str, float]) -> float:
    """Return how much a label says; what says that nothing more is known is nothing."""
    extra = {term for term in terms.beside if term.isalpha()}.difference(terms.said)
    beside_it = sum(weight.get(term, 0.0) for term in extra)
    return float(sum(weight.get(term, 0.0) for term in terms.said) + BESIDE * beside_it)


def _weight(count: int, n_labels: int) -> float:
    """Return what a term weighs by how many labels have it, in [LEAST_WEIGHT, 1]."""
    return max(LEAST_WEIGHT, float(np.log1p(n_labels / count) / np.log1p(n_labels)))


@dataclass(frozen=True, slots=True)
class CoveringLabel:
    """A label that shares words with a query.

    Attributes:
        number: of the label.
        covered: the share of the query that it says, in [0, 1], by how rare words are.
        fit: the share of the label that the query says.
        is_whole: whether it says all words of the query.
    """

    number: int
    covered: float
    fit: float
    is_whole: bool

    @property
    def score(self) -> float:
        """How near the label is to the query, in [0, 1]."""
        return float(self.covered**1.5 * self.fit**0.5)


class LabelCoverage:
    """Looks for labels that say the words of a query.

    Args:
        lock: held while the connection is used.
    """

    def __init__(
        self, connection: sqlite3.Connection, lock: threading.Lock, terms_of: TermsOf
    ) -> None:
        self._connection, self._lock, self._terms_of = connection, lock, terms_of
        rows = connection.execute(_MASSES).fetchall()
        self._masses: Mapping[str, tuple[int, Weights]] = {
            language: (first, np.frombuffer(weights, dtype=np.float32))
            for language, first, weights in rows
        }

    def covering(
        self, text: str, language: str, *, most: int, is_typed: bool = True
    ) -> list[CoveringLabel]:
        """Return labels of one language that say some of a text, the nearest first.

        Args:
            language: as labels state it.
            is_typed: whether the last word may be the beginning of one.
        """
        terms = self._terms_of(text, language)
        if not terms or language not in self._masses:
            return []
        first, masses = self._masses[language]
        begun = _last_word(text) if is_typed else ""
        asked = [
            self._counted(term, language, begun if term == terms[-1] else "", len(masses))
            for term in terms
        ]
        all_weights = sum(weight for weight, _ in asked)
        shared_weight = np.zeros(len(masses), dtype=np.float32)
        n_said = np.zeros(len(masses), dtype=np.int8)
        for weight, counts in asked:
            shared_weight += weight * counts
            n_said += counts > 0
        numbers = np.flatnonzero(n_said)
        fit = np.minimum(1, shared_weight[numbers] / np.maximum(masses[numbers], LEAST_WEIGHT))
        covered = shared_weight[numbers] / all_weights
        is_whole = n_said[numbers] == len(terms)
        order = np.lexsort((numbers, -(covered**1.5) * fit**0.5, ~is_whole))[:most]
        return [
            CoveringLabel(
                first + int(numbers[at]), float(covered[at]), float(fit[at]), bool(is_whole[at])
            )
            for at in order
        ]

    def known(self, text: str, languages: Sequence[str]) -> list[str]:
        """Return the terms of a text that a label in one of these languages has."""
        terms = {
            term: language for language in languages for term in self._terms_of(text, language)
        }
        return [
            term
            for language in languages
            for term in self._terms_of(text, language)
            if terms.pop(term, None) is not None and self._exactly(term, language)
        ]

    def _counted(
        self, term: str, language: str, begun: str, n_labels: int
    ) -> tuple[float, Weights]:
        """Return a term's weight, and the share of it in each label, in [0, 1]."""
        counts = np.zeros(n_labels, dtype=np.float32)
        if len(begun) >= MIN_BEGUN:
            self._count(counts, self._longer(begun, language, 100), BEGUN)
        exact = self._exactly(term, language)
        if not exact and term.endswith("s") and len(term) > MIN_BEGUN:  # of an abbreviation: GMOs
            exact = self._exactly(term[:-1], language)
        if len(term) >= MIN_STEM:
            self._count(counts, self._longer(term, language, len(term) + MOST_LONGER), DERIVED)
            # What no label has is a typing error rather than a derivation.
            least = max(MIN_STEM, len(term) - MOST_SHORTER) if exact else len(term)
            for length in range(least, len(term)):
                self._count(counts, self._exactly(term[:length], language), DERIVED)
        self._count(counts, exact, 1.0)
        n_exact = sum(map(len, exact)) or int(np.count_nonzero(counts)) or 1
        return _weight(n_exact, n_labels), counts

    @staticmethod
    def _count(counts: Weights, numbers: Sequence[Numbers], weight: float) -> None:
        for places in numbers:
            counts[places] = weight

    def _exactly(self, term: str, language: str) -> list[Numbers]:
        return self._rows(_TERM, (language, term))

    def _longer(self, beginning: str, language: str, longest: int) -> list[Numbers]:
        return self._rows(_LONGER, (language, beginning, beginning, longest, MOST_TERMS))

    def _rows(self, statement: str, asked: tuple[str | int, ...]) -> list[Numbers]:
        with self._lock:
            rows = self._connection.execute(statement, asked).fetchall()
        return [np.frombuffer(labels, dtype=np.int32) for (labels,) in rows]


def _last_word(text: str) -> str:
    words = text.split()
    return words[-1] if words and text[-1:].isalnum() else ""
