"""Where figures of models lie: in the folders of bundles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.model.bundle.cards import BundleCard, find_bundles
from core.paths import PROJECT_ROOT
from core.settings import Settings

SPLITS = ("dev", "test")
INSIGHTS = "insights"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with figures of one model, or one that could have some.

    Attributes:
        name: as a person chooses it.
        folder: that holds the files.
        target: what a command names to measure the model.
        bundle_hash: of the bundle as it is now.
        twin_hash: of the bundle that was measured in its place; empty where none was.
    """

    name: str
    folder: Path
    target: str
    bundle_hash: str
    twin_hash: str = ""

    def insights(self, split: str) -> Path:
        """Return the file of `core.insights` of a split."""
        return self.folder / f"insights-{split}.json"

    @property
    def splits(self) -> list[str]:
        """Return the splits that were measured."""
        return [split for split in SPLITS if self.insights(split).is_file()]


def find_places(settings: Settings) -> list[Place]:
    """Return every bundle that can be served, measured or not."""
    cards = [card for card in find_bundles(settings) if card.problem is None]
    names = [card.name for card in cards]
    return [_of_bundle(card, twice=names.count(card.name) > 1) for card in cards]


def _of_bundle(card: BundleCard, *, twice: bool) -> Place:
    name = f"{card.name} ({card.bundle_hash[:6]})" if twice else card.name
    return Place(
        name, card.directory / INSIGHTS, shown(card.directory), card.bundle_hash, card.twin_hash
    )


def shown(path: Path) -> str:
    """Return a path as a command names it: from the project's folder on where it is inside."""
    inside = path.is_relative_to(PROJECT_ROOT)
    return str(path.relative_to(PROJECT_ROOT) if inside else path)
