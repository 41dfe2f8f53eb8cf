"""Scores of documents beside what people assigned to them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from core import metrics
from core.vocabulary.labels import LabelSpace

Matrix = npt.NDArray[Any]


@dataclass(frozen=True)
class Judged:
    """Scores and gold labels of the same documents, columns in label-space order.

    Every matrix has shape (n_documents, n_columns).

    Attributes:
        assigned_ids: what people assigned to each document; ids without a column do not count.
        training_ids: the same of the documents that the model learned from.
        levels: what the level heads say of augmented labels; -inf where they learn nothing.
        assigned: the probability that a concept is assigned.
        branch: the coherent probability that a concept or something narrower is assigned.
        uncalibrated: as `assigned`, before calibration.
        threshold: from which a concept counts as predicted; None where none was tuned.
    """

    label_space: LabelSpace
    assigned_ids: Sequence[Sequence[str]]
    training_ids: Iterable[Sequence[str]] = ()
    levels: Matrix | None = None
    assigned: Matrix | None = None
    branch: Matrix | None = None
    uncalibrated: Matrix | None = None
    threshold: float | None = None

    @cached_property
    def gold(self) -> sparse.csr_matrix:
        """What was assigned, as ones."""
        return self.label_space.encode(self.assigned_ids, augmented=False)

    @cached_property
    def augmented(self) -> sparse.csr_matrix:
        """What was assigned and everything broader, as ones."""
        return self.label_space.encode(self.assigned_ids, augmented=True)

    @property
    def judges_assigned(self) -> bool:
        """Whether labels are judged as assigned; else, without an assigned head, as augmented."""
        return self.assigned is not None

    @property
    def ranked(self) -> Matrix | None:
        """The scores that labels are judged by: the assigned head's, or the level heads'."""
        return self.assigned if self.judges_assigned else self.levels

    @property
    def target(self) -> sparse.csr_matrix:
        """What these scores should find."""
        return self.gold if self.judges_assigned else self.augmented

    @cached_property
    def offered(self) -> npt.NDArray[np.intp]:
        """The columns that these scores rank: assignable concepts, or those of learned levels."""
        if self.judges_assigned or self.levels is None:
            return np.flatnonzero(self.label_space.assignable)
        return np.flatnonzero(np.isfinite(self.levels).all(axis=0))

    @cached_property
    def training_counts(self) -> npt.NDArray[np.int64]:
        """How many training documents have each label, shape (n_columns,)."""
        ones = self.label_space.encode(self.training_ids, augmented=not self.judges_assigned)
        return np.asarray(ones.sum(axis=0)).ravel().astype(np.int64)

    @cached_property
    def closure(self) -> sparse.csr_matrix:
        """Row = concept, column = one of its ancestors; booleans."""
        return metrics.ancestor_closure(self.label_space.broader_pairs, len(self.label_space))


def number(value: float) -> float | None:
    """Round a value for a small file: five digits, None where there is nothing to measure."""
    return None if math.isnan(value) else round(float(value), 5)
