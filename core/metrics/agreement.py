"""How far people agree who annotated the same documents independently of each other.

A row is one annotation: the concepts that one annotator put on one document. Every function takes
how often each document counts, shape (n_samples, n_documents), and answers for each sample: a row
of ones is the figure itself, rows of `times_drawn` are its bootstrap. A figure that has nothing to
measure is NaN, as everywhere in this package.

They are written by hand because of the bootstrap. `nltk` and `krippendorff` give the same values,
which tests hold, but compare all sets in Python once a sample: hours for what is a product of
matrices here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy import sparse

from core.metrics.matrices import (
    Array,
    Labels,
    Values,
    divide,
    gold_counts,
    gold_matrix,
    row_blocks,
)

Distance: TypeAlias = Callable[[Labels, Labels], Values]
"""From the sets of some annotations (rows) to those of others (columns), in [0, 1]."""


def jaccard_distances(sets: Labels, others: Labels) -> Values:
    """Return 1 − |A ∩ B| / |A ∪ B| of each set with each other; 0 between two empty ones.

    Of sets that hold all their ancestors this is a distance on the tree: two concepts are as far
    apart as their paths from the top differ, through whichever broader concepts these lead.

    Source: Jaccard (1912); with ancestors Gentleman (2005), simUI, in the review of Pesquita,
        Faria, Falcão, Lord and Couto (2009).
    """
    shared, sizes, other_sizes = _overlap(sets, others)
    return _unlike(shared, sizes + other_sizes - shared)


def masi_distances(sets: Labels, others: Labels) -> Values:
    """Return 1 − J·M of each set with each other; 0 between two empty ones, which are identical.

    J is Jaccard's similarity. M is 1 for identical sets, 2/3 where one holds the other, 1/3 where
    they overlap otherwise, 0 where they share nothing.

    Source: Passonneau (2006), “Measuring agreement on set-valued items (MASI)”.
    """
    shared, sizes, other_sizes = _overlap(sets, others)
    is_same = (shared == sizes) & (shared == other_sizes)
    is_within = shared == np.minimum(sizes, other_sizes)
    monotonicity = np.where(is_same, 1.0, np.where(is_within, 2 / 3, 1 / 3))
    return _unlike(shared * monotonicity, sizes + other_sizes - shared)


def nominal_distances(sets: Labels, others: Labels) -> Values:
    """Return 0 for identical sets and 1 for all others."""
    shared, sizes, other_sizes = _overlap(sets, others)
    return np.where((shared == sizes) & (shared == other_sizes), 0.0, 1.0)


def _overlap(sets: Labels, others: Labels) -> tuple[Values, Values, Values]:
    """Sizes of the intersections, of the sets (a column) and of the others (a row)."""
    a, b = gold_matrix(sets), gold_matrix(others)
    shared = (a.astype(np.float64) @ b.T.astype(np.float64)).toarray()
    return shared, gold_counts(a)[:, None].astype(float), gold_counts(b)[None, :].astype(float)


def _unlike(alike: Values, union: Values) -> Values:
    return np.where(union == 0, 0.0, 1 - divide(alike, np.where(union == 0, 1, union)))


def distances_of_documents(sets: Labels, document: Array, distance: Distance) -> Values:
    """Add up the distances of all annotations of a document to all those of another.

    Args:
        document: the number of each row's document, from 0 on, shape (n_annotations,).
    Returns:
        Shape (n_documents, n_documents); within a document each pair counts in both directions.
    """
    matrix = gold_matrix(sets)
    n_rows, n_documents = matrix.shape[0], int(document.max(initial=-1)) + 1
    ones = (np.ones(n_rows), (np.arange(n_rows), document))
    member = sparse.csr_matrix(ones, shape=(n_rows, n_documents))
    totals = np.zeros((n_documents, n_documents))
    for rows in row_blocks(n_rows):
        totals += member[rows].T @ (distance(matrix[rows], matrix) @ member)
    return totals


def krippendorff_alpha(distances: Values, n_annotations: Array, times: Array) -> Values:
    """Return 1 − Dₒ / Dₑ for each sample, at most 1; chance is 0.

    Dₒ is the mean distance within documents, Dₑ that of all annotations to each other. Of a
    document that was drawn twice, the two are not compared with each other: they would be nearer
    than any two documents are, and intervals of few documents too low.

    Args:
        distances: of `distances_of_documents`.
        n_annotations: of each document, at least 2, shape (n_documents,).
    Returns:
        Shape (n_samples,); NaN where all sets of a sample are the same: then there is nothing that
        chance could have got wrong.
    Source: Krippendorff (2011), “Computing Krippendorff's alpha-reliability”, for any distance;
        Passonneau (2006) for MASI in place of the squared difference.
    """
    weights = np.asarray(times, dtype=np.float64)
    n, inner = weights @ n_annotations, distances.diagonal()
    other = np.einsum("ij,ij->i", weights @ (distances - np.diag(inner)), weights)
    n_other = n**2 - weights**2 @ n_annotations**2
    mean_other = divide(other, n_other) * (n**2 - weights @ n_annotations**2)
    within = weights @ divide(inner, n_annotations - 1)
    return np.round(1 - divide(within * (n - 1), weights @ inner + mean_other), 12)


def cohen_kappa(first: Labels, second: Labels, pair: Array, times: Array) -> Values:
    """Return (Pₒ − Pₑ) / (1 − Pₑ) of each concept: put on a document or not, by two people.

    Of several pairs of people, Pₒ and Pₑ are the means over the pairs, by their documents, so that a
    pair of which neither used the concept does not make the figure undefined.

    Args:
        first, second: the sets of the two of each comparison, shape (n_comparisons, n_concepts).
        pair: the number of the pair of people, shape (n_comparisons,).
        times: how often each comparison counts, shape (n_samples, n_comparisons).
    Returns:
        Shape (n_samples, n_concepts); NaN where all of a sample used the concept alike: everywhere,
        or nowhere.
    Source: Cohen (1960); Davies and Fleiss (1982) for several pairs, as in Artstein and Poesio
        (2008).
    """
    a, b = gold_matrix(first), gold_matrix(second)
    both = gold_matrix(a.multiply(b))
    beyond, room = np.zeros((2, len(times), a.shape[1]))
    for number in np.unique(pair):
        rows = np.flatnonzero(pair == number)
        weights = np.asarray(times[:, rows], dtype=np.float64)
        n = weights.sum(axis=1)[:, None]
        n_both, n_a, n_b = (weights @ part[rows].astype(np.float64) for part in (both, a, b))
        expected = np.nan_to_num(divide(n_a * n_b + (n - n_a) * (n - n_b), n))
        beyond += n - n_a - n_b + 2 * n_both - expected
        room += n - expected
    return np.round(divide(beyond, np.where(room > 1e-9, room, 0)), 12)


def pairwise_f1(first: Labels, second: Labels) -> Values:
    """Return 2·|A ∩ B| / (|A| + |B|) of each comparison; 1 where both sets are empty.

    The same from either side. Where a concept is rare, kappa comes close to it.

    Source: Hripcsak and Rothschild (2005). That two empty sets agree: Rajpurkar, Jia and Liang
        (2018), for questions without an answer.
    """
    a, b = gold_matrix(first), gold_matrix(second)
    total = gold_counts(a) + gold_counts(b)
    shared = gold_counts(gold_matrix(a.multiply(b)))
    return np.where(total == 0, 1.0, divide(2 * shared, np.maximum(total, 1)))
