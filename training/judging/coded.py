"""How well codes are found, as the clinical challenges count it: over all gold codes, pooled.

Every gold code counts, one that a model does not know among them, as one that it never finds.
Sources: Pestian et al. (2007), micro- and macro-averaged F1 over the codes; Miranda-Escalada et al.
(2020), section 4.2: mean average precision of the ranked codes of each case, and micro-F1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Cells = npt.NDArray[np.bool_]


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

    def micro_f1(self) -> float:
        """2 · right / (predicted + gold), over all documents."""
        return f1(int(self.right.sum()), int(self.predicted.sum()), int(self.gold.sum()))

    def macro_f1(self) -> float:
        """Mean F1 of the codes that are gold or predicted somewhere."""
        columns = (cells.sum(axis=0) for cells in (self.right, self.predicted, self.gold))
        return float(np.mean([f1(*map(int, counts)) for counts in zip(*columns, strict=True)]))


def f1(right: int, predicted: int, gold: int) -> float:
    """Harmonic mean of precision and recall; 0 where nothing is right."""
    return 2 * right / (predicted + gold) if right else 0.0


def counted(documents: CodedDocuments, threshold: float) -> Counted:
    """What a threshold predicts, beside all gold codes."""
    chosen = documents.probs >= threshold
    said = {documents.codes[i] for i in np.flatnonzero(chosen.any(axis=0))}
    codes = tuple(sorted(said.union(*documents.gold)))
    column = {code: i for i, code in enumerate(documents.codes)}
    predicted = np.zeros((len(chosen), len(codes)), dtype=bool)
    for i, code in enumerate(codes):
        if code in column:
            predicted[:, i] = chosen[:, column[code]]
    gold = np.array([[code in given for code in codes] for given in documents.gold], dtype=bool)
    return Counted(documents.document_ids, codes, predicted, gold.reshape(predicted.shape))


def pooled(parts: Sequence[Counted]) -> Counted:
    """Several folds as one, their documents one below the other; no mean of folds."""
    codes = tuple(sorted({code for part in parts for code in part.codes}))
    place = {code: i for i, code in enumerate(codes)}

    def below(cells_of: Callable[[Counted], Cells]) -> Cells:
        whole = [np.zeros((len(part.document_ids), len(codes)), dtype=bool) for part in parts]
        for rows, part in zip(whole, parts, strict=True):
            rows[:, [place[code] for code in part.codes]] = cells_of(part)
        return np.concatenate(whole)

    return Counted(
        tuple(i for part in parts for i in part.document_ids),
        codes,
        below(lambda part: part.predicted),
        below(lambda part: part.gold),
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


@dataclass(frozen=True, slots=True)
class Difference:
    """Of two arms, with its 95 % interval by a paired bootstrap over documents."""

    value: float
    low: float
    high: float

    @property
    def is_one(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def f1_differences(
    ours: Counted, theirs: Counted, *, n_resamples: int = 5000, seed: int = 0
) -> tuple[Difference, Difference]:
    """Differences of micro-F1 and of macro-F1, both over the same draws of documents."""
    place = {i: row for row, i in enumerate(theirs.document_ids)}
    rows = np.array([place[i] for i in ours.document_ids])
    drawn = np.random.default_rng(seed).multinomial(
        len(rows), np.full(len(rows), 1 / len(rows)), size=n_resamples
    )
    found = _f1s_of(drawn, ours, slice(None)) - _f1s_of(drawn, theirs, rows)
    lows, highs = np.quantile(found, [0.025, 0.975], axis=1)
    values = (ours.micro_f1() - theirs.micro_f1(), ours.macro_f1() - theirs.macro_f1())
    micro, macro = map(Difference, values, map(float, lows), map(float, highs))
    return micro, macro


def _f1s_of(drawn: Counts, counts: Counted, rows: Counts | slice) -> Array:
    """Micro- and macro-F1 of each draw, shape (2, n_draws); a part of the draws at a time."""
    right, predicted, gold = (
        cells[rows].astype(np.float32) for cells in (counts.right, counts.predicted, counts.gold)
    )
    parts = []
    for some in np.array_split(drawn.astype(np.float32), max(1, len(drawn) // 250)):
        twice, both = 2 * (some @ right), some @ (predicted + gold)
        by_code = np.divide(twice, both, out=np.zeros_like(both), where=both > 0)
        macro = by_code.sum(axis=1) / np.maximum((both > 0).sum(axis=1), 1)
        parts.append(np.stack([twice.sum(axis=1) / np.maximum(both.sum(axis=1), 1), macro]))
    return np.concatenate(parts, axis=1).astype(np.float64)


def _in_columns(
    documents: CodedDocuments, codes: Sequence[str], ids: Sequence[str] | None = None
) -> Array:
    column = {code: i for i, code in enumerate(codes)}
    probs = np.zeros((len(documents.probs), len(codes)))
    probs[:, [column[code] for code in documents.codes]] = documents.probs
    place = {i: row for row, i in enumerate(documents.document_ids)}
    return probs if ids is None else probs[[place[i] for i in ids]]
