"""Where figures of models lie: in bundles, and in the folders of results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.model.bundle.cards import BundleCard, find_bundles
from core.settings import PROJECT_ROOT, Settings

SPLITS = ("dev", "test")
RESULTS = PROJECT_ROOT / "docs" / "results"
PATTERNS = ("insights-*.json", "utilization-*.csv", "attention.json")
INSIGHTS, UTILIZATION = "insights", "utilization"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with figures of one model, or one that could have some.

    Attributes:
        name: as a person chooses it.
        folder: that holds the files.
        target: what a command names to measure the model; a stand-in for the folders of results,
            whose models are elsewhere.
        bundle_hash: of the bundle as it is now; empty for a folder of results.
        twin_hash: of the bundle that was measured in its place; empty where none was.
    """

    name: str
    folder: Path
    target: str
    bundle_hash: str = ""
    twin_hash: str = ""

    def insights(self, split: str) -> Path:
        """Return the file of `core.insights` of a split."""
        return self.folder / f"insights-{split}.json"

    def utilization(self, query: str) -> Path:
        """Return the file of `core.utilization` of one kind of query rows."""
        return self.folder / f"utilization-{query}.csv"

    @property
    def has_utilization(self) -> bool:
        """Return whether its layers and heads were measured."""
        return any(self.folder.glob(PATTERNS[1]))

    @property
    def attention(self) -> Path:
        """Return the file of an attention, as `core.insights.report` writes it."""
        return self.folder / "attention.json"

    @property
    def splits(self) -> list[str]:
        """Return the splits that were measured."""
        return [split for split in SPLITS if self.insights(split).is_file()]


def find_places(settings: Settings, results: Path = RESULTS) -> list[Place]:
    """Return every bundle, measured or not, then every folder of results with figures."""
    cards = [card for card in find_bundles(settings) if card.problem is None]
    names = [card.name for card in cards]
    bundles = [_of_bundle(card, twice=names.count(card.name) > 1) for card in cards]
    return [*bundles, *_of_results(results)]


def _of_bundle(card: BundleCard, *, twice: bool) -> Place:
    name = f"{card.name} ({card.bundle_hash[:6]})" if twice else card.name
    return Place(
        name, card.directory / INSIGHTS, shown(card.directory), card.bundle_hash, card.twin_hash
    )


def _of_results(results: Path) -> Iterator[Place]:
    files = [file for pattern in PATTERNS for file in results.rglob(pattern)]
    for folder in sorted({file.parent for file in files}):
        steps = folder.relative_to(results).parts
        words = [step for step in steps if step not in (UTILIZATION, INSIGHTS)]
        yield Place(" · ".join(words) or results.name, folder, "RUN_OR_BUNDLE")


def shown(path: Path) -> str:
    """Return a path as a command names it: from the project's folder on where it is inside."""
    inside = path.is_relative_to(PROJECT_ROOT)
    return str(path.relative_to(PROJECT_ROOT) if inside else path)
