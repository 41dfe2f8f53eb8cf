"""Finds concepts by the beginnings of words in their labels, as a person types."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.folding import folded

FORMAT = 1
PATH_SEPARATOR = " › "
MAX_QUERY_CHARACTERS = 200
MAX_QUERY_WORDS = 12
LABELS_PER_HIT = 50  # a concept has several labels that match, and counts once
_PREFERRED, _ALTERNATIVE, _NOTATION = 0, 1, 2

_SCHEMA = """
    CREATE TABLE meta (fingerprint TEXT NOT NULL);
    CREATE TABLE label (
        number INTEGER PRIMARY KEY,
        concept_id TEXT NOT NULL,
        language TEXT NOT NULL,
        kind INTEGER NOT NULL,
        text TEXT NOT NULL,
        folded TEXT NOT NULL
    );
    CREATE VIRTUAL TABLE word USING fts5 (
        folded, content='', tokenize='unicode61 remove_diacritics 0', prefix='2 3'
    );
"""
_INSERT_LABEL = "INSERT INTO label VALUES (?, ?, ?, ?, ?, ?)"
# In the order of the numbers: FTS5 starts a new segment wherever they fall.
_INSERT_WORDS = "INSERT INTO word (rowid, folded) SELECT number, folded FROM label ORDER BY number"
_INDEX_LABELS = "CREATE INDEX label_beginning ON label (language, folded)"
_BY_BEGINNING = """
    SELECT concept_id, text FROM label
    WHERE language IN (SELECT value FROM json_each(:languages))
        AND folded >= :text AND folded < :text || char(1114111)
    ORDER BY folded <> :text, kind, length(folded), folded, number
    LIMIT :most
"""
# bm25 is the more negative the better a label fits; twice as much for a preferred label.
_BY_WORDS = """
    SELECT label.concept_id, label.text
    FROM word JOIN label ON label.number = word.rowid
    WHERE word MATCH :words AND language IN (SELECT value FROM json_each(:languages))
    ORDER BY bm25(word) * CASE kind WHEN 0 THEN 2 ELSE 1 END, length(label.folded), number
    LIMIT :most
"""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A concept that was found.

    Attributes:
        label: its preferred label in the language that was asked for.
        matched: the label or notation by which it was found.
        path: labels from a top concept to this one inclusive, as one text.
    """

    concept_id: str
    label: str
    matched: str
    notation: str | None
    path: str


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
        rows = connection.execute("SELECT DISTINCT language FROM label ORDER BY language")
        self._languages: list[str] = [language for (language,) in rows]

    @classmethod
    def open(cls, hierarchy: Hierarchy, path: str | Path) -> VocabularyIndex:
        """Open the index of this hierarchy; build it where it is missing, damaged or of another.

        Raises:
            VocabularyError: the file cannot be written or read.
        """
        path = Path(path)
        if _fingerprint_at(path) != fingerprint(hierarchy):
            return cls.build(hierarchy, path)
        return cls._opened(hierarchy, path)

    @classmethod
    def build(cls, hierarchy: Hierarchy, path: str | Path) -> VocabularyIndex:
        """Write the index anew, in one step for whoever reads the old one, and open it.

        Raises:
            VocabularyError: the file cannot be written.
        """
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
            os.close(handle)
            try:
                _write(hierarchy, Path(name))
                Path(name).replace(path)
            finally:
                Path(name).unlink(missing_ok=True)
        except (OSError, sqlite3.Error) as exc:
            raise VocabularyError(
                f"The search index cannot be written to {path} ({exc}); "
                "free some space there, or allow Strata to write."
            ) from exc
        return cls._opened(hierarchy, path)

    @classmethod
    def _opened(cls, hierarchy: Hierarchy, path: Path) -> VocabularyIndex:
        try:
            return cls(hierarchy, _connect(path))
        except sqlite3.Error as exc:
            raise VocabularyError(
                f"The search index {path} cannot be read ({exc}); delete it and start again."
            ) from exc

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def search(self, query: str, *, language: str = "en", limit: int = 20) -> list[SearchHit]:
        """Concepts with a label that has, for each word of the query, a word that begins so.

        First what is named exactly so, then what begins so, then by bm25, preferred labels before
        alternative ones; labels in other languages only after all in this one. A URI or an id
        finds its concept. Anything may be asked: what cannot match finds nothing.
        """
        hits: dict[str, str] = {}
        if limit > 0:
            asked = query[:MAX_QUERY_CHARACTERS].strip()
            for concept_id, matched in self._matches(asked, language, limit):
                hits.setdefault(concept_id, matched)
                if len(hits) >= limit:
                    break
        return [self._hit(concept_id, matched, language) for concept_id, matched in hits.items()]

    def _matches(self, asked: str, language: str, limit: int) -> Iterator[tuple[str, str]]:
        """(concept id, text), best first; a concept may come again."""
        named = asked if asked in self._hierarchy else self._by_uri.get(asked)
        if named:
            yield named, asked
        text = " ".join(folded(asked).split()[:MAX_QUERY_WORDS])
        if not text:
            return
        words = " ".join(f'"{word}"*' for word in text.split())
        own = [known for known in self._languages if _same_language(known, language)]
        for languages in (own, [known for known in self._languages if known not in own]):
            parameters: dict[str, str | int] = {
                "text": text,
                "words": words,
                "languages": json.dumps(languages),
                "most": LABELS_PER_HIT * limit,
            }
            yield from self._rows(_BY_BEGINNING, parameters)
            yield from self._rows(_BY_WORDS, parameters)

    def _rows(self, statement: str, parameters: dict[str, str | int]) -> list[tuple[str, str]]:
        with self._lock:
            return self._connection.execute(statement, parameters).fetchall()

    def _hit(self, concept_id: str, matched: str, language: str) -> SearchHit:
        concept = self._hierarchy[concept_id]
        path = (self._hierarchy[i].label(language) for i in self._hierarchy.path(concept_id))
        return SearchHit(
            concept_id=concept_id,
            label=concept.label(language),
            matched=matched,
            notation=concept.notation,
            path=PATH_SEPARATOR.join(path),
        )


