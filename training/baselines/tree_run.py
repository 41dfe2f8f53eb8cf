"""Trees from the corpus to scores, in a folder like that of any run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import scipy.sparse as sp

from core.errors import ConfigError
from training.baselines.run_folder import (
    clear,
    judged_documents,
    learned_documents,
    write_baseline_facts,
)
from training.baselines.trees import TextFeatures, TreeBaseline, TreeSearch
from training.judging.folders import JudgedData
from training.judging.scores import Matrix, Scores

MATRIX_OF_LABELS = {"assigned": "assigned", "augmented": "levels"}
"""Labels that are learned -> the matrix of the scores that they fill."""

SEARCHES = {"assigned": TreeSearch(beam_size=10, top_k=100), "augmented": TreeSearch(beam_size=20)}


@dataclass(frozen=True, slots=True)
class BaselineConfig:
    """What decides a baseline.

    Attributes:
        tree: "parabel" or "bonsai".
        labels: "assigned", "augmented" (with all that is broader), or both.
        max_characters: how much of title and text is read; 0 for all. 5,000 is better on the full
            texts of dev than all (nDCG@5 0.672 against 0.631) and the same on titles.
        seed: of what is drawn from the corpus where it is cut; omikuji itself takes none, so two
            runs differ by a few tenths of a point.
    """

    tree: str = "bonsai"
    labels: tuple[str, ...] = ("assigned", "augmented")
    depth: int = 6
    max_characters: int = 5000
    n_threads: int = 1
    seed: int = 1


def run_baseline(config: BaselineConfig, data: JudgedData, out: Path, *, command: str = "") -> Path:
    """Fit on train, score dev and test.

    Writes the trees of the assigned labels, scores_dev.npz and scores_test.npz, the same with
    _title_alone for full texts read by their titles alone, and, last, run.json.
    """
    unknown = set(config.labels) - set(MATRIX_OF_LABELS)
    if unknown or not config.labels:
        raise ConfigError(f"A baseline learns assigned or augmented labels, not {sorted(unknown)}.")
    clear(out)
    started = time.monotonic()
    features = TextFeatures(max_characters=config.max_characters)
    learned = learned_documents(data, config.seed)
    x = features.fit([row.document for row in learned])
    minutes = {"features": _minutes_since(started)}
    scoring, kept = _Scoring(data, out), dict[str, int]()
    for labels in config.labels:
        started = time.monotonic()
        y = _labels(data, [row.assigned for row in learned], labels, config.depth)
        baseline = TreeBaseline(config.tree, n_threads=config.n_threads, features=features)
        scoring.add(baseline.fit_features(x, y), labels)
        minutes[labels] = _minutes_since(started)
        if labels == "assigned":
            kept["bytes"] = baseline.save(out)
    facts = {
        "name": f"omikuji-{config.tree}",
        "command": command,
        "config": asdict(config),
        "minutes": round(sum(minutes.values()), 2),
        "minutes_by_part": minutes,
        "documents_seen": len(learned),
        "training_documents": len(learned),
        **kept,
    }
    write_baseline_facts(out, data, facts, packages=("omikuji", "scikit-learn", "PyStemmer"))
    return out


class _Scoring:
    """The scores of each kind of labels, in one file a split."""

    def __init__(self, data: JudgedData, out: Path) -> None:
        self._out = out
        self._documents = judged_documents(data.corpus)
        self._matrices: dict[str, dict[str, Matrix]] = {name: {} for name in self._documents}

    def add(self, baseline: TreeBaseline, labels: str) -> None:
        """Saved after each kind: the second takes many times longer than the first."""
        for name, documents in self._documents.items():
            matrix = baseline.predict(documents, SEARCHES[labels])
            self._matrices[name][MATRIX_OF_LABELS[labels]] = matrix
            ids = tuple(row.document_id for row in documents)
            Scores(ids, **self._matrices[name]).save(self._out / f"scores_{name}.npz")


def _labels(
    data: JudgedData, assigned: Sequence[Sequence[str]], labels: str, depth: int
) -> sp.csr_matrix:
    label_space = data.label_space
    if labels == "assigned":
        return label_space.encode(assigned, augmented=False)
    learned = sp.diags((label_space.levels <= depth).astype("float32"))
    matrix = sp.csr_matrix(label_space.encode(assigned, augmented=True) @ learned)
    matrix.eliminate_zeros()
    return matrix


def _minutes_since(started: float) -> float:
    return round((time.monotonic() - started) / 60, 2)
