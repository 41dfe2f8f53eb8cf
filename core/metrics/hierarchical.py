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

from core.metrics.matrices import Array, Labels, check_same_shape, gold_matrix
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


def hierarchical_counts(y_true: Labels, y_pred: Labels, closure: sparse.csr_matrix) -> Counts:
    """Count the augmented pairs of all documents together, for hP, hR and hF (β = 1).

    Args:
        closure: ancestors of each label, as `ancestor_closure` makes them.
    """
    check_same_shape(y_true, y_pred)
    gold, chosen = augment(y_true, closure), augment(y_pred, closure)
    sizes = (gold.multiply(chosen).nnz, chosen.nnz, gold.nnz)
    return Counts(*(np.asarray(size) for size in sizes))
