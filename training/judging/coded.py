"""How well codes are found, as the clinical challenges count it: over all gold codes, pooled.

Every gold code counts, one that a model does not know among them, as one that it never finds.
Source: Miranda-Escalada et al. (2020), section 4.2: mean average precision of the ranked codes of
each case, and micro-F1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core import metrics

Array = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CodedDocuments:
    """The probabilities of a model for some documents, and what people coded.

    Attributes:
        codes: by column.
        probs: shape (n_documents, n_codes); a code that is not offered has 0.
        gold: every code of each document, whether it has a column or not.
    """

    codes: tuple[str, ...]
    probs: Array
    gold: tuple[frozenset[str], ...]

    @property
    def hits(self) -> npt.NDArray[np.bool_]:
        """Where a document has a code, shape (n_documents, n_codes)."""
        return np.array([[code in gold for code in self.codes] for gold in self.gold], dtype=bool)

    @property
    def n_gold(self) -> Numbers:
        """Number of codes of each document."""
        return np.array([len(gold) for gold in self.gold], dtype=np.int64)

    def precisions(self) -> Array:
        """Average precision of each document's ranked codes, shape (n_documents,); may be NaN."""
        return metrics.average_precision(self.hits, self.probs, n_gold=self.n_gold)

    def counted(self, threshold: float) -> metrics.Counts:
        """Count what is predicted from a threshold on, beside all gold codes."""
        chosen = self.probs >= threshold
        totals = (self.hits & chosen).sum(), chosen.sum(), self.n_gold.sum()
        return metrics.Counts(*map(np.asarray, totals))
