"""A linear suggester for a project that has no model, from what was decided there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.errors import ConfigError
from core.model.sparse_linear import SparseLinear
from core.suggest.calibration import Calibration, Scaling
from core.suggest.correction.candidates import Suggested
from core.suggest.protocol import FinishedDocument
from core.vocabulary.labels import LabelSpace
from training.baselines.linear import LinearConfig, fit_linear
from training.retraining.material import labelled
from training.shipping.package_linear import calibration_of

Array = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]
Finished = Sequence[FinishedDocument]

N_FOLDS = 4
MOST_CALIBRATED = 500
"""Documents on which margins are calibrated: a row has a number for each concept."""
N_SUGGESTED = 100
CONFIG = LinearConfig(min_df=1, max_bytes=12_000_000)


@dataclass(frozen=True)
class FittedWords:
    """A linear suggester, and what it suggests for the documents that it was fitted on, each time
    by one that was not fitted on the document.
    """

    linear: SparseLinear
    calibration: Calibration
    suggested: Sequence[Suggested]


def fit_words(
    finished: Finished, space: LabelSpace, kept: Path, *, on_progress: Progress
) -> FittedWords:
    """Fit a linear suggester, and as many more as there are folds.

    Args:
        kept: a folder in which each is kept when it is fitted, and found again.
        on_progress: is called with (suggesters fitted, suggesters).
    Raises:
        ConfigError: no concept was assigned twice.
    """
    folds = np.arange(len(finished)) % N_FOLDS
    margins: list[tuple[npt.NDArray[np.intp], list[Array]]] = []
    for fold in range(N_FOLDS):
        learned = [row for row, of in zip(finished, folds, strict=True) if of != fold]
        linear = _fitted(learned, space, kept / f"fold-{fold}")
        on_progress(fold + 1, N_FOLDS + 1)
        held = np.flatnonzero(folds == fold)
        margins.append((held, [_margins(linear, finished[n]) for n in held.tolist()]))
    whole = _fitted(finished, space, kept / "whole")
    on_progress(N_FOLDS + 1, N_FOLDS + 1)
    by_document = {
        number: row for held, rows in margins for number, row in zip(held, rows, strict=True)
    }
    calibration = _calibrated(finished, by_document, space)
    suggested = [
        suggested_by(by_document[n], calibration.scaling(has_text=bool(row.document.text)))
        for n, row in enumerate(finished)
    ]
    return FittedWords(whole, calibration, suggested)


def suggested_by(margins: Array, scaling: Scaling) -> Suggested:
    """Return the best concepts by their margins."""
    chances = scaling(margins.astype(np.float32))
    best = np.argsort(-chances, kind="stable")[:N_SUGGESTED]
    return Suggested(best.astype(np.int32), chances[best])


def _fitted(finished: Finished, space: LabelSpace, folder: Path) -> SparseLinear:
    """Fit on documents, or read what was fitted on them before."""
    done = folder / "done"
    if not done.is_file():
        assigned = [row.assigned for row in finished]
        rejected = [row.rejected for row in finished]
        try:
            fit_linear(
                [row.document for row in finished],
                _ones(assigned, space),
                CONFIG,
                rejected=_ones(rejected, space),
            ).save(folder)
        except ConfigError as error:
            raise ConfigError(
                "No concept was assigned to two documents whose words are known; finish more "
                "documents, and retrain then."
            ) from error
        done.touch()
    return SparseLinear.load(folder, space)


def _ones(concepts: Sequence[Sequence[str]], space: LabelSpace) -> sp.csr_matrix:
    whole = space.encode(concepts, augmented=False)
    return sp.csr_matrix(whole[:, np.flatnonzero(space.assignable)])


def _margins(linear: SparseLinear, row: FinishedDocument) -> Array:
    return linear.margins(row.document.title, row.document.text).astype(np.float16)


def _calibrated(finished: Finished, margins: dict[int, Array], space: LabelSpace) -> Calibration:
    """Calibrate on the newest, of which each was scored by a suggester that does not know it."""
    numbers = range(max(0, len(finished) - MOST_CALIBRATED), len(finished))
    some = np.stack([margins[n] for n in numbers]).astype(np.float32)
    return calibration_of(some, labelled([finished[n] for n in numbers]), space)
