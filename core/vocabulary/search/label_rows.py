"""The labels of an index by what they begin with, by their words, and by their numbers."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from core.vocabulary.concepts import Concept, Hierarchy, same_language
from core.vocabulary.folding import UNSPACED, fold_text
from core.vocabulary.full_titles import is_title_of
from core.vocabulary.search.hits import Match, Row, Why
from core.vocabulary.search.index_file import searchable_labels

NO_LANGUAGE = ""
MIN_WITHDRAWN_LETTERS = 3  # of the beginning of a label

WithdrawnLabel = tuple[str, str, str, str]
"""Folded text, text, language, and the concept that it is withdrawn with."""

_EXACTLY = """
    SELECT concept_id, text, weight FROM label
    WHERE language = :language AND folded = :text ORDER BY number
"""
_BY_BEGINNING = """
    SELECT concept_id, text, weight FROM label WHERE number IN (
        SELECT number FROM label INDEXED BY label_beginning
        WHERE language = :language AND folded >= :text AND folded < :text || char(1114111)
        ORDER BY +number LIMIT :most
    ) ORDER BY number
"""
_INSIDE = """
    SELECT concept_id, text, weight FROM label
    WHERE number BETWEEN :first AND :last AND instr(folded, :text) > 1 ORDER BY number
"""
_BY_WORDS = """
    SELECT label.concept_id, label.text, label.weight
    FROM word JOIN label ON label.number = word.rowid
    WHERE word MATCH :words AND word.rowid BETWEEN :first AND :last
    ORDER BY word.rowid
"""
_RANGES = "SELECT language, min(number), max(number) FROM label GROUP BY language"
_NUMBERED = "SELECT number, concept_id, text, weight FROM label WHERE number IN ({places})"
_WORDS = "SELECT term, doc FROM term"


class LabelRows:
    """Reads the labels of an index; one connection, used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.lock = threading.Lock()
        rows = connection.execute(_RANGES).fetchall()
        self._ranges: dict[str, tuple[int, int]] = {name: (low, high) for name, low, high in rows}

    def close(self) -> None:
        """Let go of the file."""
        with self.lock:
            self.connection.close()

    @property
    def languages(self) -> list[str]:
        """Codes of the languages that labels are in, without "" for those that state none."""
        return [language for language in self._ranges if language != NO_LANGUAGE]

    def groups(self, language: str) -> tuple[list[str], list[str]]:
        """Return the languages that are asked for, and the others."""
        same = [
            label_language
            for label_language in self._ranges
            if same_language(label_language, language)
        ]
        return same, [
            label_language for label_language in self._ranges if label_language not in same
        ]

    def words(self) -> dict[str, int]:
        """Return all words of labels, with the number of labels that have them."""
        with self.lock:
            return dict(self.connection.execute(_WORDS))

    def exactly(self, text: str, languages: Sequence[str], limit: int) -> list[tuple[Row, str]]:
        """Return labels that are this folded text, each with its language."""
        return self._rows(_EXACTLY, {"text": text}, languages, limit)

    def beginning(self, text: str, languages: Sequence[str], limit: int) -> list[tuple[Row, str]]:
        """Return labels that begin with this folded text.

        Then those that have it inside, where words begin anywhere: no space is before them.
        """
        rows = self._rows(_BY_BEGINNING, {"text": text, "most": 50 * limit}, languages, limit)
        return (
            [*rows, *self._rows(_INSIDE, {"text": text}, languages, limit)]
            if UNSPACED.search(text)
            else rows
        )

    def having(self, words: str, languages: Sequence[str], limit: int) -> list[tuple[Row, str]]:
        """Return labels that an expression of FTS5 finds."""
        return self._rows(_BY_WORDS, {"words": words}, languages, limit)

    def stated(self, text: str, hierarchy: Hierarchy) -> str | None:
        """Return the code that a text begins with, where its title follows; None elsewhere.

        Lists have codes with their titles: “E11.9 Type 2 diabetes mellitus without complications”.
        """
        notation, _, rest = text.partition(" ")
        is_code = any(sign.isdigit() for sign in notation) and NO_LANGUAGE in self._ranges
        rows = self.exactly(fold_text(notation), [NO_LANGUAGE], 1) if rest and is_code else []
        codes = (row[0] for row, _ in rows if is_title_of(hierarchy[row[0]], rest))
        return next(codes, None)

    def numbered(self, numbers: Sequence[int]) -> dict[int, Row]:
        """Return labels by their numbers."""
        places = ", ".join("?" * len(numbers))
        with self.lock:
            rows = self.connection.execute(_NUMBERED.format(places=places), numbers).fetchall()
        return {number: row for number, *rest in rows for row in [(rest[0], rest[1], rest[2])]}

    def _rows(
        self,
        statement: str,
        asked: Mapping[str, str | int],
        languages: Sequence[str],
        limit: int,
    ) -> list[tuple[Row, str]]:
        """Return the lightest labels of these languages, of as many concepts as are wanted."""
        rows: list[tuple[Row, str]] = []
        for language in languages:
            first, last = self._ranges[language]
            parameters = {**asked, "language": language, "first": first, "last": last}
            with self.lock:
                fetched = self.connection.execute(statement, parameters)
                rows += ((row, language) for row in _of_concepts(fetched, limit))
        return sorted(rows, key=lambda row: row[0][2]) if len(languages) > 1 else rows


