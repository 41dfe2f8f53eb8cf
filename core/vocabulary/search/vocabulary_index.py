"""Finds concepts by the beginnings of words in their labels, as a person types."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from core.boundaries import VOCABULARY_FILES
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.folding import fold_text
from core.vocabulary.search.index_file import connect, fingerprint, fingerprint_at, write_index
from core.vocabulary.search.spelling import MIN_LETTERS, Spelling

PATH_SEPARATOR = " › "
MAX_QUERY_CHARACTERS = 200
MAX_QUERY_WORDS = 12
FEW_HITS = 3  # with fewer than these, typing errors are looked for
MOST_MENDED = 10
MENDED_READ = 60  # of these the likeliest are shown
NO_LANGUAGE = ""

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
_BY_WORDS = """
    SELECT label.concept_id, label.text, label.weight
    FROM word JOIN label ON label.number = word.rowid
    WHERE word MATCH :words AND word.rowid BETWEEN :first AND :last
    ORDER BY word.rowid
"""
_BY_SOME_WORDS = """
    SELECT label.concept_id, label.text, label.weight
    FROM word JOIN label ON label.number = word.rowid
    WHERE word MATCH :words AND word.rowid BETWEEN :first AND :last
    ORDER BY bm25(word), word.rowid LIMIT :most
"""
_RANGES = "SELECT language, min(number), max(number) FROM label GROUP BY language"

Row = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A concept that was found.

    Attributes:
        label: its preferred label in the language that was asked for.
        matched: the label or notation by which it was found.
        language: of what matched; "" for a notation, and for a label that states none.
        path: labels from a top concept to this one inclusive, as one text.
        mended: what was searched instead, where the query had a typing error.
    """

    concept_id: str
    label: str
    matched: str
    language: str
    notation: str | None
    path: str
    mended: str | None = None


@dataclass(frozen=True, slots=True)
class _Match:
    """The label by which a concept was found."""

    text: str
    language: str
    mended: str | None = None


