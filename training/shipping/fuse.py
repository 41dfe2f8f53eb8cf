"""The weighted mean of two runs' probabilities: dense and sparse models err differently."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core import metrics
from core.errors import ConfigError
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument
from training.judging.folders import TITLE_ALONE, JudgedData, RunFolder
from training.judging.recorded import write_facts
from training.judging.scores import Matrix, Scores

WEIGHTS = tuple(round(step / 20, 2) for step in range(21))
"""Weights of the first run that are tried on dev."""

Measure = Callable[[Any, Any], npt.NDArray[np.float64]]

TUNED_BY: Mapping[str, Measure] = {
    "levels": metrics.r_precision,
    "assigned": partial(metrics.ndcg_at_k, k=5),
    "branch": metrics.r_precision,
}
"""Matrix -> the measure on dev that chooses its weight."""


def fuse(first: Scores, second: Scores, weights: Mapping[str, float]) -> Scores:
    """Return the mean of two runs' probabilities by matrix, or the one that is there.

    Args:
        weights: matrix -> weight of the first run, in [0, 1]; the second has the rest.
    Returns:
        Scores of the first run's documents; -inf only where neither run scores a column.
    """
    second = second.rows(first.document_ids)
    ours, theirs = first.matrices(), second.matrices()
    fused = {**theirs, **ours}
    for name in ours.keys() & theirs.keys():
        fused[name] = _mean(ours[name], theirs[name], weights[name])
    return Scores(first.document_ids, **fused)


def _mean(first: Matrix, second: Matrix, weight: float) -> Matrix:
    """Return both matrices; a column that one run does not score counts as 0 there."""
    silent = np.isneginf(first) & np.isneginf(second)
    a, b = (np.where(np.isneginf(m), 0, m).astype(np.float32) for m in (first, second))
    return np.where(silent, -np.inf, weight * a + (1 - weight) * b).astype(np.float16)


def tune_weights(
    first: Scores,
    second: Scores,
    documents: Sequence[LabelledDocument],
    label_space: LabelSpace,
    *,
    depth: int = 6,
) -> dict[str, float]:
    """Return the best weight of the first run for each matrix that both have; tune on dev."""
    ids = [row.document_id for row in documents]
    ours, theirs = first.rows(ids).matrices(), second.rows(ids).matrices()
    assigned = [row.assigned for row in documents]
    weights: dict[str, float] = {}
    for name in sorted(ours.keys() & theirs.keys()):
        columns = _judged_columns(name, label_space, depth)
        gold = label_space.encode(assigned, augmented=name != "assigned")[:, columns]
        pair = ours[name][:, columns], theirs[name][:, columns]
        measure = TUNED_BY[name]
        weights[name] = _best(partial(_quality, measure, gold, *pair))
    return weights


def _judged_columns(name: str, label_space: LabelSpace, depth: int) -> npt.NDArray[np.intp]:
    chosen = label_space.assignable if name == "assigned" else label_space.levels <= depth
    return np.flatnonzero(chosen)


def _quality(
    measure: Measure, gold: sp.csr_matrix, first: Matrix, second: Matrix, weight: float
) -> float:
    return metrics.mean_defined(measure(gold, _mean(first, second, weight)))


def _best(quality: Callable[[float], float]) -> float:
    """Return the best weight, halving the steps of a search that assumes one peak."""
    tried: dict[int, float] = {}

    def value(step: int) -> float:
        if step not in tried:
            tried[step] = quality(WEIGHTS[step])
        return tried[step]

    low, high = 0, len(WEIGHTS) - 1
    for stride in (5, 2, 1):
        best = max(range(low, high + 1, stride), key=value)
        low, high = max(0, best - stride), min(len(WEIGHTS) - 1, best + stride)
    return WEIGHTS[max(tried, key=lambda step: tried[step])]


def fuse_runs(first: RunFolder, second: RunFolder, data: JudgedData, out: Path) -> dict[str, float]:
    """Tune the weights on dev and write the fused scores as a run's folder; returns the weights.

    Raises:
        ConfigError: the runs have no matrix in common, or were made from other data.
    """
    dev = first.scores("dev"), second.scores("dev")
    weights = tune_weights(*dev, data.corpus.dev, data.label_space)
    if not weights:
        raise ConfigError(f"{first.path} and {second.path} score nothing in common.")
    for split in ("dev", "test"):
        fuse(first.scores(split), second.scores(split), weights).save(out / f"scores_{split}.npz")
        alone = first.title_alone(split), second.title_alone(split)
        if alone[0] is not None and alone[1] is not None:
            fuse(alone[0], alone[1], weights).save(out / f"scores_{split}_{TITLE_ALONE}.npz")
    facts = {
        "name": out.name,
        "fused": {"first": first.path.name, "second": second.path.name, "weights": weights},
        "data": data.source.model_dump(),
        "data_sha256": dict(data.corpus.sha256),
    }
    write_facts(out, facts)
    return weights
