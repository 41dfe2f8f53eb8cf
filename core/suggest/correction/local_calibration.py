"""Makes probabilities say how often concepts are right here, judged by the finished documents.

The weights of the correction were learned on acts, with a thesaurus: where codes are assigned to
patients' notes, their order holds, and their probabilities do not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.suggest.calibration import Platt, fit_platt
from core.suggest.cold_start.candidates import NO_MATCHES, Reading
from core.suggest.cold_start.decided import Array, Experience
from core.suggest.correction.candidates import CorrectionCandidates, Suggested

MOST_JUDGED = 50
"""Documents; each takes some thousandths of a second."""
PRIOR = 10.0
"""Of slope and bias: a few documents change little."""

LogOdds = Callable[[Array, int], Array]


def calibrated_here(
    candidates: CorrectionCandidates, known: Experience, log_odds: LogOdds
) -> Platt:
    """Fit on finished documents, each suggested for as if it had never been finished.

    Labels in these documents are not known any more, so that candidates must do without. Documents
    for which it is not known what the model suggested are left out.

    Args:
        log_odds: what is to be calibrated: of rows of candidates and the number of documents known,
            (n_rows,).
    """
    read = [n for n, document in enumerate(known.documents) if len(document.suggested.columns)]
    if not read:
        return Platt()
    found, right = [], []
    for number in sorted({read[n] for n in np.linspace(0, len(read) - 1, MOST_JUDGED).astype(int)}):
        document, others = known.documents[number], known.without(number)
        reading = Reading(NO_MATCHES, NO_MATCHES, document.terms)
        described = candidates.described(reading, others, Suggested.of(document.suggested))
        found.append(log_odds(described.rows, others.n_documents))
        right.append(np.isin(described.positions, document.assigned))
    return fit_platt(np.concatenate(found), np.concatenate(right).astype(np.float32), prior=PRIOR)
