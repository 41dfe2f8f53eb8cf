"""Candidates for correction: the model's suggestions and what was decided on other documents.

A concept that the model suggests is described as one that no model knows, by its label and by
finished documents, and by what the model made of it, here and there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.documents.document import Document
from core.suggest.branches import logits
from core.suggest.calibration import Platt, fit_platt
from core.suggest.cold_start.candidates import FEATURES as COLD_START_FEATURES
from core.suggest.cold_start.candidates import KINDS as COLD_START_KINDS
from core.suggest.cold_start.candidates import (
    N_SIMILAR,
    NO_MATCHES,
    ColdStartCandidates,
    Reading,
    SimilarDecided,
)
from core.suggest.ranking.decided import (
    Array,
    Experience,
    Positions,
    SparseRow,
)
from core.suggest.ranking.features import Candidates

N_CORRECTED = 100
"""Of a model's suggestions, the best; the others keep their probability."""
LEAST_CHANCE = 1e-5
"""Of a concept that the model does not suggest."""
UNRANKED = 300
LEAST_EXPECTED = 0.01
"""What a model gave less than this on finished documents is not counted."""
MOST_JUDGED = 50
"""Documents by which probabilities are calibrated; each takes some thousandths of a second."""
PRIOR = 10.0
"""Of slope and bias of the calibration: a few documents change little."""

LogOdds = Callable[[Array, int], Array]

MODEL_FEATURES = ("model", "model_rank", "expected", "surplus", "surplus_of_similar")
FEATURES = (*COLD_START_FEATURES, *MODEL_FEATURES)
"""Columns of the rows of candidates, by name."""

KINDS: Mapping[str, tuple[str, ...]] = {
    **COLD_START_KINDS,
    "model": ("model", "model_rank"),
    "similar": (*COLD_START_KINDS["similar"], "surplus_of_similar"),
    "habit": (*COLD_START_KINDS["habit"], "expected", "surplus"),
}
"""Features by what they are of, as a reader is told of them."""


class Suggested(NamedTuple):
    """Concepts that a model suggests for a document, best first.

    Attributes:
        chances: its probabilities.
    """

    positions: Positions
    chances: Array

    @classmethod
    def of(cls, chances: SparseRow) -> Suggested:
        """Return the remembered suggestions in the order of their probabilities."""
        order = np.argsort(-chances.values, kind="stable")
        return cls(chances.columns[order], chances.values[order])

    def counted(self) -> SparseRow:
        """Return the suggestions to remember when the document is finished."""
        counted = self.chances >= LEAST_EXPECTED
        return SparseRow(self.positions[counted], self.chances[counted])


class CorrectionCandidates:
    """Finds a document's candidates and their features; may be used from several threads.

    Args:
        without_model: finds those that need no model.
    """

    def __init__(self, without_model: ColdStartCandidates) -> None:
        self.without_model = without_model

    def __call__(
        self, document: Document, experience: Experience, suggested: Suggested
    ) -> Candidates:
        """Return the candidates of a document, given what was decided before."""
        return self.described(self.without_model.reading(document), experience, suggested)

    def described(
        self, reading: Reading, experience: Experience, suggested: Suggested
    ) -> Candidates:
        """Return the candidates of what was read before."""
        best = suggested.positions[:N_CORRECTED]
        candidates = self.without_model.described(reading, experience, also=best)
        similar = SimilarDecided(*experience.similar(reading.terms, N_SIMILAR))
        columns = self._of_model(suggested, experience, similar)
        added = np.stack([columns[name][candidates.positions] for name in MODEL_FEATURES], axis=1)
        rows = np.concatenate([candidates.rows, added.astype(np.float32)], axis=1)
        return Candidates(candidates.positions, rows)

    def _of_model(
        self, suggested: Suggested, experience: Experience, similar: SimilarDecided
    ) -> Mapping[str, Array]:
        """Return what the model says of each concept, here and on finished documents."""
        chance = np.full(len(self.without_model), LEAST_CHANCE, dtype=np.float32)
        chance[suggested.positions] = np.maximum(suggested.chances, LEAST_CHANCE)
        rank = np.full(len(chance), UNRANKED + 1, dtype=np.float32)
        rank[suggested.positions] = np.arange(1, len(suggested.positions) + 1)
        return {
            "model": logits(chance),
            "model_rank": np.log(rank),
            "expected": np.log1p(experience.n_expected),
            "surplus": np.log(
                (experience.n_expected + experience.n_surplus + 1) / (experience.n_expected + 1)
            ),
            "surplus_of_similar": _surplus(similar, experience),
        }


def _surplus(similar: SimilarDecided, experience: Experience) -> npt.NDArray[np.float32]:
    """Return by how much more similar documents have each concept than the model expected."""
    rows, likeness = similar
    total = max(float(likeness.sum()), 1e-9)
    return np.asarray(experience.surplus[rows].T @ likeness / total, dtype=np.float32)


def calibrated_here(
    candidates: CorrectionCandidates, experience: Experience, log_odds: LogOdds
) -> Platt:
    """Return what makes probabilities say how often concepts are right here.

    The weights of the correction were learned on acts, with a thesaurus: where codes are assigned
    to patients' notes, their order holds, and their probabilities do not. It is fitted on finished
    documents, each suggested for as if it had never been finished.

    Labels in these documents are not known any more, so that candidates must do without. Documents
    for which it is not known what the model suggested are left out.

    Args:
        log_odds: what is to be calibrated: of rows of candidates and the number of documents known,
            (n_rows,).
    """
    read = [n for n, document in enumerate(experience.documents) if len(document.suggested.columns)]
    if not read:
        return Platt()
    scores, right = [], []
    for number in sorted({read[n] for n in np.linspace(0, len(read) - 1, MOST_JUDGED).astype(int)}):
        document, others = experience.documents[number], experience.without(number)
        reading = Reading(NO_MATCHES, NO_MATCHES, document.terms)
        described = candidates.described(reading, others, Suggested.of(document.suggested))
        scores.append(log_odds(described.rows, others.n_documents))
        right.append(np.isin(described.positions, document.assigned))
    return fit_platt(np.concatenate(scores), np.concatenate(right).astype(np.float32), prior=PRIOR)
