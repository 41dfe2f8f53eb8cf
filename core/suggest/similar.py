"""Documents that read alike: by the angle between their TF-IDF vectors of title and text.

The terms and their weights are those of the bundle's linear suggester where it has one, which
learned them from tens of thousands of documents, and hashed words otherwise.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from core.documents.document import Document, fingerprint
from core.suggest.protocol import find_part

READ_CHARACTERS = 20_000  # of a text; its beginning says what it is about
N_HASHED = 2**18
TITLE_SHARE = 0.4
LEAST_SIMILARITY = 0.3
MOST_ASKED = 200  # documents that are not indexed, and whose vectors are kept

Vectorize = Callable[[str, str], sp.csr_matrix]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A document that reads like another.

    Attributes:
        similarity: cosine, in [0, 1].
    """

    document_id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class _Read:
    """An indexed document as it was read.

    Attributes:
        title: by which it was listed.
        fingerprint: of its title and text.
    """

    title: str
    fingerprint: str
    row: sp.csr_matrix


class SimilarDocuments:
    """Vectors of indexed documents, kept in memory; a title may change, a text never does.

    Args:
        vector: makes a row of length 1, shape (1, n_terms), from a title and a text.
    """

    def __init__(self, vector: Vectorize) -> None:
        self._vector = vector
        self._read: dict[str, _Read] = {}
        self._asked: OrderedDict[str, sp.csr_matrix] = OrderedDict()  # by fingerprint
        self._ids: list[str] = []
        self._matrix: sp.csr_matrix | None = None
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._read)

    def update(
        self,
        titles: Mapping[str, str],
        fetch: Callable[[str], Document],
        *,
        seconds: float = float("inf"),
    ) -> int:
        """Know these documents and no others, as far as that is done in this time.

        Args:
            titles: by document id; one with another title than before is read again.
            fetch: reads a document that is not known yet.
        Returns:
            How many are still to be read.
        """
        with self._lock:
            for document_id, read in list(self._read.items()):
                if titles.get(document_id) != read.title:
                    del self._read[document_id]
                    self._matrix = None
        missing = [i for i in titles if i not in self._read]
        end = time.monotonic() + seconds
        for n_read, document_id in enumerate(missing):
            if time.monotonic() >= end:
                return len(missing) - n_read
            document = fetch(document_id)
            row = self.vector(document)
            with self._lock:
                self._read[document_id] = _Read(titles[document_id], fingerprint(document), row)
                self._matrix = None
        return 0

    def vector(self, document: Document) -> sp.csr_matrix:
        """Return the vector of a document, of length 1, or empty where no term is known."""
        return self._vector(document.title, document.text[:READ_CHARACTERS])

    def nearest(
        self, document: Document, *, limit: int = 3, least: float = LEAST_SIMILARITY
    ) -> list[Neighbour]:
        """Return the documents most like this one, without itself, best first."""
        matrix, ids = self._stacked()
        if matrix is None:
            return []
        similarities = np.asarray((matrix @ self._row(document).T).todense()).ravel()
        order = np.argsort(-similarities, kind="stable")[: limit + 1]
        neighbours = [
            Neighbour(ids[n], float(similarities[n])) for n in order if similarities[n] >= least
        ]
        return [near for near in neighbours if near.document_id != document.document_id][:limit]

    def _row(self, document: Document) -> sp.csr_matrix:
        """The vector of a document that is compared, made once for all times it is opened."""
        seen = fingerprint(document)
        with self._lock:
            read = self._read.get(document.document_id)
            if read is not None and read.fingerprint == seen:
                return read.row
            row = self._asked.get(seen)
        if row is None:
            row = self.vector(document)
            with self._lock:
                self._asked[seen] = row
                if len(self._asked) > MOST_ASKED:
                    self._asked.popitem(last=False)
        return row

    def _stacked(self) -> tuple[sp.csr_matrix | None, list[str]]:
        with self._lock:
            if self._matrix is None and self._read:
                self._ids = list(self._read)
                self._matrix = sp.csr_matrix(sp.vstack([read.row for read in self._read.values()]))
            return (self._matrix if self._read else None), self._ids


def shared_concepts(assigned: Iterable[Iterable[str]]) -> list[tuple[str, int]]:
    """Return the concepts of documents with their counts, the most frequent first.

    Args:
        assigned: concept ids of each document, the most similar one first. Concepts of equally many
            stand in the order in which they come there.
    """
    counted = Counter(concept_id for ids in assigned for concept_id in dict.fromkeys(ids))
    return sorted(counted.items(), key=lambda item: -item[1])


@runtime_checkable
class DocumentVectors(Protocol):
    """A suggester that weighs the terms of documents."""

    def vector(self, title: str, text: str) -> sp.csr_matrix:
        """Return a row of length 1, (1, n_terms)."""


def vectors_of(suggester: object) -> Vectorize:
    """Return the vectors of a suggester's terms, or of hashed words where it has none."""
    vectors = find_part(suggester, DocumentVectors)  # type: ignore[type-abstract]  # mypy#4717
    return hashed_words() if vectors is None else vectors.vector


def hashed_words() -> Vectorize:
    """Vectors of hashed English words, where a bundle brings no terms of its own."""
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.preprocessing import normalize

    words = HashingVectorizer(
        n_features=N_HASHED, alternate_sign=False, stop_words="english", norm="l2"
    )

    def vector(title: str, text: str) -> sp.csr_matrix:
        rows = words.transform([title, text])
        joined = TITLE_SHARE * rows[0] + (1 - TITLE_SHARE) * rows[1]
        return sp.csr_matrix(normalize(sp.csr_matrix(joined)))

    return vector