def fingerprint(hierarchy: Hierarchy) -> str:
    """What tells whether an index is of this very vocabulary, in this format."""
    digest = hashlib.sha256(f"{FORMAT} {hierarchy.vocabulary_id} {hierarchy.version}".encode())
    for concept_id in hierarchy:
        for row in _labels(hierarchy[concept_id]):
            digest.update(repr(row).encode("utf-8", "replace"))
    return digest.hexdigest()


def _labels(concept: Concept) -> Iterator[tuple[str, str, int, str]]:
    """Concept id, language, kind and text of all that a concept is found by."""
    texts = [(language, _PREFERRED, text) for language, text in concept.pref_label.items()]
    texts += [
        (language, _ALTERNATIVE, text)
        for language, labels in concept.alt_labels.items()
        for text in labels
    ]
    if concept.notation:
        texts.append(("", _NOTATION, concept.notation))
    for language, kind, text in texts:
        yield concept.concept_id, language, kind, text


def _write(hierarchy: Hierarchy, path: Path) -> None:
    labels = (row for concept_id in hierarchy for row in _labels(hierarchy[concept_id]))
    rows = ((n, *row, folded(row[-1])) for n, row in enumerate(labels, start=1))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_SCHEMA)
        connection.executemany(_INSERT_LABEL, rows)
        connection.execute(_INSERT_WORDS)
        connection.execute(_INDEX_LABELS)
        connection.execute("INSERT INTO word (word) VALUES ('optimize')")
        connection.execute("INSERT INTO meta VALUES (?)", (fingerprint(hierarchy),))
        connection.execute("ANALYZE")
        connection.commit()


def _connect(path: Path) -> sqlite3.Connection:
    """Open for reading only; the file is never changed, only replaced."""
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)


def _fingerprint_at(path: Path) -> str | None:
    """Of the index that is there; None where there is none, or it is damaged."""
    with suppress(sqlite3.Error), closing(_connect(path)) as connection:
        row = connection.execute("SELECT fingerprint FROM meta").fetchone()
        return str(row[0]) if row else None
    return None


def _same_language(known: str, asked: str) -> bool:
    """Labels without a language are in every language, and `en-GB` is English."""
    return not known or known.partition("-")[0] == asked.lower().partition("-")[0]
