"""Hierarchical precision, recall and F1: credit for a broader or a neighbouring concept.

Both label sets of a document are augmented with all their ancestors, and compared as sets: a
prediction shares with the gold label the path down to their last common ancestor. Counts are
summed over documents (micro). A root above all top concepts would be a hit in every document:
label spaces hold none, and none may be handed over.

Source: Kiritchenko, Matwin and Famili (2005), hP, hR, hF; set-based measures of Kosmopoulos,
Partalas, Gaussier, Paliouras and Androutsopoulos (2015), section 4.2.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.metrics.matrices import Array, Labels, check_same_shape, gold_matrix, predicted
from core.metrics.thresholded import Counts


def ancestor_closure(broader_pairs: Array, n_labels: int) -> sparse.csr_matrix:
    """Return all ancestors of each label, from the pairs of a label and a broader one.

    Args:
        broader_pairs: columns (narrower, broader), shape (n_edges, 2), without cycles.
    Returns:
        Booleans, shape (n_labels, n_labels): row = label, column = one of its ancestors.
    """
    pairs = np.asarray(broader_pairs, dtype=np.intp).reshape(-1, 2)
    edges = (np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1]))
    parents = gold_matrix(sparse.csr_matrix(edges, shape=(n_labels, n_labels)))
    closure = parents
    for _ in range(n_labels):
        wider = gold_matrix(closure + closure @ parents)
        if wider.nnz == closure.nnz:
            break
        closure = wider
    return closure


def augment(labels: Labels, closure: sparse.csr_matrix) -> sparse.csr_matrix:
    """Add all ancestors to each document's labels; a boolean CSR matrix of the same shape."""
    matrix = gold_matrix(labels)
    return gold_matrix(matrix + matrix @ gold_matrix(closure))


def hierarchical_counts(
    y_true: Labels,
    y_score: Labels,
    closure: sparse.csr_matrix | None,
    threshold: float | Array = 0.5,
) -> Counts:
    """Count the augmented pairs of all documents together.

    Args:
        closure: ancestors of each label, as `ancestor_closure` makes them; None where both gold
            and predicted labels hold all their ancestors already.
    """
    check_same_shape(y_true, y_score)
    gold, chosen = gold_matrix(y_true), predicted(y_score, threshold)
    if closure is not None:
        gold, chosen = augment(gold, closure), augment(chosen, closure)
    sizes = (gold.multiply(chosen).nnz, chosen.nnz, gold.nnz)
    return Counts(*(np.asarray(size) for size in sizes))


def hierarchical_precision(
    y_true: Labels,
    y_score: Labels,
    closure: sparse.csr_matrix | None,
    threshold: float | Array = 0.5,
) -> float:
    """Return the share of the augmented predictions that are in the augmented gold sets (hP)."""
    return float(hierarchical_counts(y_true, y_score, closure, threshold).precision())


def hierarchical_recall(
    y_true: Labels,
    y_score: Labels,
    closure: sparse.csr_matrix | None,
    threshold: float | Array = 0.5,
) -> float:
    """Return the share of the augmented gold sets that is in the augmented predictions (hR)."""
    return float(hierarchical_counts(y_true, y_score, closure, threshold).recall())


def hierarchical_f1(
    y_true: Labels,
    y_score: Labels,
    closure: sparse.csr_matrix | None,
    threshold: float | Array = 0.5,
) -> float:
    """Return the harmonic mean of hierarchical precision and recall (hF, β = 1)."""
    return float(hierarchical_counts(y_true, y_score, closure, threshold).f1())
