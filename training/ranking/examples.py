"""Candidates of documents with what people assigned: what a ranker is fitted and judged on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
from rich.progress import track

from core.review.reports.learning import K, Values, judge_orders
from core.suggest.ensemble import MeanEnsemble
from core.suggest.ranking.features import FEATURES, CandidateFeatures, Candidates
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument

Array = npt.NDArray[np.float32]
Whole = npt.NDArray[np.int64]

READ_TOGETHER = 64
JUDGED_TOGETHER = 200
"""Documents: a matrix has a column for each of their concepts."""


def positions_of(label_space: LabelSpace) -> dict[str, int]:
    """Return the position of each assignable concept among these, by its id."""
    columns = np.flatnonzero(label_space.assignable).tolist()
    return {label_space.concept_ids[column]: n for n, column in enumerate(columns)}


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
    def gathered(
        cls,
        document_ids: Sequence[str],
        candidates: Sequence[Candidates],
        is_assigned: Sequence[npt.NDArray[np.bool_]],
        *,
        has_text: Sequence[bool],
        n_assigned: Sequence[int],
    ) -> Examples:
        """Put the candidates of documents one behind the other; all arguments are by document."""
        none = Candidates(np.empty(0, np.int64), np.empty((0, len(FEATURES)), np.float32))
        return cls(
            document_ids=np.array(document_ids, dtype=np.str_),
            has_text=np.array(has_text, dtype=bool),
            ends=np.cumsum([0, *(len(candidates_of.positions) for candidates_of in candidates)]),
            positions=np.concatenate(
                [candidates_of.positions for candidates_of in candidates or [none]]
            ),
            rows=np.concatenate([candidates_of.rows for candidates_of in candidates or [none]]),
            is_assigned=np.concatenate([np.empty(0, dtype=bool), *is_assigned]),
            n_assigned=np.array(n_assigned, dtype=np.int64),
        )

    @classmethod
    def joined(cls, several: Sequence[Examples]) -> Examples:
        """Return several sets as one."""
        ends = [0]
        for part in several:
            ends += (part.ends[1:] + ends[-1]).tolist()
        rest = [f.name for f in fields(cls) if f.name != "ends"]
        arrays = {name: np.concatenate([getattr(p, name) for p in several]) for name in rest}
        return cls(ends=np.array(ends), **arrays)


def examples_of(
    mean: MeanEnsemble,
    features: CandidateFeatures,
    documents: Sequence[LabelledDocument],
    what: str,
) -> Examples:
    """Return the candidates of documents, found and described as in serving.

    Args:
        what: said beside the bar.
    """
    gold = mean.label_space.encode([row.assigned for row in documents], augmented=False)
    gold = gold[:, mean.assigned_columns].tocsr()
    candidates_of = []
    for start in track(range(0, len(documents), READ_TOGETHER), what, transient=True):
        group = [mean.read(row.document) for row in documents[start : start + READ_TOGETHER]]
        for read, (members, together) in zip(group, mean.score_apart(group), strict=True):
            candidates_of.append((read.n_characters_read > 0, features(read, members, together)))
    assigned = np.split(gold.indices, gold.indptr[1:-1])
    return Examples.gathered(
        [row.document_id for row in documents],
        [candidates for _, candidates in candidates_of],
        [
            np.isin(here.positions, own_gold)
            for (_, here), own_gold in zip(candidates_of, assigned, strict=False)
        ],
        has_text=[has_text for has_text, _ in candidates_of],
        n_assigned=np.diff(gold.indptr).tolist(),
    )


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
