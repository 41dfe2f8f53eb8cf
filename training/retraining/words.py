"""A linear suggester for a project that has no model, from what was decided there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.errors import ConfigError
from core.model.sparse_linear import SparseLinear
from core.model.terms import StemmedTerms
from core.suggest.calibration import Calibration
from core.suggest.protocol import FinishedDocument
from core.suggest.ranking.candidates import Suggested
from core.suggest.ranking.decided import Positions
from core.vocabulary.labels import LabelSpace
from training.baselines.linear import LinearConfig, fit_linear
from training.retraining.material import labelled
from training.retraining.shared_words import shared_terms
from training.shipping.package_linear import calibration_of

Array = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]
Finished = Sequence[FinishedDocument]

N_FOLDS = 4
MOST_CALIBRATED, MOST_MARGINS = 500, 4_000_000
"""Documents on which margins are calibrated, and their margins: a row has one for each concept."""
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
    finished: Finished, space: LabelSpace, folder: Path, *, on_progress: Progress
) -> FittedWords:
    """Fit a linear suggester of words that many documents share, and as many more as there are folds.

    Args:
        folder: a folder in which each is kept when it is fitted, and found again.
        on_progress: is called with (suggesters fitted, suggesters).
    Raises:
        ConfigError: no concept was assigned twice.
    """
    n_calibrated = min(MOST_CALIBRATED, MOST_MARGINS // max(int(space.assignable.sum()), 1))
    n_before = max(0, len(finished) - n_calibrated)
    read = [row.document for row in finished]
    terms = shared_terms(read, space.hierarchy, StemmedTerms(), read=CONFIG.max_characters)
    newest: dict[int, Array] = {}  # whole rows, which are long
    best: dict[int, tuple[Positions, Array]] = {}
    for fold in range(N_FOLDS):
        learned = [row for n, row in enumerate(finished) if n % N_FOLDS != fold]
        linear = _fitted(learned, space, terms, folder / f"fold-{fold}")
        on_progress(fold + 1, N_FOLDS + 1)
        for number in range(fold, len(finished), N_FOLDS):
            document = finished[number].document
            margins = linear.margins(document.title, document.text)
            order = np.argsort(-margins, kind="stable")[:N_SUGGESTED]
            best[number] = order.astype(np.int32), margins[order]
            if number >= n_before:
                newest[number] = margins
    whole = _fitted(finished, space, terms, folder / "whole")
    on_progress(N_FOLDS + 1, N_FOLDS + 1)
    rows = np.stack([newest[number] for number in range(n_before, len(finished))])
    calibration = calibration_of(rows, labelled(finished[n_before:]), space)
    suggested = []
    for number, row in enumerate(finished):
        positions, margins = best[number]
        scaling = calibration.scaling(has_text=bool(row.document.text))
        suggested.append(Suggested(positions, scaling(margins)))
    return FittedWords(whole, calibration, suggested)


def _fitted(
    finished: Finished, space: LabelSpace, terms: Collection[str], folder: Path
) -> SparseLinear:
    done = folder / "done"
    if not done.is_file():
        try:
            fit_linear(
                [row.document for row in finished],
                space.encode_assigned([row.assigned for row in finished]),
                CONFIG,
                rejected=space.encode_assigned([row.rejected for row in finished]),
                terms=terms,
            ).save(folder)
        except ConfigError as error:
            raise ConfigError(
                "No concept was assigned to two documents whose words are known; finish more "
                "documents, and retrain then."
            ) from error
        done.touch()
    return SparseLinear.load(folder, space)
