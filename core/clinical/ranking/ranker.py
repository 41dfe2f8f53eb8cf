"""The learned ranker of codes: a bundle's own, or that of the program, with what it counts on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.clinical.familiar import KnownDocuments
from core.clinical.ranking.features import FEATURES
from core.clinical.ranking.known import CodeCounts
from core.paths import PROJECT_ROOT
from core.suggest.ranking.ranker import Ranker

NAME = "codes"
"""Of the two files of a ranker, in a bundle or in a folder of its own."""
FOLDER = PROJECT_ROOT / "assets" / "codes"
"""Rankers that come with the program: `alone` for names without a model, `beside` for a model that
has none of its own."""


@dataclass(frozen=True, slots=True)
class CodeRanker:
    """What ranks the candidates of a document.

    Attributes:
        counts: of the training texts that the ranker may lean on.
        documents: what these look like; None where that is not known.
    """

    ranker: Ranker
    counts: CodeCounts
    documents: KnownDocuments | None = None

    @classmethod
    def load(cls, folder: Path) -> CodeRanker:
        """Read a ranker and its counts from a folder.

        Raises:
            BundleError: a file is missing or damaged.
        """
        ranker = Ranker.load(folder, FEATURES, name=NAME)
        return cls(ranker, CodeCounts.load(folder), KnownDocuments.load(folder))

    def save(self, folder: Path) -> None:
        """Write what `load` reads."""
        folder.mkdir(parents=True, exist_ok=True)
        self.ranker.save(folder, name=NAME)
        self.counts.save(folder)
        if self.documents is not None:
            self.documents.save(folder)


def ranker_of(bundle_dir: Path | None) -> CodeRanker:
    """Return the ranker of a bundle; the program's own where it has none.

    Args:
        bundle_dir: None of a model that is in no folder.
    Raises:
        BundleError: a file is damaged.
    """
    if bundle_dir is not None and (bundle_dir / f"{NAME}.json").is_file():
        return CodeRanker.load(bundle_dir)
    return shipped("beside")


@lru_cache(maxsize=2)
def shipped(name: str) -> CodeRanker:
    """Return a ranker that comes with the program."""
    return CodeRanker.load(FOLDER / name)
