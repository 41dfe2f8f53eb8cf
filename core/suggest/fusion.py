"""How members of an ensemble are averaged: weights and calibration, as a bundle keeps them.

A guided encoder and a linear classifier over words err differently, so their mean is right more
often than either. Both are calibrated first, each on its own, so that a mean of them is again a
probability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.suggest.calibration import Calibration, Platt

Array = npt.NDArray[np.float32]


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

    def weights(self, *, has_text: bool) -> tuple[float, float]:
        """Return the weights of both for a kind of document, the guided encoder's first."""
        weight = self.text_weight if has_text else self.title_weight
        return weight, 1 - weight

    def assigned(self, members: Sequence[Array], *, has_text: bool) -> Array:
        """Return the mean probability that each concept is assigned; both are of one shape."""
        return _mean(members, self.weights(has_text=has_text))

    def branches(self, members: Sequence[Array], levels: npt.NDArray[np.int64]) -> Array:
        """Return the mean probability of each branch.

        Args:
            members: by member, of one shape; -inf in columns that a member has no level head for.
            levels: level of each column, 1 = most general.
        Returns:
            A new array of that shape; where no level has weights, as the first member has it.
        """
        mean = np.array(members[0], dtype=np.float32)
        for level, weight in enumerate(self.level_weights, start=1):
            columns = np.flatnonzero(levels == level)
            of_level = [member[..., columns] for member in members]
            mean[..., columns] = _mean(of_level, (weight, 1 - weight))
        return mean

    @property
    def linear_calibration(self) -> Calibration:
        """The calibration of the linear classifier."""
        return Calibration(self.linear_levels, self.linear, self.linear_text)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a bundle's calibration."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Fusion:
        """Read what `to_dict` gave, also after a way through JSON."""
        return cls(
            title_weight=float(data["title_weight"]),
            text_weight=float(data["text_weight"]),
            level_weights=tuple(map(float, data["level_weights"])),
            linear=Platt(**data["linear"]),
            linear_text=Platt(**data["linear_text"]),
            linear_levels=tuple(Platt(**platt) for platt in data["linear_levels"]),
        )


def _mean(members: Sequence[Array], weights: Sequence[float]) -> Array:
    weighted = [weight * member for weight, member in zip(weights, members, strict=True)]
    return np.asarray(sum(weighted[1:], start=weighted[0]), dtype=np.float32)
