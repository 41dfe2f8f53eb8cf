"""Two suggesters as one: the weighted mean of their calibrated probabilities.

A guided encoder and a linear classifier over words err differently, so their mean is right more
often than either. Both are calibrated first, each on its own, so that a mean of them is again a
probability. The linear classifier knows nothing of the tree; its probability for a branch is that
of at least one concept in it, as if they were assigned independently of each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.metrics import ancestor_closure
from core.suggest.calibration import Platt
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]

# Beyond this a logit says nothing that a float32 probability could hold.
_SURE = 1e-7


@dataclass(frozen=True, slots=True)
class Fusion:
    """How much the guided encoder counts beside the linear classifier, and how that is calibrated.

    Attributes:
        title_weight: of the guided probability that a concept is assigned, in [0, 1]; the linear
            classifier has the rest. For documents of which only the title was read.
        text_weight: the same, for documents whose text was read.
        level_weights: of the guided branch probability, by level, the most general first.
        linear: from margins to probabilities, for titles.
        linear_text: the same, for documents whose text was read.
        linear_levels: what makes the linear branch logits of each level mean what they say.
    """

    title_weight: float
    text_weight: float
    level_weights: tuple[float, ...]
    linear: Platt
    linear_text: Platt
    linear_levels: tuple[Platt, ...]

    def linear_assigned(self, margins: Array, *, has_text: bool) -> Array:
        """What the linear classifier's margins are worth as probabilities; the same shape."""
        return (self.linear_text if has_text else self.linear)(margins)

    def assigned(self, guided: Array, linear: Array, *, has_text: bool) -> Array:
        """The fused probability that each concept is assigned; all three of one shape."""
        weight = self.text_weight if has_text else self.title_weight
        return _mean(guided, linear, weight)

    def levels(self, guided: Array, union: Array, levels: npt.NDArray[np.int64]) -> Array:
        """The fused probability of each branch.

        Args:
            guided: of the level heads, -inf in columns that they do not learn.
            union: what `BranchUnion` made of the linear probabilities, the same shape.
            levels: level of each column, 1 = most general.
        Returns:
            A new array of that shape, -inf where the level heads learn nothing.
        """
        fused = np.array(guided, dtype=np.float32)
        for level, (weight, platt) in enumerate(
            zip(self.level_weights, self.linear_levels, strict=True), start=1
        ):
            columns = np.flatnonzero(levels == level)
            linear = platt(logits(union[..., columns]))
            fused[..., columns] = _mean(guided[..., columns], linear, weight)
        return fused

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a bundle's manifest."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Fusion:
        """What `to_dict` gave, also after a way through JSON."""
        return cls(
            title_weight=float(data["title_weight"]),
            text_weight=float(data["text_weight"]),
            level_weights=tuple(map(float, data["level_weights"])),
            linear=Platt(**data["linear"]),
            linear_text=Platt(**data["linear_text"]),
            linear_levels=tuple(Platt(**platt) for platt in data["linear_levels"]),
        )


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


def logits(probs: Array) -> Array:
    """The log-odds ln p / (1 − p), bounded, in the same shape."""
    p = np.clip(probs, _SURE, 1 - _SURE)
    return np.asarray(np.log(p) - np.log1p(-p), dtype=np.float32)


def _mean(first: Array, second: Array, weight: float) -> Array:
    fused: Array = np.asarray(weight * first + (1 - weight) * second, dtype=np.float32)
    return fused
