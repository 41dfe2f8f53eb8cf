"""Scores of all concepts for a document, and probabilities in agreement with the tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.metrics import ancestor_closure
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]

# Beyond this a probability in float32 says nothing.
_SURE = 1e-7


@dataclass(frozen=True, slots=True)
class LabelScores:
    """What a suggester computes for one document, in label-space columns, (n_concepts,).

    Attributes:
        levels: of the branches that level heads learn, calibrated; -inf in all other columns.
        assigned: that a concept is assigned; 0 where a concept cannot be.
        leading: which of the suggester's `sources` finds each concept most probable.
    """

    levels: Array
    assigned: Array
    leading: npt.NDArray[np.int64]


class TreeConsistency:
    """Raises every concept to at least the probability of its most probable narrower concept."""

    def __init__(self, label_space: LabelSpace) -> None:
        pairs = label_space.broader_pairs
        levels = label_space.levels[pairs[:, 0]] if len(pairs) else np.empty(0, dtype=np.int64)
        # One step a level, from the deepest: each narrower concept is final before it is passed on.
        self.steps = [
            pairs[levels == level] for level in sorted(set(levels.tolist()), reverse=True)
        ]

    def __call__(self, probs: Array) -> Array:
        """A new array of the same shape (n_documents, n_concepts); the input is not modified."""
        raised: Array = probs.copy()
        for pairs in self.steps:
            narrower, broader = pairs[:, 0], pairs[:, 1]
            for row in raised:
                np.maximum.at(row, broader, row[narrower])
        return raised


class BranchUnion:
    """The probability that a concept or something narrower is assigned: 1 − Π (1 − p).

    The product runs over the concept and everything below it, each counted once however many ways
    lead to it, as if concepts were assigned independently.
    """

    def __init__(self, label_space: LabelSpace) -> None:
        n_columns = len(label_space)
        closure = ancestor_closure(label_space.broader_pairs, n_columns).astype(np.float32)
        self._upwards = sp.csr_matrix(closure + sp.identity(n_columns, dtype=np.float32))

    def __call__(self, assigned: Array) -> Array:
        """A new array of the same shape (n_documents, n_concepts), columns as in label space."""
        none_of_it = np.log1p(-np.clip(assigned, 0, 1 - _SURE)) @ self._upwards
        return np.asarray(-np.expm1(none_of_it), dtype=np.float32)
