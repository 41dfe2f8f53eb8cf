"""The labels of the documents that read most alike: k nearest neighbours by the cosine.

Source: Yang and Liu (1999), section 3.2, whose neighbours vote with their similarity; scikit-learn's
`KNeighborsClassifier`, whose five neighbours by default vote alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.errors import ConfigError

Array = npt.NDArray[np.float32]

ROWS_AT_A_TIME = 128
VOTES = ("alike", "by_similarity")


@dataclass(slots=True)
class NearestNeighbours:
    """The training documents, kept as they are.

    Attributes:
        x: their rows of length 1, shape (n_training_documents, n_terms).
        y: their labels, shape (n_training_documents, n_labels).
        k: neighbours that vote.
        votes: "alike", or "by_similarity".
    """

    x: sp.csr_matrix
    y: sp.csr_matrix
    k: int = 5
    votes: str = "alike"
    by_term: sp.csr_matrix = field(init=False, repr=False)
    """The rows as what each term stands in, turned once rather than for every document."""

    def __post_init__(self) -> None:
        if self.k < 1 or self.votes not in VOTES:
            raise ConfigError(
                f"At least one neighbour votes, {' or '.join(VOTES)}; not {self.k} {self.votes}."
            )
        self.x = sp.csr_matrix(self.x, dtype=np.float32)
        self.y = sp.csr_matrix(self.y, dtype=np.float64)
        self.by_term = sp.csr_matrix(self.x.T)

    def scores(self, x: sp.csr_matrix) -> Array:
        """The share of the votes that each label gets, in [0, 1], (n_documents, n_labels).

        From 0.5 on a label has the majority. A document that shares no term with another is no
        neighbour of it: where fewer than k are, the empty seats count against every label.
        """
        parts = [
            self._of_rows(x[start : start + ROWS_AT_A_TIME])
            for start in range(0, x.shape[0], ROWS_AT_A_TIME)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.y.shape[1]), np.float32)

    def _of_rows(self, x: sp.csr_matrix) -> Array:
        similarity = (x.astype(np.float32, copy=False) @ self.by_term).toarray()
        n_rows, n_known = similarity.shape
        k = min(self.k, n_known)
        nearest = np.argpartition(-similarity, k - 1, axis=1)[:, :k]
        near = np.take_along_axis(similarity, nearest, axis=1)
        weights = near.astype(np.float64) if self.votes == "by_similarity" else (near > 0) * 1.0
        ends = np.arange(0, n_rows * k + 1, k)
        cast = sp.csr_matrix((weights.ravel(), nearest.ravel(), ends), shape=(n_rows, n_known))
        whole = weights.sum(axis=1) if self.votes == "by_similarity" else np.full(n_rows, k)
        votes = (cast @ self.y).toarray() / np.maximum(whole, 1e-12)[:, None]
        return np.asarray(votes, dtype=np.float32)

    @property
    def n_parameters(self) -> int:
        """Numbers that are kept: a weight for every term of every training document, and labels."""
        return int(self.x.nnz + self.y.nnz)