class VocabularyIndex:
    """Search over the labels and notations of the concepts that a hierarchy offers.

    The index is a derived SQLite file that may be deleted at any time. One connection, used by one
    thread at a time, serves all threads.
    """

    def __init__(self, hierarchy: Hierarchy, connection: sqlite3.Connection) -> None:
        self._hierarchy = hierarchy
        self._connection = connection
        self._lock = threading.Lock()
        self._by_uri = {hierarchy[i].uri: i for i in hierarchy}
        rows = connection.execute(_RANGES).fetchall()
        self._ranges: dict[str, tuple[int, int]] = {name: (low, high) for name, low, high in rows}

    @classmethod
    def open(cls, hierarchy: Hierarchy, path: str | Path) -> VocabularyIndex:
        """Open the index of this hierarchy; build it where it is missing, damaged or of another.

        Raises:
            VocabularyError: the file cannot be written or read.
        """
        path = Path(path)
        if fingerprint_at(path) != fingerprint(hierarchy):
            return cls.build(hierarchy, path)
        return cls._opened(hierarchy, path)

    @classmethod
    def build(cls, hierarchy: Hierarchy, path: str | Path) -> VocabularyIndex:
        """Write the index anew and open it.

        Raises:
            VocabularyError: the file cannot be written.
        """
        path = Path(path)
        write_index(hierarchy, path)
        return cls._opened(hierarchy, path)

    @classmethod
    def _opened(cls, hierarchy: Hierarchy, path: Path) -> VocabularyIndex:
        with VOCABULARY_FILES.translated(
            "The search index {path} cannot be read ({reason}); delete it and start again.",
            path=path,
        ):
            return cls(hierarchy, connect(path))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @property
    def languages(self) -> list[str]:
        """Codes of the languages that labels are in, without "" for those that state none."""
        return [language for language in self._ranges if language != NO_LANGUAGE]

    def search(self, query: str, *, language: str = "en", limit: int = 20) -> list[SearchHit]:
        """Concepts with a label that has, for each word of the query, a word that begins so.

        First what is named exactly so, then what begins so, then the rest; short labels first,
        preferred ones before alternative ones; labels in other languages only after all in this
        one. A URI or an id finds its concept. Where next to nothing is found, typing errors are
        mended; where that finds nothing either, labels with some of the words are shown. Anything
        may be asked: what cannot match finds nothing.
        """
        if limit <= 0:
            return []
        asked = query[:MAX_QUERY_CHARACTERS].strip()
        hits: dict[str, _Match] = {}
        named = asked if asked in self._hierarchy else self._by_uri.get(asked)
        if named:
            hits[named] = _Match(asked, NO_LANGUAGE)
        text = " ".join(fold_text(asked).split()[:MAX_QUERY_WORDS])
        self._find(text, language, hits, limit)
        if len(text) >= MIN_LETTERS and _is_doubtful(text, hits):
            self._find_mended(text, language, hits, min(limit, MOST_MENDED))
        if not hits and " " in text:
            self._find_in_part(text, language, hits, min(limit, MOST_MENDED))
        return [self._hit(concept_id, match, language) for concept_id, match in hits.items()]

    def warm(self) -> None:
        """Read the words of the index now, so that the first typing error does not wait for it."""
        self._spelling.warm()

    @cached_property
    def _spelling(self) -> Spelling:
        with self._lock:
            return Spelling(dict(self._connection.execute("SELECT term, doc FROM term")))

    def _find_mended(self, text: str, language: str, hits: dict[str, _Match], limit: int) -> None:
        """Add what is found when typing errors are mended, by the likeliest reading that finds."""
        for reading in self._spelling.readings(text):
            words = self._expression(reading)
            found: dict[str, _Match] = {}
            for languages in self._groups(language):
                self._add(found, _BY_WORDS, {"words": words}, languages, MENDED_READ)
                if found:
                    break
            best = sorted(found, key=lambda concept_id: _strangeness(found[concept_id], reading))
            for concept_id in best[: max(0, limit - len(hits))]:
                match = found[concept_id]
                mended = _as_meant(match, reading)
                hits.setdefault(concept_id, replace(match, mended=mended))
            if found:
                return

    def _find_in_part(self, text: str, language: str, hits: dict[str, _Match], limit: int) -> None:
        """Add labels that have some of the words: most of them first, then the rarest."""
        # Labels are in the singular more often than what people type.
        asked = [word.removesuffix("s") for word in text.split() if len(word) >= MIN_LETTERS]
        words = " OR ".join(f'"{word}"*' for word in asked)
        parameters: dict[str, str | int] = {"words": words, "most": MENDED_READ}
        found: dict[str, _Match] = {}
        if asked:
            self._add(found, _BY_SOME_WORDS, parameters, self._groups(language)[0], MENDED_READ)
        shared = {i: _shared(match, asked) for i, match in found.items()}
        for concept_id in sorted(found, key=lambda i: -len(shared[i]))[:limit]:
            hits[concept_id] = replace(found[concept_id], mended=" ".join(shared[concept_id]))

    def _expression(self, reading: list[list[str]]) -> str:
        """Return the query to FTS5: whole words, which are cheap, and the beginning of the last."""
        groups = []
        for at, choices in enumerate(reading):
            is_whole = len(choices) == 1 and self._spelling.is_word(choices[0])
            end = "" if is_whole and at < len(reading) - 1 else "*"
            terms = (f'"{text}"{end}' for text in choices)
            groups.append(f"({' OR '.join(terms)})")
        return " AND ".join(groups)

    def _groups(self, language: str) -> tuple[list[str], list[str]]:
        """Return the languages that are asked for, and the others."""
        own = [known for known in self._ranges if _same_language(known, language)]
        return own, [known for known in self._ranges if known not in own]

    def _find(self, text: str, language: str, hits: dict[str, _Match], limit: int) -> None:
        """Add what a folded text finds until there are so many hits."""
        if not text:
            return
        words = " ".join(f'"{word}"*' for word in text.split())
        asked: dict[str, str | int] = {"text": text, "words": words, "most": 50 * limit}
        for languages in self._groups(language):
            for statement in (_EXACTLY, _BY_BEGINNING, _BY_WORDS):
                if len(hits) < limit:
                    self._add(hits, statement, asked, languages, limit)

    def _add(
        self,
        hits: dict[str, _Match],
        statement: str,
        asked: Mapping[str, str | int],
        languages: Sequence[str],
        limit: int,
    ) -> None:
        for (concept_id, matched, _), known in self._rows(statement, asked, languages, limit):
            if len(hits) < limit:
                hits.setdefault(concept_id, _Match(matched, known))

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
            with self._lock:
                found = self._connection.execute(statement, parameters)
                rows += ((row, language) for row in _of_concepts(found, limit))
        return sorted(rows, key=lambda row: row[0][2]) if len(languages) > 1 else rows

    def _hit(self, concept_id: str, match: _Match, language: str) -> SearchHit:
        concept = self._hierarchy[concept_id]
        path = (self._hierarchy[i].label(language) for i in self._hierarchy.path(concept_id))
        return SearchHit(
            concept_id=concept_id,
            label=concept.label(language),
            matched=match.text,
            language=match.language,
            notation=concept.notation,
            path=PATH_SEPARATOR.join(path),
            mended=match.mended,
        )


