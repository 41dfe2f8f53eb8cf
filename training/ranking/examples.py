"""Candidates of documents with what people assigned: what a ranker is fitted and judged on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.progress import track

from core.review.reports.learning import K, Values, judge_orders
from core.suggest.ensemble import MeanEnsemble
from core.suggest.ranking.candidates import Candidates
from core.suggest.ranking.decided import Positions
from core.suggest.ranking.suggester import IndexedCandidates
from training.corpora.corpus import LabelledDocument

Array = npt.NDArray[np.float32]
Whole = npt.NDArray[np.int64]

READ_TOGETHER = 64
JUDGED_TOGETHER = 200
"""Documents: a matrix has a column for each of their concepts."""


class DescribedDocument(NamedTuple):
    """The candidates of a document, and what people assigned to it, by position."""

    document_id: str
    has_text: bool
    candidates: Candidates
    gold: Positions


@dataclass(frozen=True)
class Examples:
    """Candidates of documents, one row each, the documents one behind the other.

    Attributes:
        document_ids: (n_documents,).
        has_text: whether a text was read beside the title, (n_documents,).
        ends: where the rows of each document end, after a first 0, (n_documents + 1,).
        positions: which concept a row is of, (n_rows,).
        rows: features, (n_rows, n_features).
        is_assigned: (n_rows,).
        n_assigned: of each document, also of what is no candidate, (n_documents,).
    """

    document_ids: npt.NDArray[np.str_]
    has_text: npt.NDArray[np.bool_]
    ends: Whole
    positions: Whole
    rows: Array
    is_assigned: npt.NDArray[np.bool_]
    n_assigned: Whole

    def __len__(self) -> int:
        return len(self.document_ids)

    def of(self, number: int) -> slice:
        """Return the rows of a document."""
        return slice(int(self.ends[number]), int(self.ends[number + 1]))

    def gold(self) -> list[list[int]]:
        """Return the assigned concepts of each document: their positions, and numbers below 0 for
        those that are no candidates.
        """
        right = [self.positions[self.of(n)][self.is_assigned[self.of(n)]] for n in range(len(self))]
        return [
            [*positions.tolist(), *range(len(positions) - n_assigned, 0)]
            for positions, n_assigned in zip(right, self.n_assigned.tolist(), strict=True)
        ]

    def chosen(self, documents: npt.NDArray[np.generic]) -> Examples:
        """Return the examples of some documents, by a mask or by indices."""
        numbers = np.arange(len(self))[documents]
        parts = [np.arange(self.ends[n], self.ends[n + 1]) for n in numbers.tolist()]
        rows = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        return Examples(
            self.document_ids[numbers],
            self.has_text[numbers],
            np.cumsum([0, *map(len, parts)]),
            self.positions[rows],
            self.rows[rows],
            self.is_assigned[rows],
            self.n_assigned[numbers],
        )

    @classmethod
    def gathered(cls, examples: Iterable[DescribedDocument]) -> Examples:
        """Put the candidates of documents one behind the other."""
        several = list(examples)
        candidates = [example.candidates for example in several]
        right = [np.isin(example.candidates.positions, example.gold) for example in several]
        rows = [here.rows for here in candidates] or [np.empty((0, 0), np.float32)]
        return cls(
            document_ids=np.array([example.document_id for example in several], dtype=np.str_),
            has_text=np.array([example.has_text for example in several], dtype=bool),
            ends=np.cumsum([0, *(len(here.positions) for here in candidates)]),
            positions=np.concatenate([np.empty(0, np.int64), *(h.positions for h in candidates)]),
            rows=np.concatenate(rows),
            is_assigned=np.concatenate([np.empty(0, dtype=bool), *right]),
            n_assigned=np.array([len(example.gold) for example in several], dtype=np.int64),
        )

    @classmethod
    def joined(cls, several: Sequence[Examples]) -> Examples:
        """Return several sets as one."""
        several = [part for part in several if len(part)] or several[:1]
        ends = [0]
        for part in several:
            ends += (part.ends[1:] + ends[-1]).tolist()
        rest = [f.name for f in fields(cls) if f.name != "ends"]
        arrays = {name: np.concatenate([getattr(p, name) for p in several]) for name in rest}
        return cls(ends=np.array(ends), **arrays)


def examples_of(
    mean: MeanEnsemble,
    features: IndexedCandidates,
    documents: Sequence[LabelledDocument],
    what: str,
) -> Examples:
    """Return the candidates of documents, found and described as in serving.

    Args:
        what: said beside the bar.
    """
    examples = []
    for start in track(range(0, len(documents), READ_TOGETHER), what, transient=True):
        group = documents[start : start + READ_TOGETHER]
        read = [mean.read(row.document) for row in group]
        for row, document, scores in zip(group, read, mean.score_apart(read), strict=True):
            has_text = document.n_characters_read > 0
            gold = mean.label_space.positions(row.assigned)
            described = features(document, *scores)
            examples.append(DescribedDocument(row.document_id, has_text, described, gold))
    return Examples.gathered(examples)


def order_quality(examples: Examples, gold: Sequence[Sequence[int]], log_odds: Array) -> Values:
    """Return the nDCG@5 of each document's candidates in the order of their log-odds.

    Args:
        gold: what was assigned to each, also what is no candidate of it.
        log_odds: of each row.
    """
    orders = []
    for number in range(len(examples)):
        here = examples.of(number)
        best = np.argsort(-log_odds[here], kind="stable")[:K]
        orders.append(examples.positions[here][best].tolist())
    blocks = [slice(n, n + JUDGED_TOGETHER) for n in range(0, len(orders), JUDGED_TOGETHER)]
    return np.concatenate([judge_orders(gold[block], orders[block])[0] for block in blocks])
