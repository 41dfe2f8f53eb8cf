"""Everyday names of what labels say in other words, and queries said in the words of labels."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from core.settings import PROJECT_ROOT
from core.suggest.names.clinical_words import ABBREVIATIONS, MEANS
from core.suggest.names.wordings import EVERYDAY
from core.vocabulary.conventions import conventions_of
from core.vocabulary.folding import fold_text
from core.vocabulary.search.stems import said_by, terms_in

FOLDER = PROJECT_ROOT / "assets" / "search"
CLINICAL = "clinical"
SEPARATOR = ";"
WORD = "word"
LONGEST_NAME = 6  # words
MOST_READINGS = 6

Wordings = tuple[str, ...]
Key = tuple[str, ...]


class EverydayName(NamedTuple):
    """A row of a table of names.

    Attributes:
        means: what labels say for it.
        is_word: whether it only stands for a word of a label, and names no concept alone.
    """

    name: str
    language: str
    means: Wordings
    is_word: bool = False


class EverydayNames:
    """The everyday names of a vocabulary, each with what labels say for it.

    A name is compared as labels are: in any form of its words.

    Args:
        names: of several rows of a name all hold.
    """

    def __init__(self, names: Iterable[EverydayName], vocabulary_id: str) -> None:
        self._vocabulary_id = vocabulary_id
        self._terms_of = terms_in(vocabulary_id)
        self._as_typed: dict[str, dict[str, None]] = {}
        self._by_terms: dict[Key, dict[str, None]] = {}
        self._by_set: dict[frozenset[str], dict[str, None]] = {}
        self._words: set[Key] = set()
        for name, language, wordings, is_word in names:
            meant = dict.fromkeys(wordings)
            terms = self._key(name, language)
            self._by_terms.setdefault(terms, {}).update(meant)
            if is_word:
                self._words.add(terms)
            else:
                self._as_typed.setdefault(fold_text(name), {}).update(meant)
                self._by_set.setdefault(frozenset(terms), {}).update(meant)

    @classmethod
    @lru_cache(maxsize=16)
    def of_vocabulary(cls, vocabulary_id: str) -> EverydayNames:
        """Return the names of a vocabulary; none of one that has no table."""
        is_clinical = conventions_of(vocabulary_id).lexical
        name = CLINICAL if is_clinical else fold_text(vocabulary_id).replace(" ", "-")
        rows = [*read_names(FOLDER / f"{name}.csv"), *(_clinical() if is_clinical else ())]
        return cls(rows, vocabulary_id)

    def whole(self, query: str, language: str) -> Wordings:
        """Return what labels say for a query that is such a name; nothing for another."""
        found = self._as_typed.get(fold_text(query))
        if found is None:
            key = self._key(query, language)
            found = self._by_set.get(frozenset(key), {})
        return tuple(found)

    def readings(self, query: str, language: str) -> list[str]:
        """Return a query with the names in it replaced, longer names first; none has none."""
        words = fold_text(query).split()
        choices = list(self._choices(words, language))
        if all(len(options) == 1 and options[0] in words for options in choices):
            return []
        return [" ".join(reading) for reading in islice(product(*choices), MOST_READINGS)]

    def _choices(self, words: list[str], language: str) -> Iterator[Wordings]:
        at = 0
        while at < len(words):
            for length in range(min(LONGEST_NAME, len(words) - at), 0, -1):
                key = self._key(" ".join(words[at : at + length]), language)
                found = self._by_terms.get(key)
                if found and (length < len(words) or key in self._words):
                    yield tuple(said_by(wording, self._vocabulary_id) for wording in found)
                    break
            else:
                length = 1
                yield (words[at],)
            at += length

    def _key(self, text: str, language: str) -> Key:
        # An abbreviation may be spelt as a word that says nothing: IT, US.
        return tuple(self._terms_of(text, language)) or tuple(fold_text(text).split())


def read_names(path: Path) -> Iterator[EverydayName]:
    """Yield the rows of a table of names; none of one that is not there."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            means = tuple(text.strip() for text in row["means"].split(SEPARATOR))
            yield EverydayName(row["name"], row["language"], means, row["kind"] == WORD)


def _clinical() -> Iterator[EverydayName]:
    """Yield the names that are known where codes are looked for in notes."""
    tables: tuple[Mapping[str, str], ...] = (ABBREVIATIONS, MEANS)
    for table in tables:
        for name, meant in table.items():
            yield EverydayName(name, "en", (meant,))
    for label, names in EVERYDAY.items():
        for name in names:
            yield EverydayName(name, "en", (label,))
