"""A baseline from the corpus to scores: the same folder as a run of the guided classifier."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import scipy.sparse as sp

from core.errors import ConfigError
from training.baselines.tfidf import TextFeatures
from training.baselines.trees import Search, TreeBaseline
from training.data.corpus import Corpus, LabelledDocument, full_texts
from training.judging.folders import TITLE_ALONE, JudgedData
from training.judging.scores import Matrix, Scores

MATRIX_OF_LABELS = {"assigned": "assigned", "augmented": "levels"}
"""Labels that are learned -> the matrix of the scores that they fill."""

SEARCHES = {"assigned": Search(beam_size=10, top_k=100), "augmented": Search(beam_size=20)}


@dataclass(frozen=True, slots=True)
class BaselineConfig:
    """What decides a baseline.

    Attributes:
        tree: "parabel" or "bonsai".
        labels: "assigned" or "augmented".
        max_characters: how much of title and text is read; 0 for all. 5,000 is better on the full
            texts of dev than all (nDCG@5 0.672 against 0.631) and the same on titles.
    """

    tree: str = "bonsai"
    labels: tuple[str, ...] = ("assigned", "augmented")
    depth: int = 6
    max_characters: int = 5000
    n_threads: int = 1


def run_baseline(config: BaselineConfig, data: JudgedData, out: Path) -> Path:
    """Fit on train, score dev and test.

    Writes scores_dev.npz and scores_test.npz, the same with _title_alone for full texts read by
    their titles alone, and, last, run.json.
    """
    unknown = set(config.labels) - set(MATRIX_OF_LABELS)
    if unknown or not config.labels:
        raise ConfigError(f"A baseline learns assigned or augmented labels, not {sorted(unknown)}.")
    started = time.monotonic()
    features = TextFeatures(max_characters=config.max_characters)
    x = features.fit([row.document for row in data.corpus.train])
    minutes = {"features": _minutes_since(started)}
    targets = _targets(data.corpus)
    matrices: dict[str, dict[str, Matrix]] = {name: {} for name in targets}
    for labels in config.labels:
        started = time.monotonic()
        y = _labels(data, labels, config.depth)
        baseline = TreeBaseline(config.tree, n_threads=config.n_threads, features=features)
        baseline.fit_features(x, y)
        for name, documents in targets.items():
            matrix = baseline.predict(documents, SEARCHES[labels])
            matrices[name][MATRIX_OF_LABELS[labels]] = matrix
            # Saved after each kind of labels: the second takes many times longer than the first.
            ids = tuple(row.document_id for row in documents)
            Scores(ids, **matrices[name]).save(out / f"scores_{name}.npz")
        minutes[labels] = _minutes_since(started)
    _write_facts(config, data, minutes, out)
    return out


def _targets(corpus: Corpus) -> dict[str, list[LabelledDocument]]:
    targets: dict[str, list[LabelledDocument]] = {}
    for split in ("dev", "test"):
        documents = corpus.split(split)
        targets[split] = list(documents)
        if texts := full_texts(documents):
            targets[f"{split}_{TITLE_ALONE}"] = [row.title_alone() for row in texts]
    return targets


def _labels(data: JudgedData, labels: str, depth: int) -> sp.csr_matrix:
    label_space = data.label_space
    assigned = [row.assigned for row in data.corpus.train]
    if labels == "assigned":
        return label_space.encode(assigned, augmented=False)
    learned = sp.diags((label_space.levels <= depth).astype("float32"))
    matrix = sp.csr_matrix(label_space.encode(assigned, augmented=True) @ learned)
    matrix.eliminate_zeros()
    return matrix


def _minutes_since(started: float) -> float:
    return round((time.monotonic() - started) / 60, 2)


def _write_facts(
    config: BaselineConfig, data: JudgedData, minutes: dict[str, float], out: Path
) -> None:
    from training.fitting.run import commit  # brings torch along, which a baseline does not need

    facts = {
        "name": f"omikuji-{config.tree}",
        "config": asdict(config),
        "minutes": round(sum(minutes.values()), 2),
        "minutes_by_part": minutes,
        "documents_seen": len(data.corpus.train),
        "training_documents": len(data.corpus.train),
        "data_sha256": dict(data.corpus.sha256),
        "data": asdict(data.source),
        "commit": commit(),
        "versions": {name: version(name) for name in ("omikuji", "scikit-learn", "PyStemmer")},
    }
    (out / "run.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
