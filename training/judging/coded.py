"""How well codes are found, as the clinical challenges count it: over all gold codes, pooled.

Every gold code counts, one that a model does not know among them, as one that it never finds.
Sources: Pestian et al. (2007), micro- and macro-averaged F1 over the codes; Miranda-Escalada et al.
(2020), section 4.2: mean average precision of the ranked codes of each case, and micro-F1.
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


def pooled(parts: Sequence[CodePredictions]) -> CodePredictions:
    """Return several folds as one, their documents one below the other; no mean of folds."""
    codes = tuple(sorted({code for part in parts for code in part.codes}))
    return CodePredictions(
        tuple(i for part in parts for i in part.document_ids),
        codes,
        np.concatenate([_aligned(part.predicted, part.codes, codes) for part in parts]),
        np.concatenate([_aligned(part.gold, part.codes, codes) for part in parts]),
    )


def best_threshold(documents: CodedDocuments) -> float:
    """Return the threshold with the best micro-F1; tune on dev, never on what is judged."""
    hits, probs = documents.hits.ravel(), documents.probs.ravel()
    return metrics.best_f1_threshold(hits, probs, n_gold=int(documents.n_gold.sum()))


def mixed(first: CodedDocuments, second: CodedDocuments, weight: float) -> CodedDocuments:
    """Return the weighted mean of two models' probabilities for the same documents.

    Args:
        weight: of the first, in [0, 1]; the second has the rest.
    """
    codes = tuple(sorted({*first.codes, *second.codes}))
    place = {document_id: row for row, document_id in enumerate(second.document_ids)}
    theirs = second.probs[[place[document_id] for document_id in first.document_ids]]
    probs = weight * _aligned(first.probs, first.codes, codes)
    probs += (1 - weight) * _aligned(theirs, second.codes, codes)
    return CodedDocuments(first.document_ids, codes, probs, first.gold)


def best_mix(first: CodedDocuments, second: CodedDocuments) -> float:
    """Return the weight of the first with the best mean average precision; tune on dev."""
    weights = [step / 10 for step in range(11)]

    def quality(weight: float) -> tuple[float, float]:
        precisions = mixed(first, second, weight).precisions()
        return metrics.mean_defined(precisions), -abs(weight - 0.5)

    return max(weights, key=quality)


def f1_differences(
    ours: CodePredictions, theirs: CodePredictions, *, n_resamples: int = 5_000
) -> tuple[metrics.BootstrapResult, metrics.BootstrapResult]:
    """Return differences of micro-F1 and of macro-F1, with their intervals over documents."""
    place = {document_id: row for row, document_id in enumerate(theirs.document_ids)}
    rows = np.array([place[document_id] for document_id in ours.document_ids])
    return metrics.paired_f1_bootstrap(
        (ours.gold, ours.predicted),
        (theirs.gold[rows], theirs.predicted[rows]),
        n_resamples=n_resamples,
    )


def _aligned(cells: Any, codes: Sequence[str], wanted: Sequence[str]) -> Any:
    """Return cells by document and code with other columns; 0 or False where a code had none."""
    column = {code: n for n, code in enumerate(wanted)}
    known = [n for n, code in enumerate(codes) if code in column]
    aligned = np.zeros((len(cells), len(wanted)), dtype=cells.dtype)
    aligned[:, [column[codes[n]] for n in known]] = cells[:, known]
    return aligned
