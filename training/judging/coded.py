"""How well codes are found, as the clinical challenges count it: over all gold codes, pooled.

Every gold code counts, one that a model does not know among them, as one that it never finds.
Source: Miranda-Escalada et al. (2020), section 4.2: mean average precision of the ranked codes of
each case, and micro-F1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core import metrics

Array = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Cells = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CodedDocuments:
    """The probabilities of a model for some documents, and what people coded.

    Attributes:
        codes: by column.
        probs: shape (n_documents, n_codes); a code that is not offered has 0.
        gold: every code of each document, whether it has a column or not.
    """

    document_ids: tuple[str, ...]
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


@dataclass(frozen=True, slots=True)
class CodePredictions:
    """Codes that are predicted from a threshold on, by document and by code.

    Attributes:
        codes: that are gold or predicted somewhere, by column.
        predicted, gold: shape (n_documents, n_codes).
    """

    document_ids: tuple[str, ...]
    codes: tuple[str, ...]
    predicted: Cells
    gold: Cells

    @property
    def right(self) -> Cells:
        """What is both, shape (n_documents, n_codes)."""
        both: Cells = self.predicted & self.gold
        return both


def counted(documents: CodedDocuments, threshold: float) -> CodePredictions:
    """Return what a threshold predicts, beside all gold codes."""
    chosen = documents.probs >= threshold
    predicted_codes = {documents.codes[i] for i in np.flatnonzero(chosen.any(axis=0))}
    codes = tuple(sorted(predicted_codes.union(*documents.gold)))
    predicted = _aligned(chosen, documents.codes, codes)
    gold = np.array([[code in given for code in codes] for given in documents.gold], dtype=bool)
    return CodePredictions(documents.document_ids, codes, predicted, gold.reshape(predicted.shape))


def _aligned(cells: Any, codes: Sequence[str], wanted: Sequence[str]) -> Any:
    """Return cells by document and code with other columns; 0 or False where a code had none."""
    column = {code: n for n, code in enumerate(wanted)}
    columns_known = [n for n, code in enumerate(codes) if code in column]
    aligned = np.zeros((len(cells), len(wanted)), dtype=cells.dtype)
    aligned[:, [column[codes[n]] for n in columns_known]] = cells[:, columns_known]
    return aligned
