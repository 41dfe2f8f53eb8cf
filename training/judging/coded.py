"""How well codes are found, as the clinical challenges count it: over all gold codes, pooled.

Every gold code counts, one that a model does not know among them, as one that it never finds.
Sources: Pestian et al. (2007), micro- and macro-averaged F1 over the codes; Miranda-Escalada et al.
(2020), section 4.2: mean average precision of the ranked codes of each case, and micro-F1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CodedDocuments:
    """What a model says of some documents, and what people coded.

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
    def n_gold(self) -> Counts:
        """Number of codes of each document."""
        return np.array([len(gold) for gold in self.gold], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Counted:
    """Codes that are predicted from a threshold on, counted by document and by code.

    Attributes:
        right, predicted, gold: shape (n_documents,).
        by_code: code -> [right, predicted, gold].
    """

    document_ids: tuple[str, ...]
    right: Counts
    predicted: Counts
    gold: Counts
    by_code: dict[str, list[int]]

    def micro_f1(self) -> float:
        """2 · right / (predicted + gold), over all documents."""
        return f1(int(self.right.sum()), int(self.predicted.sum()), int(self.gold.sum()))

    def macro_f1(self) -> float:
        """Mean F1 of the codes that are gold or predicted somewhere."""
        return float(np.mean([f1(*counts) for counts in self.by_code.values()]))


def f1(right: int, predicted: int, gold: int) -> float:
    """Harmonic mean of precision and recall; 0 where nothing is right."""
    return 2 * right / (predicted + gold) if right else 0.0


def counted(documents: CodedDocuments, threshold: float) -> Counted:
    """Count what a threshold predicts."""
    chosen, hits = documents.probs >= threshold, documents.hits
    by_code = {
        code: [int((chosen[:, i] & hits[:, i]).sum()), int(chosen[:, i].sum()), 0]
        for i, code in enumerate(documents.codes)
    }
    for code, n in Counter(code for gold in documents.gold for code in gold).items():
        by_code.setdefault(code, [0, 0, 0])[2] = n
    return Counted(
        documents.document_ids,
        (chosen & hits).sum(axis=1),
        chosen.sum(axis=1),
        documents.n_gold,
        {code: counts for code, counts in by_code.items() if any(counts)},
    )


def pooled(parts: Sequence[Counted]) -> Counted:
    """Several folds as one: sums over documents and codes, not means of folds."""
    by_code: dict[str, list[int]] = {}
    for part in parts:
        for code, counts in part.by_code.items():
            sums = by_code.setdefault(code, [0, 0, 0])
            by_code[code] = [a + b for a, b in zip(sums, counts, strict=True)]
    return Counted(
        tuple(i for part in parts for i in part.document_ids),
        np.concatenate([part.right for part in parts]),
        np.concatenate([part.predicted for part in parts]),
        np.concatenate([part.gold for part in parts]),
        by_code,
    )


def best_threshold(documents: CodedDocuments) -> float:
    """The threshold with the best micro-F1; tune on dev, never on what is judged."""
    order = np.argsort(-documents.probs, axis=None, kind="stable")
    right = np.cumsum(documents.hits.ravel()[order])
    scores = 2 * right / (np.arange(1, len(order) + 1) + documents.n_gold.sum())
    return float(documents.probs.ravel()[order[int(scores.argmax())]])


def average_precision(documents: CodedDocuments) -> Array:
    """Of the ranked codes of each document, shape (n_documents,); NaN where it has no gold code."""
    order = np.argsort(-documents.probs, axis=1, kind="stable")
    hits = np.take_along_axis(documents.hits, order, axis=1)
    precision = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    n_gold = documents.n_gold.astype(np.float64)
    n_gold[n_gold == 0] = np.nan
    values: Array = (precision * hits).sum(axis=1) / n_gold
    return values


def mixed(first: CodedDocuments, second: CodedDocuments, weight: float) -> CodedDocuments:
    """The weighted mean of two models' probabilities for the same documents.

    Args:
        weight: of the first, in [0, 1]; the second has the rest.
    """
    codes = tuple(sorted({*first.codes, *second.codes}))
    probs = weight * _in_columns(first, codes) + (1 - weight) * _in_columns(
        second, codes, first.document_ids
    )
    return CodedDocuments(first.document_ids, codes, probs, first.gold)


def best_mix(first: CodedDocuments, second: CodedDocuments) -> float:
    """The weight of the first with the best mean average precision; tune on dev."""
    weights = [step / 10 for step in range(11)]

    def quality(weight: float) -> tuple[float, float]:
        precision = average_precision(mixed(first, second, weight))
        return float(np.nanmean(precision)), -abs(weight - 0.5)

    return max(weights, key=quality)


def f1_difference(
    ours: Counted, theirs: Counted, *, n_resamples: int = 5000, seed: int = 0
) -> tuple[float, float, float]:
    """Difference of micro-F1, and its 95 % interval by a paired bootstrap over documents."""
    place = {i: row for row, i in enumerate(theirs.document_ids)}
    rows = np.array([place[i] for i in ours.document_ids])
    drawn = np.random.default_rng(seed).multinomial(
        len(rows), np.full(len(rows), 1 / len(rows)), size=n_resamples
    )
    difference = _f1_of(drawn, ours, slice(None)) - _f1_of(drawn, theirs, rows)
    low, high = np.quantile(difference, [0.025, 0.975])
    return ours.micro_f1() - theirs.micro_f1(), float(low), float(high)


def _f1_of(drawn: Counts, counts: Counted, rows: Counts | slice) -> Array:
    right = drawn @ counts.right[rows]
    both = drawn @ (counts.predicted[rows] + counts.gold[rows])
    found: Array = 2 * right / np.maximum(both, 1)
    return found


def _in_columns(
    documents: CodedDocuments, codes: Sequence[str], ids: Sequence[str] | None = None
) -> Array:
    column = {code: i for i, code in enumerate(codes)}
    probs = np.zeros((len(documents.probs), len(codes)))
    probs[:, [column[code] for code in documents.codes]] = documents.probs
    place = {i: row for row, i in enumerate(documents.document_ids)}
    return probs if ids is None else probs[[place[i] for i in ids]]