def is_certain(query: str, hits: Sequence[SearchHit], *, language: str = "en") -> bool:
    """Return whether the first hit is what was typed, so that it may be taken without a choice.

    It is the only one that is named so, or whose name begins so; hits in other languages do not
    count where it is in the one that was asked for.
    """
    asked = _letters(query)
    if not asked or not hits or hits[0].mended:
        return False
    is_own = _same_language(hits[0].language, language)
    rivals = [hit for hit in hits if _same_language(hit.language, language) == is_own]
    exact = [hit for hit in rivals if _letters(hit.matched) == asked]
    if exact:
        return len([hit for hit in exact if hit.matched == hit.label] or exact) == 1
    begins = [_letters(hit.matched).startswith(asked) for hit in rivals]
    return begins[0] and begins.count(True) == 1


def _letters(text: str) -> str:
    return fold_text(text).replace(" ", "")


def _is_doubtful(text: str, hits: dict[str, _Match]) -> bool:
    """Return whether next to nothing was found, and no label goes on as the query begins."""
    if len(hits) >= FEW_HITS:
        return False
    return not any(fold_text(match.text).startswith(text) for match in hits.values())


def _strangeness(match: _Match, reading: list[list[str]]) -> tuple[int, bool, int]:
    """Return how far a label is from the query: rarer choices, another beginning, more words."""
    words = fold_text(match.text).split()
    rank = sum(
        next((at for at, choice in enumerate(choices) if _has(words, choice)), len(choices))
        for choices in reading
    )
    begins = any(words[0].startswith(choice) for choice in reading[0])
    return rank, not begins, len(match.text)


def _as_meant(match: _Match, reading: list[list[str]]) -> str:
    """Return the words of the label that stand for those of the query."""
    words = fold_text(match.text).split()
    return " ".join(
        next((word for choice in choices for word in words if word.startswith(choice)), choices[0])
        for choices in reading
    )


def _shared(match: _Match, asked: list[str]) -> list[str]:
    """Return those of the words that begin a word of the label."""
    words = fold_text(match.text).split()
    return [beginning for beginning in asked if _has(words, beginning)]


def _has(words: list[str], beginning: str) -> bool:
    return any(word.startswith(beginning) for word in words)


def _of_concepts(rows: Iterable[Row], limit: int) -> list[Row]:
    """Return the first label of each concept, of so many concepts; further rows are not read."""
    found: dict[str, Row] = {}
    for row in rows:
        found.setdefault(row[0], row)
        if len(found) >= limit:
            break
    return list(found.values())


def _same_language(known: str, asked: str) -> bool:
    """Labels without a language are in every language, and `en-GB` is English."""
    return not known or known.partition("-")[0].lower() == asked.lower().partition("-")[0]
