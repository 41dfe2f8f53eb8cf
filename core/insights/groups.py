"""Results of some of the labels: of a level, of a branch, or seen so often in training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from core import metrics
from core.insights.judged import Judged, Matrix, number

Columns = npt.NDArray[np.intp]

FREQUENCIES = {"frequent": 51, "few": 10, "rare": 1, "unseen": 0}
"""How often a label was seen -> training documents from which on it is called so.

Source: Chalkidis et al. (2019), section 3, for what is frequent.
"""

FIRST = 10
MOST_BRANCHES = 60


@dataclass(frozen=True, slots=True)
class DepthRow:
    """How well the labels of one level are ranked.

    Attributes:
        level: 1 = most general; 0 for the labels of all levels ranked together ("micro").
        n_documents: with a gold label at this level; only these count.
        level_heads: mean R-Precision of the level heads' own scores, on augmented labels.
        branch: the same of the coherent branch probabilities.
    """

    level: int
    n_labels: int
    n_documents: int
    level_heads: float | None
    branch: float | None


def by_depth(judged: Judged, depth: int = 6) -> tuple[DepthRow, ...]:
    """Return one row a level, from level 1, and a row with level 0 for all levels together.

    Source: Manginas, Chalkidis and Malakasiotis (2020), Table 1.
    """
    depth = min(depth, judged.label_space.n_levels)
    levels = judged.label_space.levels
    values_by_name = {
        name: metrics.r_precision_by_level(judged.augmented, matrix, levels, depth=depth)
        for name, matrix in (("level_heads", judged.levels), ("branch", judged.branch))
        if matrix is not None
    }
    if not values_by_name:
        return ()
    rows = []
    for level in (*range(1, depth + 1), 0):
        values = {k: v[f"level_{level}" if level else "micro"] for k, v in values_by_name.items()}
        means = {name: number(metrics.mean_defined(value)) for name, value in values.items()}
        rows.append(
            DepthRow(
                level=level,
                n_labels=int(np.sum(levels == level) if level else np.sum(levels <= depth)),
                n_documents=int(np.sum(~np.isnan(next(iter(values.values()))))),
                level_heads=means.get("level_heads"),
                branch=means.get("branch"),
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class GroupRow:
    """Results of the labels of one group that a model can suggest; all shares are in [0, 1].

    Attributes:
        name: id of the branch's top concept, or the name of the group.
        label: of the top concept; empty for other groups.
        n_documents: that have a label of the group.
        n_gold: (document, label) pairs that are gold.
        n_training: the same among the training documents.
        precision, recall, f1: of the labels that score at least the threshold, over all pairs.
        in_first_ten: share of the gold pairs among the first ten suggestions of all labels.
        r_precision: mean R-Precision where only the labels of the group are ranked.
    """

    name: str
    label: str
    n_labels: int
    n_documents: int
    n_gold: int
    n_training: int
    precision: float | None
    recall: float | None
    f1: float | None
    in_first_ten: float | None
    r_precision: float | None


def by_branch(judged: Judged) -> tuple[GroupRow, ...]:
    """Return a row a top concept, in the vocabulary's order; of many, those with most gold pairs.

    A label that stands below several top concepts counts in each of them.
    """
    if judged.ranked is None:
        return ()
    space, ten = judged.label_space, first_suggestions(judged)
    below = judged.closure.tocsc()
    rows = []
    for concept_id in space.hierarchy.top_concepts:
        top = space.column(concept_id)
        inside = np.union1d([top], below[:, top].indices)
        label = space.hierarchy[concept_id].label()
        rows.append(_row(judged, ten, np.intersect1d(inside, judged.offered), concept_id, label))
    largest = sorted(rows, key=lambda row: -row.n_gold)[:MOST_BRANCHES]
    return tuple(row for row in rows if row in largest)


def by_frequency(judged: Judged) -> tuple[GroupRow, ...]:
    """Return a row for the labels of each of `FREQUENCIES`."""
    if judged.ranked is None:
        return ()
    ten = first_suggestions(judged)
    groups = _frequency_groups(judged)
    return tuple(_row(judged, ten, columns, name, "") for name, columns in groups)


def _frequency_groups(judged: Judged) -> Iterator[tuple[str, Columns]]:
    counts = judged.training_counts[judged.offered]
    for name, inside in of_frequencies(counts):
        yield name, judged.offered[inside]


def of_frequencies(n_assigned: npt.NDArray[Any]) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Yield each of `FREQUENCIES` with the mask of its labels, by their training documents."""
    below = np.inf
    for name, least in FREQUENCIES.items():
        yield name, (n_assigned >= least) & (n_assigned < below)
        below = least


def first_suggestions(judged: Judged) -> sparse.csr_matrix:
    """Return the ten best labels of each document as ones, shape (n_documents, n_columns)."""
    assert judged.ranked is not None
    best = metrics.top_columns(judged.ranked[:, judged.offered], FIRST)
    columns = judged.offered[best]
    rows = np.repeat(np.arange(len(columns)), columns.shape[1])
    ones = np.ones(columns.size, dtype=np.int8)
    return sparse.csr_matrix((ones, (rows, columns.ravel())), shape=judged.target.shape)


def _row(
    judged: Judged, ten: sparse.csr_matrix, columns: Columns, name: str, label: str
) -> GroupRow:
    assert judged.ranked is not None
    gold, scores = judged.target[:, columns], judged.ranked[:, columns]
    n_gold, n_in_ten = int(gold.nnz), int(gold.multiply(ten[:, columns]).nnz)
    return GroupRow(
        name=name,
        label=label,
        n_labels=len(columns),
        n_documents=int(np.count_nonzero(np.diff(gold.indptr))),
        n_gold=n_gold,
        n_training=int(judged.training_counts[columns].sum()),
        **_thresholded(gold, scores, judged.threshold),
        in_first_ten=number(n_in_ten / n_gold) if n_gold else None,
        r_precision=number(metrics.mean_defined(metrics.r_precision(gold, scores))),
    )


def _thresholded(
    gold: sparse.csr_matrix, scores: Matrix, threshold: float | None
) -> dict[str, float | None]:
    if threshold is None:
        return dict.fromkeys(THRESHOLDED)
    return {name: number(of(gold, scores, threshold)) for name, of in THRESHOLDED.items()}


THRESHOLDED = {
    "precision": metrics.micro_precision,
    "recall": metrics.micro_recall,
    "f1": metrics.micro_f1,
}