def beginning_among(
    concepts: Iterable[Concept], vocabulary_id: str, text: str, languages: Sequence[str]
) -> list[tuple[Row, str]]:
    """Return the labels of these few concepts that begin with a folded text, each with its language.

    An index reads no more labels than hits are wanted: after one letter, these are seldom among them.
    """
    return [
        ((concept_id, label, weight), language)
        for concept in concepts
        for concept_id, language, weight, label, folded in searchable_labels(concept, vocabulary_id)
        if language in languages and folded.startswith(text)
    ]


def _of_concepts(rows: Iterable[Row], limit: int) -> Iterator[Row]:
    """Yield the first label of each concept, of so many concepts; further rows are not read."""
    concept_ids: set[str] = set()
    for row in rows:
        if row[0] not in concept_ids:
            concept_ids.add(row[0])
            yield row
        if len(concept_ids) >= limit:
            return


class WithdrawnLabels:
    """The labels of the deprecated concepts of a hierarchy; no file has them, as they are few."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy

    def named(self, text: str) -> Concept | None:
        """Return the concept that had this folded text as a label; None where none had."""
        match = next((label for label in self._labels if label[0] == text), None)
        return None if match is None else self._hierarchy.deprecated[match[-1]]

    def exactly(self, text: str) -> Iterator[tuple[str, Match]]:
        """Yield what replaces the concepts that had this folded text as a label, in any language."""
        yield from self._replacing(label for label in self._labels if label[0] == text)

    def beginning(self, text: str, language: str) -> Iterator[tuple[str, Match]]:
        """Yield what replaces the concepts that had labels with this beginning, short ones first."""
        if len(text) >= MIN_WITHDRAWN_LETTERS:
            begun = (label for label in self._labels if label[0].startswith(text))
            same = (label for label in begun if same_language(label[2], language))
            yield from self._replacing(sorted(same, key=lambda label: len(label[0])))

    def _replacing(self, labels: Iterable[WithdrawnLabel]) -> Iterator[tuple[str, Match]]:
        for _, text, language, concept_id in labels:
            for other in self._hierarchy.replacements(concept_id):
                yield other, Match(text, language, Why.WITHDRAWN)

    @cached_property
    def _labels(self) -> list[WithdrawnLabel]:
        hierarchy = self._hierarchy
        return [
            (folded, _shown(concept, text, language), language, concept.concept_id)
            for concept in hierarchy.deprecated.values()
            for _, language, _, text, folded in searchable_labels(concept, hierarchy.vocabulary_id)
        ]


def _shown(concept: Concept, text: str, language: str) -> str:
    """Return the label by which a withdrawn concept was found, and another than a hidden one."""
    is_hidden = text in concept.hidden_labels.get(language, ())
    return concept.label(language) if is_hidden else text
