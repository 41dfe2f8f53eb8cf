"""R-Precision at every depth of the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core import metrics
from core.insights.judged import Judged, number


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
    """A row a level, from level 1, and one with level 0 for all of them together.

    Source: Manginas, Chalkidis and Malakasiotis (2020), Table 1.
    """
    depth = min(depth, judged.label_space.n_levels)
    levels = judged.label_space.levels
    found = {
        name: metrics.r_precision_values_by_level(judged.augmented, matrix, levels, depth=depth)
        for name, matrix in (("level_heads", judged.levels), ("branch", judged.branch))
        if matrix is not None
    }
    if not found:
        return ()
    rows = []
    for level in (*range(1, depth + 1), 0):
        values = {k: v[f"level_{level}" if level else "micro"] for k, v in found.items()}
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
