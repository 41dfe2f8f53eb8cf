"""The file behind the search: every label of a vocabulary, in the order in which it is offered.

Numbers run by language, then by weight, so that the best labels of a language are the first rows
of a range, and a search may stop as soon as it has enough.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path

from core.boundaries import VOCABULARY_FILES
from core.home import written_beside
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import INCLUDES, conventions_of
from core.vocabulary.folding import fold_text
from core.vocabulary.search.coverage import SCHEMA, write_terms
from core.vocabulary.search.stems import is_half_said, said_by, terms_in
from core.vocabulary.versions.columnar import content_checksum

SUFFIX = ".search.sqlite"
FORMAT = 6
UNUSED_DAYS = 30  # until an index goes that nothing opens; whoever comes back has it written anew
_SECONDS_OF_DAY = 86_400
_N_FOLDED = 2**15  # labels of the suggestions of some documents, which each key looks through
_SCHEMA = f"""
    {SCHEMA}
    CREATE TABLE meta (fingerprint TEXT NOT NULL);
    CREATE TABLE label (
        number INTEGER PRIMARY KEY,
        concept_id TEXT NOT NULL,
        language TEXT NOT NULL,
        weight INTEGER NOT NULL,
        text TEXT NOT NULL,
        folded TEXT NOT NULL
    );
    CREATE VIRTUAL TABLE word USING fts5 (
        folded, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*' tokenchars '+#'", prefix='1 2 3 4'
    );
    CREATE VIRTUAL TABLE term USING fts5vocab (word, 'row');
"""
_INSERT_LABEL = "INSERT INTO label VALUES (?, ?, ?, ?, ?, ?)"
# In the order of the numbers: FTS5 starts a new segment wherever they fall.
_INSERT_WORDS = "INSERT INTO word (rowid, folded) VALUES (?, ?)"
_INDEX_LABELS = "CREATE INDEX label_beginning ON label (language, folded)"

Label = tuple[str, str, int, str, str]


def write_index(hierarchy: Hierarchy, path: Path) -> None:
    """Write the index, in one step for whoever reads an older one; others that nothing uses go.

    Raises:
        VocabularyError: the file cannot be written.
    """
    with (
        VOCABULARY_FILES.translated(
            "The search index cannot be written to {path} ({reason}); "
            "free some space there, or allow Strata to write.",
            path=path,
        ),
        written_beside(path, suffix=".new") as new,
    ):
        _write(hierarchy, new)
    _remove_unused(path.parent)


def _remove_unused(folder: Path) -> None:
    """Remove indexes that nothing has opened for long, such as of models that were replaced.

    Which ones projects use, only their vocabularies would say, which take seconds to load. A process
    that has had one open all the time reads on.
    """
    oldest = time.time() - UNUSED_DAYS * _SECONDS_OF_DAY
    for path in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):  # another process was quicker, or Windows keeps what is open
            if path.stat().st_mtime < oldest:
                path.unlink()


def connect(path: Path) -> sqlite3.Connection:
    """Open for reading only; the file is never changed, only replaced. Its time is that of its use."""
    with suppress(OSError):  # there is none, or it is somebody else's file
        os.utime(path)
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)


def fingerprint(hierarchy: Hierarchy) -> str:
    """Return what shows whether an index is of this very vocabulary and format."""
    of = (hierarchy.vocabulary_id, hierarchy.version, content_checksum(hierarchy))
    return " ".join((str(FORMAT), *of))


def fingerprint_at(path: Path) -> str | None:
    """Of the index that is there; None where there is none, or it is damaged."""
    with suppress(sqlite3.Error), closing(connect(path)) as connection:
        row = connection.execute("SELECT fingerprint FROM meta").fetchone()
        return str(row[0]) if row else None
    return None


def _write(hierarchy: Hierarchy, path: Path) -> None:
    vocabulary_id = hierarchy.vocabulary_id
    labels = [
        label
        for concept_id in hierarchy
        for label in searchable_labels(hierarchy[concept_id], vocabulary_id)
    ]
    labels.sort(key=lambda label: (label[1], label[2], label[4]))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_SCHEMA)
        rows = ((number, *label) for number, label in enumerate(labels, start=1))
        connection.executemany(_INSERT_LABEL, rows)
        # Notations that are no codes, such as c_b12a760a, have no words: they are typed whole.
        opaque = {} if hierarchy.has_codes else {i: hierarchy[i].notation for i in hierarchy}
        worded = [
            (*label[:3], "", "") if opaque.get(label[0]) == label[3] else label for label in labels
        ]
        words = ((number, folded) for number, (*_, folded) in enumerate(worded, start=1))
        connection.executemany(_INSERT_WORDS, words)
        texts = [(language, text) for _, language, _, text, _ in worded]
        connection.execute(_INDEX_LABELS)
        write_terms(connection, texts, vocabulary_id, terms_in(vocabulary_id))
        connection.execute("INSERT INTO word (word) VALUES ('optimize')")
        connection.execute("INSERT INTO meta VALUES (?)", (fingerprint(hierarchy),))
        connection.commit()


def searchable_labels(concept: Concept, vocabulary_id: str) -> Iterator[Label]:
    """Yield concept id, language, weight, text and folded text of all that finds a concept.

    The less a label weighs, the earlier it is offered: the short ones, and the preferred ones
    before alternative ones of up to half their length. What says that nothing more is known has
    no length. Hidden labels and what a category of codes includes find it as well, behind its
    other labels.
    """
    for language, text in concept.pref_label.items():
        yield from _named(concept, (language, 1), text, said_by(text, vocabulary_id))
    for language, texts in concept.alt_labels.items():
        for text in texts:
            if is_half_said(text, concept.label(language), vocabulary_id):
                continue
            yield from _named(concept, (language, 2), text, said_by(text, vocabulary_id))
    for by_language in (concept.hidden_labels, _included(concept, vocabulary_id)):
        for language, texts in by_language.items():
            for text in texts:
                yield from _named(concept, (language, 3), text, said_by(text, vocabulary_id))
    if concept.notation:
        row = _label(concept, ("", 1), concept.notation, concept.notation)
        yield row
        if " " in row[-1]:  # a code is typed with its point and without
            yield (*row[:-1], row[-1].replace(" ", ""))


def _included(concept: Concept, vocabulary_id: str) -> Mapping[str, tuple[str, ...]]:
    """Return what a code system says that a category includes, such as rabbit fever at A21."""
    return concept.notes.get(INCLUDES, {}) if conventions_of(vocabulary_id).lexical else {}


def _named(concept: Concept, how: tuple[str, int], text: str, plain: str) -> Iterator[Label]:
    row = _label(concept, how, text, plain)
    yield row
    begins = _folded(plain)
    if not row[-1].startswith(begins):  # “Unspecified appendicitis” is typed as “appendicitis”
        yield (*row[:-1], begins)


_folded = lru_cache(_N_FOLDED)(fold_text)


def _label(concept: Concept, how: tuple[str, int], text: str, plain: str) -> Label:
    language, factor = how
    weight = factor * len(_folded(plain))
    return concept.concept_id, language, weight, text, _folded(text)
