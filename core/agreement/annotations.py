"""Documents that several people annotated, as the matrices that figures are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from core.vocabulary.concepts import Hierarchy

Numbers = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one annotator put on one document, and what a model had suggested to them.

    Attributes:
        ranks: by concept that was suggested, its place in the list as this annotator saw it, from 1.
        typed: of the concepts, those that the annotator searched for and did not accept from the
            list; one may be suggested as well.
    """

    concept_ids: frozenset[str]
    ranks: Mapping[str, int] = field(default_factory=dict)
    typed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A document with its annotations by annotator, and the ISO week to which it counts."""

    document_id: str
    annotations: Mapping[str, Annotation]
    week: str = ""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Every two annotations of a document: rows of a table, and whose they are.

    Attributes:
        first, second: rows; within a pair of people, the first is always the same person's.
        document: its number, from 0 on.
        pair: a number for the two people.
    """

    first: Numbers
    second: Numbers
    document: Numbers
    pair: Numbers


@dataclass(frozen=True, slots=True)
class AnnotationTable:
    """Annotations of documents that have at least two, a row each, in the order of the documents.

    Attributes:
        sets: which concepts a row has, booleans, shape (n_annotations, n_concepts).
        suggested: which concepts were suggested to its annotator, of the same shape.
        document, annotator: their numbers, shape (n_annotations,).
        weeks: of the documents, by their numbers.
        concept_ids: of the columns: what was assigned or suggested, and all ancestors.
        closure: the ancestors of each column, shape (n_concepts, n_concepts).
    """

    sets: sparse.csr_matrix
    suggested: sparse.csr_matrix
    document: Numbers
    annotator: Numbers
    weeks: tuple[str, ...]
    annotators: tuple[str, ...]
    concept_ids: tuple[str, ...]
    closure: sparse.csr_matrix

    @property
    def n_documents(self) -> int:
        """Documents with at least two annotations."""
        return len(self.weeks)

    @property
    def n_annotations(self) -> Numbers:
        """Annotations of each document, shape (n_documents,)."""
        return np.bincount(self.document, minlength=self.n_documents)

    def of_rows(self, is_kept: npt.NDArray[np.bool_]) -> AnnotationTable:
        """Return some of the annotations, without those that are left alone on their document."""
        counts = np.bincount(self.document[is_kept], minlength=self.n_documents)
        documents = np.flatnonzero(counts > 1)
        rows = np.flatnonzero(is_kept & (counts > 1)[self.document])
        return replace(
            self,
            sets=self.sets[rows],
            suggested=self.suggested[rows],
            document=np.searchsorted(documents, self.document[rows]),
            annotator=self.annotator[rows],
            weeks=tuple(self.weeks[number] for number in documents),
        )

    def of_documents(self, is_kept: npt.NDArray[np.bool_]) -> AnnotationTable:
        """Return some of the documents; the mask has shape (n_documents,)."""
        return self.of_rows(is_kept[self.document])

    def with_sets(self, sets: sparse.csr_matrix) -> AnnotationTable:
        """Put other sets in place of these, without the documents on which all are empty.

        Where one branch is looked at, people agree on most documents that it has no place there, and
        this would hide whether they agree on where it has.
        """
        has_any = np.bincount(self.document, sets.getnnz(axis=1), self.n_documents) > 0
        return replace(self, sets=sets).of_documents(has_any)

    def comparisons(self) -> Comparisons:
        """Return every two annotations of each document."""
        starts = np.searchsorted(self.document, np.arange(self.n_documents + 1))
        rows = [
            (*sorted(two, key=lambda row: self.annotator[row]), number)
            for number in range(self.n_documents)
            for two in combinations(range(starts[number], starts[number + 1]), 2)
        ]
        first, second, document = np.array(rows, dtype=np.intp).reshape(-1, 3).T
        pair = self.annotator[first] * len(self.annotators) + self.annotator[second]
        return Comparisons(first, second, document, pair)


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
    ancestors = {i: hierarchy.ancestors(i) if i in hierarchy else frozenset() for i in used}
    concept_ids = tuple(sorted(used.union(*ancestors.values())))
    above = [hierarchy.ancestors(i) if i in hierarchy else () for i in concept_ids]
    return AnnotationTable(
        sets=_indicators([a.concept_ids for _, _, a in rows], concept_ids),
        suggested=_indicators([a.ranks for _, _, a in rows], concept_ids),
        document=np.array([number for number, _, _ in rows], dtype=np.intp),
        annotator=np.array([annotators.index(who) for _, who, _ in rows], dtype=np.intp),
        weeks=tuple(document.week for document in several),
        annotators=annotators,
        concept_ids=concept_ids,
        closure=_indicators(above, concept_ids),
    )


def _indicators(sets: Sequence[Iterable[str]], concept_ids: Sequence[str]) -> sparse.csr_matrix:
    """Booleans, a row a set and a column a concept."""
    column = {concept_id: number for number, concept_id in enumerate(concept_ids)}
    cells = [(row, column[i]) for row, members in enumerate(sets) for i in members]
    row_numbers, columns = np.array(cells, dtype=np.intp).reshape(-1, 2).T
    shape = (len(sets), len(concept_ids))
    return sparse.csr_matrix((np.ones(len(cells), bool), (row_numbers, columns)), shape=shape)
