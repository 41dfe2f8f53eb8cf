"""Documents that several people annotated, as the matrices that figures are computed from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from scipy import sparse

from core.metrics import Array
from core.vocabulary.concepts import Hierarchy


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one person put on one document, and what a model had suggested to them.

    Attributes:
        ranks: by suggested concept, its place in the list as this person saw it, from 1 on.
        typed: of the concepts, those that were searched for and not accepted from the list.
    """

    concept_ids: frozenset[str]
    ranks: Mapping[str, int] = field(default_factory=dict)
    typed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """The annotations of a document by annotator, and the ISO week to which it counts."""

    document_id: str
    annotations: Mapping[str, Annotation]
    week: str = ""


@dataclass(frozen=True, slots=True)
class AnnotationTable:
    """Annotations of documents that have at least two, a row each, in the order of the documents.

    Attributes:
        sets, suggested: which concepts a row has, and which its annotator saw suggested; booleans,
            shape (n_annotations, n_concepts).
        document, annotator: their numbers, shape (n_annotations,).
        weeks: of the documents, by their numbers.
        concept_ids: of the columns: what was assigned or suggested, and all ancestors.
        closure: the ancestors of each column, shape (n_concepts, n_concepts).
    """

    sets: sparse.csr_matrix
    suggested: sparse.csr_matrix
    document: Array
    annotator: Array
    weeks: tuple[str, ...]
    annotators: tuple[str, ...]
    concept_ids: tuple[str, ...]
    closure: sparse.csr_matrix

    @property
    def n_documents(self) -> int:
        """Documents with at least two annotations."""
        return len(self.weeks)

    def of_rows(self, is_kept: Array) -> AnnotationTable:
        """Return some of the annotations, without those that are left alone on their document."""
        has_two = np.bincount(self.document[is_kept], minlength=self.n_documents) > 1
        documents, rows = np.flatnonzero(has_two), np.flatnonzero(is_kept & has_two[self.document])
        return replace(
            self,
            sets=self.sets[rows],
            suggested=self.suggested[rows],
            document=np.searchsorted(documents, self.document[rows]),
            annotator=self.annotator[rows],
            weeks=tuple(self.weeks[number] for number in documents),
        )

    def with_sets(self, sets: sparse.csr_matrix) -> AnnotationTable:
        """Put other sets in place of these, without the documents on which all are empty.

        On most documents people agree that a branch has no place there, which would hide whether
        they agree on where it has.
        """
        has_any = np.bincount(self.document, sets.getnnz(axis=1), self.n_documents) > 0
        return replace(self, sets=sets).of_rows(has_any[self.document])

    def comparisons(self) -> tuple[Array, Array, Array]:
        """Return every two annotations of each document.

        Returns:
            Rows, rows, and the number of the document, shape (n_comparisons,) each; of two people
            the first row is always the same person's.
        """
        starts = np.searchsorted(self.document, np.arange(self.n_documents + 1))
        rows = [
            (*sorted(two, key=lambda row: self.annotator[row]), number)
            for number in range(self.n_documents)
            for two in combinations(range(starts[number], starts[number + 1]), 2)
        ]
        first, second, document = np.array(rows, dtype=np.intp).reshape(-1, 3).T
        return first, second, document


def annotation_table(
    documents: Iterable[AnnotatedDocument], hierarchy: Hierarchy
) -> AnnotationTable:
    """Gather annotations; documents that one person alone annotated are left out.

    Concepts that the hierarchy does not have, such as withdrawn ones, have no ancestors.
    """
    several = [document for document in documents if len(document.annotations) > 1]
    rows = [(n, who, a) for n, d in enumerate(several) for who, a in d.annotations.items()]
    annotators = tuple(sorted({who for _, who, _ in rows}))
    used = {i for _, _, a in rows for i in (*a.concept_ids, *a.ranks)}
    concept_ids = tuple(sorted(used.union(*(_ancestors(i, hierarchy) for i in used))))
    return AnnotationTable(
        sets=_indicators([a.concept_ids for _, _, a in rows], concept_ids),
        suggested=_indicators([a.ranks for _, _, a in rows], concept_ids),
        document=np.array([number for number, _, _ in rows], dtype=np.intp),
        annotator=np.array([annotators.index(who) for _, who, _ in rows], dtype=np.intp),
        weeks=tuple(document.week for document in several),
        annotators=annotators,
        concept_ids=concept_ids,
        closure=_indicators([_ancestors(i, hierarchy) for i in concept_ids], concept_ids),
    )


def _ancestors(concept_id: str, hierarchy: Hierarchy) -> frozenset[str]:
    return hierarchy.ancestors(concept_id) if concept_id in hierarchy else frozenset()


def _indicators(sets: Sequence[Collection[str]], concept_ids: Sequence[str]) -> sparse.csr_matrix:
    """Booleans, a row a set and a column a concept."""
    column = {concept_id: number for number, concept_id in enumerate(concept_ids)}
    columns = np.array([column[i] for members in sets for i in members], dtype=np.intp)
    rows = np.repeat(np.arange(len(sets)), [len(members) for members in sets])
    ones, shape = np.ones(len(columns), bool), (len(sets), len(concept_ids))
    return sparse.csr_matrix((ones, (rows, columns)), shape=shape)
