"""Everyday names of what labels say in other words, and queries said in the words of labels."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from core.paths import PROJECT_ROOT
from core.vocabulary.conventions import WordsOfCodes, words_of_codes
from core.vocabulary.folding import fold_text
from core.vocabulary.search.stems import said_by, terms_in

FOLDER = PROJECT_ROOT / "assets" / "search"
CLINICAL = "clinical"
SEPARATOR = ";"
WORD = "word"
LONGEST_NAME = 6  # words
MOST_READINGS = 6
_NUMBERED = re.compile(r"(?<![a-z])([a-z]+)(\d[ab]?)")  # CKD3b

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
        coded: by code the names by which it is looked for in notes.
    """

    def __init__(
        self,
        names: Iterable[EverydayName],
        vocabulary_id: str,
        coded: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._vocabulary_id = vocabulary_id
        self._terms_of = terms_in(vocabulary_id)
        self._of_codes = words_of_codes(vocabulary_id)
        self._as_typed: dict[str, dict[str, None]] = {}
        self._by_terms: dict[Key, dict[str, None]] = {}
        self._by_set: dict[frozenset[str], dict[str, None]] = {}
        self._words: set[Key] = set()
        rows = list(names)
        self._in_full = _in_full(rows, self._of_codes)
        for code, called in (coded or {}).items():
            for name in called:
                self._as_typed.setdefault(fold_text(name), {})[code] = None
                self._by_set.setdefault(self._set(name, "en"), {})[code] = None
        for name, language, wordings, is_word in rows:
            meant = dict.fromkeys(wordings)
            terms = self._key(name, language)
            self._by_terms.setdefault(terms, {}).update(meant)
            if is_word:
                self._words.add(terms)
            else:
                self._as_typed.setdefault(fold_text(name), {}).update(meant)
                self._by_set.setdefault(self._set(name, language), {}).update(meant)

    @classmethod
    @lru_cache(maxsize=16)
    def of_vocabulary(cls, vocabulary_id: str) -> EverydayNames:
        """Return the names of a vocabulary; none of one that has no table."""
        of_codes = words_of_codes(vocabulary_id)
        name = CLINICAL if of_codes else fold_text(vocabulary_id).replace(" ", "-")
        rows = list(read_names(FOLDER / f"{name}.csv"))
        if of_codes is None:
            return cls(rows, vocabulary_id)
        rows += _names_in_notes(of_codes)
        return cls(rows, vocabulary_id, of_codes.names_of_codes(vocabulary_id))

    def means_one(self, text: str) -> bool:
        """Return whether a folded text is, in this very form, a name with a single meaning."""
        return len(self._as_typed.get(text, ())) == 1

    def whole(self, query: str, language: str) -> Wordings:
        """Return what labels say for a query that is such a name; nothing for another."""
        text = fold_text(query)
        concepts = self._as_typed.get(text)
        if concepts is None:
            sets = (
                self._set(reading, language) for reading in (query, *self.readings(query, language))
            )
            concepts = next((named for key in sets if (named := self._by_set.get(key))), {})
        if concepts or self._of_codes is None:
            return tuple(concepts)
        label = self._of_codes.label_of_number(text)
        return (label,) if label else ()

    def readings(self, query: str, language: str) -> list[str]:
        """Return a query with the names in it replaced, longer names first; none has none."""
        words = self._words_of(query)
        choices = list(self._choices(words, language))
        if all(len(options) == 1 and options[0] in words for options in choices):
            return []
        readings = [" ".join(reading) for reading in islice(product(*choices), MOST_READINGS)]
        written = self._written_out(query)
        if written != fold_text(query):
            readings.insert(0, written)
        return list(dict.fromkeys(readings))

    def _choices(self, words: list[str], language: str) -> Iterator[Wordings]:
        at = 0
        while at < len(words):
            for length in range(min(LONGEST_NAME, len(words) - at), 0, -1):
                key = self._key(" ".join(words[at : at + length]), language)
                names = self._by_terms.get(key)
                if names and (length < len(words) or key in self._words):
                    yield tuple(said_by(wording, self._vocabulary_id) for wording in names)
                    break
            else:
                length = 1
                yield (words[at],)
            at += length

    def _words_of(self, text: str) -> list[str]:
        """Return the words of a text, and the stage apart that is written with its disease."""
        return [part for word in fold_text(text).split() for part in self._parts(word)]

    def _parts(self, word: str) -> tuple[str, ...]:
        stage = _NUMBERED.fullmatch(word) if word not in self._in_full else None
        return stage.groups() if stage and stage[1] in self._in_full else (word,)

    def _written_out(self, text: str) -> str:
        """Return a text with short words in full, which are what notes are read by as well."""
        return " ".join(self._in_full.get(word, word) for word in self._words_of(text))

    def _set(self, text: str, language: str) -> frozenset[str]:
        return frozenset(self._key(self._written_out(text), language))

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


def _in_full(rows: Iterable[EverydayName], of_codes: WordsOfCodes | None) -> dict[str, str]:
    """Return single words that stand for others in one way: abbreviations, and parts of queries."""
    short = of_codes.abbreviations() if of_codes else ()
    return {
        fold_text(name): means[0]
        for name, _, means, is_word in rows
        if len(means) == 1 and (is_word or name in short) and " " not in fold_text(name)
    }


def _names_in_notes(of_codes: WordsOfCodes) -> Iterator[EverydayName]:
    """Yield the names that are known where codes are looked for in notes."""
    for name, label in of_codes.abbreviations().items():
        yield EverydayName(name, "en", (label,))
    for label, names in of_codes.everyday_names().items():
        for name in names:
            yield EverydayName(name, "en", (label,))
