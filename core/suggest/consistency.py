"""Branch probabilities that agree with the tree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]


class TreeConsistency:
    """Raises every concept to at least the probability of its most probable narrower concept."""

    def __init__(self, label_space: LabelSpace) -> None:
        self.n_columns = len(label_space)
        pairs = label_space.broader_pairs
        levels = label_space.levels[pairs[:, 0]] if len(pairs) else np.empty(0, dtype=np.int64)
        # One step a level, from the deepest: every narrower concept is final before it is passed on.
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
