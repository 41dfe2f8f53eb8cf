"""What documents say that people have finished: which concepts they have, where labels stood, and
which documents read alike.

It depends on nothing but which documents are known: what a document has taught is gone when it is
taken away, and the order in which they came does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.model.terms import unit_length
from core.suggest.calibration import logits

Array = npt.NDArray[np.float32]
Positions = npt.NDArray[np.int32]
"""Concepts, by their positions among those that may be assigned."""

UNTOUCHED = 0.5
"""How much a place of a label counts against its concept where nobody decided on it: half as much
as where somebody rejected it."""
PRIOR_DOCUMENTS = 10.0
PRIOR_RIGHT = {"title": 0.35, "text": 0.10}
"""How often a concept is assigned whose label stands there, before anything is known; of EuroVoc."""
CONCEPT_DOCUMENTS = 3.0
FEW_DOCUMENTS = 20.0  # the share of a concept among fewer says little


@dataclass(frozen=True, slots=True)
class SparseRow:
    """The columns of a row that are not 0, and their values."""

    columns: Positions
    values: Array


class SimilarRows(NamedTuple):
    """Documents that read like another: their rows among others, and how like it they are."""

    rows: Positions
    likeness: Array


EMPTY_ROW = SparseRow(np.empty(0, np.int32), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class LearnedDocument:
    """What a finished document says.

    Attributes:
        version: of its decisions; another one says something else.
        assigned, rejected: concepts.
        standing: by field, "title" or "text", the concepts whose label stands there and is in no
            longer label.
        terms: those of title and text together, and how much each counts, without rarity.
        suggested: concepts that a model suggested, and the probabilities that it gave.
        known_as: the id of the same document among those that came with a bundle; "" of others.
    """

    document_id: str
    version: int
    assigned: Positions
    rejected: Positions
    standing: Mapping[str, Positions] = field(default_factory=dict)
    terms: SparseRow = EMPTY_ROW
    suggested: SparseRow = EMPTY_ROW
    known_as: str = ""


@dataclass(frozen=True)
class Experience:
    """What some finished documents say together.

    Attributes:
        documents: in the order of the rows.
        n_standing: by field, in how many a label of each concept stood; untouched ones count less.
        n_right: by field, in how many of these it was assigned.
        assigned, rejected: ones, (n_documents, n_concepts).
        surplus: by how much more than a model had expected each concept was assigned to each
            document that it has read, (n_documents, n_concepts): 1 or 0, less its probability,
            which counts less where nobody decided on the concept.
        expected: the probability of each concept in each document, (n_documents, n_concepts), as
            much as it counts.
        n_assigned, n_expected, n_surplus: the sums of each concept.
        terms: rows of documents, (n_documents, n_terms), weighed by rarity, of length 1.
        rarity: of each term, (n_terms,).
        hidden: the row of a document that does not count, and that no text is similar to, though
            counts of label places stay those of all; None where there is none.
    """

    documents: Sequence[LearnedDocument]
    n_standing: Mapping[str, Array]
    n_right: Mapping[str, Array]
    assigned: sp.csr_matrix
    rejected: sp.csr_matrix
    surplus: sp.csr_matrix
    expected: sp.csr_matrix
    n_assigned: Array
    n_expected: Array
    n_surplus: Array
    terms: sp.csr_matrix
    rarity: Array
    hidden: int | None = None

    @property
    def n_documents(self) -> int:
        """How many of them count."""
        return len(self.documents) - (self.hidden is not None)

    def without(self, row: int) -> Experience:
        """Return the experience without one document."""
        less = {
            f"n_{name}": getattr(self, f"n_{name}") - column_sums(getattr(self, name)[row])
            for name in ("assigned", "expected", "surplus")
        }
        return replace(self, hidden=row, **less)

    @cached_property
    def right(self) -> dict[str, Array]:
        """By field, how likely each concept is assigned where its label stands."""
        return {
            where: smoothed(right, self.n_standing[where], PRIOR_RIGHT[where], CONCEPT_DOCUMENTS)
            for where, right in self.n_right.items()
        }

    @cached_property
    def columns(self) -> dict[str, Array]:
        """What they say of concepts whatever the document at hand, as features by name."""
        expected = self.n_expected + 1
        return {
            "right_in_titles": logits(self.right["title"]),
            "right_in_texts": logits(self.right["text"]),
            "seen_in_titles": np.log1p(self.n_standing["title"]),
            "seen_in_texts": np.log1p(self.n_standing["text"]),
            "frequency": np.log1p(self.n_assigned),
            "share": self.n_assigned / (self.n_documents + FEW_DOCUMENTS),
            "decided": np.full_like(self.n_assigned, np.log1p(self.n_documents)),
            "n_expected": np.log1p(self.n_expected),
            "surplus": np.log((self.n_expected + self.n_surplus + 1) / expected),
        }

    def similar(self, terms: SparseRow, number: int) -> SimilarRows:
        """Return the documents most like a text, best first.

        Cosines; rows without a word in common are left out.
        """
        weighed = unit_length(terms.values * self.rarity[terms.columns])
        query = np.zeros(len(self.rarity), dtype=np.float32)
        query[terms.columns] = weighed
        cosines = np.asarray(self.terms @ query, dtype=np.float32)
        if self.hidden is not None:
            cosines[self.hidden] = 0
        order = np.argsort(-cosines, kind="stable")[:number]
        order = order[cosines[order] > 0]
        return SimilarRows(order.astype(np.int32), cosines[order])


class LearnedDocuments:
    """Finished documents by id, and the experience summed over them.

    Args:
        n_concepts: that may be assigned.
        n_terms: columns of the vectors of texts.
        always: documents that are never forgotten, since a bundle came with them; one that is
            learned here, too, takes the place of the one that it is known as.
    """

    def __init__(
        self, n_concepts: int, n_terms: int, always: Iterable[LearnedDocument] = ()
    ) -> None:
        self.n_concepts, self.n_terms = n_concepts, n_terms
        self.always = {document.document_id: document for document in always}
        self._documents: dict[str, LearnedDocument] = {}
        self._experience: Experience | None = None
        self.n_updates = 0  # how often documents were added or removed

    def __iter__(self) -> Iterator[LearnedDocument]:
        """Walk through them in the order of their ids."""
        replaced = {document.known_as for document in self._documents.values()}
        remaining = {i: document for i, document in self.always.items() if i not in replaced}
        documents_by_id = remaining | self._documents
        return iter([documents_by_id[document_id] for document_id in sorted(documents_by_id)])

    def versions(self) -> dict[str, int]:
        """Return which documents were learned here, and with which decisions."""
        return {document.document_id: document.version for document in self._documents.values()}

    def add(self, documents: Iterable[LearnedDocument]) -> None:
        """Add documents, or replace those of the same id."""
        self._documents = self._documents | {row.document_id: row for row in documents}
        self._experience = None
        self.n_updates += 1

    def remove(self, document_ids: Iterable[str]) -> None:
        """Forget some documents."""
        gone = set(document_ids)
        self._documents = {i: document for i, document in self._documents.items() if i not in gone}
        self._experience = None
        self.n_updates += 1

    def experience(self) -> Experience:
        """Return the experience summed over the documents, computed once."""
        experience = self._experience
        if experience is None:
            experience = self._experience = self._summed_up()
        return experience

    def _summed_up(self) -> Experience:
        documents = list(self)
        assigned = _ones((document.assigned for document in documents), self.n_concepts)
        rejected = _ones((document.rejected for document in documents), self.n_concepts)
        standing, right = {}, {}
        for where in PRIOR_RIGHT:
            stood = (document.standing.get(where, EMPTY_ROW.columns) for document in documents)
            stands = _ones(stood, self.n_concepts)
            right[where] = column_sums(stands.multiply(assigned))
            refused = column_sums(stands.multiply(rejected))
            rest = column_sums(stands) - right[where] - refused
            standing[where] = right[where] + refused + UNTOUCHED * rest
        chances = _rows((document.suggested for document in documents), self.n_concepts)
        is_decided = sp.csr_matrix(assigned + rejected)
        expected = UNTOUCHED * chances + (1 - UNTOUCHED) * chances.multiply(is_decided)
        is_read = np.array([len(document.suggested.columns) > 0 for document in documents], bool)
        surplus = sp.csr_matrix(assigned.multiply(is_read[:, None]) - expected)
        counts = _rows((document.terms for document in documents), self.n_terms)
        rarity = _rarity(counts)
        return Experience(
            documents=documents,
            n_standing=standing,
            n_right=right,
            assigned=assigned,
            rejected=rejected,
            surplus=surplus,
            expected=sp.csr_matrix(expected),
            n_assigned=column_sums(assigned),
            n_expected=column_sums(expected),
            n_surplus=column_sums(surplus),
            terms=_weighed(counts, rarity),
            rarity=rarity,
        )


def smoothed(right: Array, standing: Array, prior: float, n_documents: float) -> Array:
    """Return how likely each concept is assigned where its label stands.

    Of concepts that were seldom seen there, it is drawn to what all of them together say.

    Args:
        right, standing: how often each was assigned there, and how often its label stood there.
        prior: what is thought before anything is known.
        n_documents: as so many of one concept all together count.
    """
    mean = (right.sum() + PRIOR_DOCUMENTS * prior) / (standing.sum() + PRIOR_DOCUMENTS)
    return np.asarray((right + n_documents * mean) / (standing + n_documents), dtype=np.float32)


def column_sums(rows: sp.csr_matrix) -> Array:
    """Return the sum of each column."""
    return np.asarray(rows.sum(axis=0), dtype=np.float32).ravel()


def _ones(positions: Iterable[Positions], n_columns: int) -> sp.csr_matrix:
    return _rows((SparseRow(row, np.ones(len(row), np.float32)) for row in positions), n_columns)


def _rows(rows: Iterable[SparseRow], n_columns: int) -> sp.csr_matrix:
    several = [EMPTY_ROW, *rows]
    ends = np.cumsum([len(row.columns) for row in several])
    columns = np.concatenate([row.columns for row in several]).astype(np.int32)
    values = np.concatenate([row.values for row in several])
    return sp.csr_matrix((values, columns, ends), shape=(len(several) - 1, n_columns))


def _rarity(counts: sp.csr_matrix) -> Array:
    """Return the inverse document frequency of each term, smoothed as scikit-learn does."""
    n_with = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.asarray(np.log((1 + counts.shape[0]) / (1 + n_with)) + 1, dtype=np.float32)


def _weighed(counts: sp.csr_matrix, rarity: Array) -> sp.csr_matrix:
    rows = counts.copy()
    rows.data = rows.data * rarity[rows.indices]
    numbers = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    lengths = np.sqrt(np.bincount(numbers, rows.data**2, minlength=rows.shape[0]))
    rows.data = (rows.data / np.maximum(lengths, 1e-9)[numbers]).astype(np.float32)
    return rows
