"""The probabilities of a bundle for documents: read with a bar, and gone on with after a stop."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

from core.documents.document import fingerprint
from core.suggest.label_suggester import LabelSuggester
from core.suggest.protocol import Computing, find_part
from training.corpora.corpus import LabelledDocument
from training.judging.scores import FEW_COLUMNS, Scores, joined

PART_DOCUMENTS = 128


def bundle_scores(
    suggester: LabelSuggester, documents: Sequence[LabelledDocument], *, exact: bool = False
) -> Scores:
    """Return the suggester's probabilities as scores in the columns of its label space.

    Args:
        exact: keep float32 for any number of columns, as what becomes logits again needs.
    """
    shape = (len(documents), len(suggester.label_space))
    names = ("levels", "assigned", "branch") if suggester.level_columns else ("assigned",)
    dtype = np.float32 if exact or shape[1] <= FEW_COLUMNS else np.float16
    matrices = {name: np.empty(shape, dtype=dtype) for name in names}
    rows = suggester.probabilities_of(row.document for row in documents)
    for row, probabilities in enumerate(rows):
        for name, matrix in matrices.items():
            matrix[row] = getattr(probabilities, name)
    return Scores(tuple(row.document_id for row in documents), **matrices)


@dataclass(frozen=True, slots=True)
class KeptScores:
    """Scores of one suggester, of which each part is kept in a folder as soon as it is there."""

    suggester: LabelSuggester
    folder: Path

    def of(self, documents: Sequence[LabelledDocument], what: str) -> Scores:
        """Return the scores of documents; those that are in the folder are not computed again.

        Args:
            what: said beside the bar.
        """
        starts = range(0, len(documents), PART_DOCUMENTS)
        parts: list[Scores] = []
        with Progress(transient=True, console=Console(stderr=True)) as bar:
            task = bar.add_task(what, total=len(documents))
            for start in starts:
                some = documents[start : start + PART_DOCUMENTS]
                parts.append(self._part(some))
                bar.advance(task, len(some))
        return joined(parts)

    def _part(self, documents: Sequence[LabelledDocument]) -> Scores:
        path = self.folder / f"{self._key(documents)}.npz"
        if path.is_file():
            return Scores.load(path)
        scores = bundle_scores(self.suggester, documents)
        scores.save(path)
        return scores

    def _key(self, documents: Sequence[LabelledDocument]) -> str:
        computing = find_part(self.suggester, Computing)  # type: ignore[type-abstract]  # mypy#4717
        number_format = computing and computing.number_format
        digest = hashlib.sha256(f"{self.suggester.bundle_hash} {number_format}".encode())
        for row in documents:
            digest.update(f"{row.document_id} {fingerprint(row.document)}".encode())
        return digest.hexdigest()[:24]


@contextmanager
def kept_scores(suggester: LabelSuggester, home: Path) -> Iterator[KeptScores]:
    """Yield what scores documents; its folder in the home is removed unless an error stops it."""
    folder = home / "scores" / suggester.bundle_hash
    yield KeptScores(suggester, folder)
    shutil.rmtree(folder, ignore_errors=True)
