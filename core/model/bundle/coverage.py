"""The share of a document's concepts that are among a bundle's suggestions at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

KEY = "coverage"
"""Among what a manifest says about a bundle."""
N_LISTED = 300
"""Suggestions of a document among which its concepts are looked for."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares in [0, 1], measured on documents that came after those that a bundle has learned from.

    Probabilities tell how many of the listed concepts are right, not how many others are.

    Attributes:
        learned_to: year of the newest documents that the bundle has learned from.
        titles, full_texts: by age, from one year on; the last holds for older knowledge too.
    """

    learned_to: int
    titles: tuple[float, ...]
    full_texts: tuple[float, ...]

    @classmethod
    def read(cls, about: Mapping[str, Any]) -> Coverage | None:
        """Return what a manifest says; None where nothing was measured."""
        stated = about.get(KEY)
        if stated is None:
            return None
        return cls(
            int(stated["learned_to"]),
            tuple(map(float, stated["titles"])),
            tuple(map(float, stated["full_texts"])),
        )

    def share(self, year: int, *, has_text: bool) -> float:
        """Return the share for a document of a year."""
        by_age = self.full_texts if has_text else self.titles
        return by_age[min(max(year - self.learned_to, 1), len(by_age)) - 1]

    def as_json(self) -> dict[str, Any]:
        """Return what the manifest keeps."""
        return {KEY: asdict(self)}
