"""What a suggester computes for one document: a score for every concept of a label space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


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
