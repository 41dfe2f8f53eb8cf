"""How far people agree who annotated the same documents independently of each other.

A row is one annotation: the concepts that one person put on one document. Functions that take how
often each document counts, shape (n_samples, n_documents), answer for each sample: a row of ones is
the figure itself, rows of `times_drawn` are its bootstrap.

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
"""From each of some sets (rows) to each of others (columns), in [0, 1]; 0 between empty ones."""


def jaccard_distances(sets: Labels, others: Labels) -> Values:
    """Return 1 − |A ∩ B| / |A ∪ B|, a distance on the tree where sets hold all their ancestors.

    Two concepts are then as far apart as their paths from the top differ, of whatever length.

    Source: with ancestors Gentleman (2005), simUI, in the review of Pesquita et al. (2009).
    """
    shared, union, _ = _overlap(sets, others)
    return 1 - shared / union


def masi_distances(sets: Labels, others: Labels) -> Values:
    """Return 1 − J·M, with J as Jaccard's similarity.

    M is 1 for identical sets, 2/3 where one holds the other, 1/3 where they overlap otherwise.

    Source: Passonneau (2006), “Measuring agreement on set-valued items (MASI)”.
    """
    shared, union, smaller = _overlap(sets, others)
    monotonicity = np.where(shared == union, 1, np.where(shared == smaller, 2 / 3, 1 / 3))
    return 1 - monotonicity * shared / union


def _overlap(sets: Labels, others: Labels) -> tuple[Values, Values, Values]:
    """Sizes of intersections, of unions, and of the smaller set; two empty sets share one of one."""
    a, b = gold_matrix(sets), gold_matrix(others)
    shared = (a.astype(np.float64) @ b.T.astype(np.float64)).toarray()
    sizes, other_sizes = gold_counts(a)[:, None], gold_counts(b)[None, :]
    union = sizes + other_sizes - shared
    shared[union == 0] = union[union == 0] = 1
    return shared, union, np.minimum(sizes, other_sizes)


def distances_of_documents(sets: Labels, document: Array, distance: Distance) -> Values:
    """Add up the distances of all annotations of a document to all those of another.

    Args:
        document: the number of each row's document, from 0 on, shape (n_annotations,).
    Returns:
        Shape (n_documents, n_documents); within a document each pair counts in both directions.
    """
    matrix = gold_matrix(sets)
    ones = (np.ones(len(document)), (np.arange(len(document)), document))
    member = sparse.csr_matrix(ones)
    totals = np.zeros((member.shape[1], member.shape[1]))
    for rows in row_blocks(len(document)):
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
        NaN where all sets of a sample are the same: there is nothing that chance could get wrong.
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

    Of several pairs of people, Pₒ and Pₑ are means over the pairs, weighted by their documents, so
    that a pair of which neither used the concept does not make the figure undefined.

    Args:
        first, second: the sets of the two of each comparison, shape (n_comparisons, n_concepts).
        pair: the number of the pair of people, shape (n_comparisons,).
        times: how often each comparison counts, shape (n_samples, n_comparisons).
    Returns:
        Shape (n_samples, n_concepts); NaN where all used the concept everywhere, or nowhere.
    Source: Cohen (1960); Davies and Fleiss (1982) for several pairs.
    """
    a, b = gold_matrix(first), gold_matrix(second)
    parts = [part.astype(np.float64) for part in (a.multiply(b).tocsr(), a, b)]
    beyond, room = np.zeros((2, len(times), a.shape[1]))
    for number in np.unique(pair):
        rows = np.flatnonzero(pair == number)
        weights = np.asarray(times[:, rows], dtype=np.float64)
        n = weights.sum(axis=1)[:, None]
        n_both, n_a, n_b = (weights @ part[rows] for part in parts)
        expected = np.nan_to_num(divide(n_a * n_b + (n - n_a) * (n - n_b), n))
        beyond += n - n_a - n_b + 2 * n_both - expected
        room += n - expected
    return np.round(divide(beyond, np.where(room > 1e-9, room, 0)), 12)


def pairwise_f1(first: Labels, second: Labels) -> Values:
    """Return 2·|A ∩ B| / (|A| + |B|) of each comparison, the same from either side.

    Source: Hripcsak and Rothschild (2005); Rajpurkar et al. (2018) for 1 where both sets are empty.
    """
    a, b = gold_matrix(first), gold_matrix(second)
    total = gold_counts(a) + gold_counts(b)
    return np.where(total == 0, 1, divide(2 * a.multiply(b).tocsr().getnnz(axis=1), total))
