"""What is suggested instead of the right concept, by its place on the tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from core import metrics
from core.insights.judged import Judged

RELATIONS = ("right", "broader", "narrower", "sibling", "same_branch", "other_branch")
"""In this order: a prediction is counted once, under the first that holds."""

MOST_PAIRS = 15


@dataclass(frozen=True, slots=True)
class Pair:
    """Two near concepts, one of which was suggested where the other was assigned and missed."""

    suggested: str
    assigned: str
    n_documents: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """Where on the tree the first R suggestions of each document lie.

    R is the number of concepts that people assigned to the document, so there are as many
    predictions as gold labels, and no threshold decides. (Without an assigned head, what is
    broader than these counts as well: for R, as right, and for siblings.) A prediction is

    - right: it was assigned to the document;
    - broader: an ancestor of an assigned concept, its parent or above (and assignable itself);
    - narrower: a descendant of an assigned concept;
    - sibling: it shares a directly broader concept with an assigned one, be that one a mere
      division such as a micro-thesaurus;
    - same_branch: none of these, but below a top concept that an assigned concept is below as well;
    - other_branch: below no such top concept.

    Attributes:
        counts: relation -> predictions, over all levels.
        by_level: level of the predicted concept -> the same.
        pairs: labels of the most frequent confusions of near concepts (broader, narrower,
            sibling), in the documents in which one was suggested wrongly and the other missed.
    """

    counts: dict[str, int]
    by_level: dict[int, dict[str, int]]
    pairs: tuple[Pair, ...]


def confusion(judged: Judged) -> Confusion | None:
    """Classify every wrong prediction; None without scores, or without a tree."""
    if judged.ranked is None or judged.label_space.n_levels < 2:
        return None
    chosen, levels = first_r(judged), judged.label_space.levels
    shares, left = {}, chosen
    for relation, where in _places(judged).items():
        shares[relation] = _bools(left.multiply(where))
        left = _without(left, shares[relation])
    shares[RELATIONS[-1]] = left
    by_level: dict[int, dict[str, int]] = {}
    for level in np.unique(levels[chosen.indices]).tolist():
        of_level = {name: int(np.sum(levels[m.indices] == level)) for name, m in shares.items()}
        by_level[level] = of_level
    near = _bools(shares["broader"] + shares["narrower"] + shares["sibling"])
    counts = {name: int(matrix.nnz) for name, matrix in shares.items()}
    return Confusion(counts, by_level, _pairs(judged, near, _without(judged.target, chosen)))


def first_r(judged: Judged) -> sparse.csr_matrix:
    """Return the first R suggestions of each document as ones, shape (n_documents, n_columns)."""
    assert judged.ranked is not None
    n_gold = np.diff(judged.target[:, judged.offered].indptr)
    best = metrics.top_columns(judged.ranked[:, judged.offered], int(n_gold.max(initial=0)))
    within = np.arange(best.shape[1]) < n_gold[:, None]
    columns = judged.offered[best[within]]
    rows = np.repeat(np.arange(len(n_gold)), within.sum(axis=1))
    ones = np.ones(len(columns), dtype=bool)
    return sparse.csr_matrix((ones, (rows, columns)), shape=judged.target.shape)


def _places(judged: Judged) -> dict[str, sparse.csr_matrix]:
    """For every relation but the last, which concepts have it to what a document was assigned."""
    gold, closure = _bools(judged.gold), judged.closure
    parents, tops = _parents(judged), _tops(judged)
    places = (
        judged.target,
        gold @ closure,
        gold @ closure.T,
        _bools(judged.target) @ parents @ parents.T,
        gold @ tops @ tops.T,
    )
    return dict(zip(RELATIONS[:-1], map(_bools, places), strict=True))


def _parents(judged: Judged) -> sparse.csr_matrix:
    """Row = concept, column = a directly broader one; booleans."""
    pairs = judged.label_space.broader_pairs
    ones = np.ones(len(pairs), dtype=bool)
    return sparse.csr_matrix((ones, (pairs[:, 0], pairs[:, 1])), shape=judged.closure.shape)


def _tops(judged: Judged) -> sparse.csr_matrix:
    """Row = concept, column = a top concept that it is or is below; booleans."""
    n_columns = len(judged.label_space)
    itself = sparse.identity(n_columns, dtype=bool, format="csr")
    columns = [judged.label_space.column(i) for i in judged.label_space.hierarchy.top_concepts]
    return _bools(judged.closure + itself)[:, columns]


def _pairs(judged: Judged, wrong: sparse.csr_matrix, missed: sparse.csr_matrix) -> tuple[Pair, ...]:
    parents, closure = _parents(judged), judged.closure
    near = _bools(parents @ parents.T + closure + closure.T)
    together = (wrong.astype(np.int32).T @ missed.astype(np.int32)).multiply(near).tocoo()
    space = judged.label_space
    labels = [space.hierarchy[i].label() for i in space.concept_ids]
    pairs = [
        Pair(labels[suggested], labels[assigned], int(n))
        for suggested, assigned, n in zip(together.row, together.col, together.data, strict=True)
        if n
    ]
    pairs.sort(key=lambda pair: (-pair.n_documents, pair.suggested, pair.assigned))
    return tuple(pairs[:MOST_PAIRS])


def _without(first: sparse.csr_matrix, second: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the ones of the first that the second has not."""
    return _bools(first.astype(np.int8) - first.astype(np.int8).multiply(second))


def _bools(matrix: sparse.spmatrix) -> sparse.csr_matrix:
    is_set = sparse.csr_matrix(matrix).astype(bool)
    is_set.eliminate_zeros()
    return is_set
