"""Probabilities of a corrected model: joined with the model's own, and calibrated where it serves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.suggest.calibration import Platt, fit_platt, logits
from core.suggest.cold_start.finished import FinishedCandidates, TextReading
from core.suggest.ranking.candidates import Candidates, Suggested
from core.suggest.ranking.decided import Array, Experience

FEW = 10
"""Finished documents from which on the correction counts as much as the model."""
MOST_JUDGED = 50
"""Documents by which probabilities are calibrated; each takes some thousandths of a second."""
PRIOR = 10.0
"""Of slope and bias of the calibration: a few documents change little."""

LogOdds = Callable[[Candidates, int], Array]


def mixed(model: Array, corrected: Array, n_documents: int) -> Array:
    """Return the mean log-odds of model and correction as probabilities, (n_rows,).

    The correction counts the more, the more documents are finished, and half from `FEW` on.

    Args:
        model: its log-odds, (n_rows,).
        corrected: probabilities, (n_rows,).
    """
    share = n_documents / (n_documents + FEW)
    mean = share * logits(corrected) + (1 - share) * model
    return np.asarray(1 / (1 + np.exp(-mean)), dtype=np.float32)


def even_mean(one: Array, other: Array) -> Array:
    """Return the mean of two log-odds as a probability."""
    return np.asarray(1 / (1 + np.exp(-(logits(one) + logits(other)) / 2)), dtype=np.float32)


def calibrated_here(
    candidates: FinishedCandidates, experience: Experience, log_odds: LogOdds
) -> Platt:
    """Return what makes probabilities say how often concepts are right here.

    The weights of the correction were learned on acts, with a thesaurus: where codes are assigned
    to patients' notes, their order holds, and their probabilities do not. It is fitted on finished
    documents, each suggested for as if it had never been finished.

    Labels in these documents are not known any more, so that candidates must do without. Documents
    for which it is not known what the model suggested are left out.

    Args:
        log_odds: what is to be calibrated: of candidates and the number of documents known,
            (n_rows,).
    """
    read = [n for n, document in enumerate(experience.documents) if len(document.suggested.columns)]
    if not read:
        return Platt()
    scores, right = [], []
    for number in sorted({read[n] for n in np.linspace(0, len(read) - 1, MOST_JUDGED).astype(int)}):
        document, others = experience.documents[number], experience.without(number)
        reading = TextReading(terms=document.terms)
        described = candidates.described(reading, others, Suggested.of(document.suggested))
        scores.append(log_odds(described, others.n_documents))
        right.append(np.isin(described.positions, document.assigned))
    return fit_platt(np.concatenate(scores), np.concatenate(right).astype(np.float32), prior=PRIOR)
