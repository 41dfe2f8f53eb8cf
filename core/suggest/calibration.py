"""From logits to probabilities that mean what they say: Platt scaling, one pair a head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Platt:
    """p = σ(slope · logit + bias). Source: Platt (1999)."""

    slope: float = 1.0
    bias: float = 0.0

    def __call__(self, logits: Array) -> Array:
        """Probabilities of the same shape."""
        scaled: Array = np.clip(self.slope * logits + self.bias, -30.0, 30.0)
        return np.asarray(1.0 / (1.0 + np.exp(-scaled)), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Calibration:
    """One `Platt` a level and one for what is assigned, each fitted on dev documents.

    Attributes:
        levels: by level, the most general first.
        assigned: for documents of which only the title was read.
        assigned_text: for documents whose text was read; joined windows are scaled otherwise.
    """

    levels: tuple[Platt, ...]
    assigned: Platt
    assigned_text: Platt

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for `calibration.json`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Calibration:
        """What `to_dict` gave."""
        return cls(
            tuple(Platt(**level) for level in data["levels"]),
            Platt(**data["assigned"]),
            Platt(**data["assigned_text"]),
        )

    @classmethod
    def identity(cls, n_levels: int) -> Calibration:
        """Logits taken at their word."""
        return cls((Platt(),) * n_levels, Platt(), Platt())
