"""The linear suggester from the corpus to its two files, and to scores as any run has them."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.progress import Progress as ProgressBar

from core.model.sparse_linear import TERMS_FILE, WEIGHTS_FILE, SparseLinear
from core.suggest.fusion import BranchUnion
from core.vocabulary.labels import LabelSpace
from training.baselines.linear import LinearConfig, fit_linear
from training.data.corpus import LabelledDocument, full_texts
from training.judging.folders import TITLE_ALONE, JudgedData
from training.judging.scores import Scores
from training.shipping.fit_fusion import fit_linear_platt

Array = npt.NDArray[np.float32]


def run_linear(config: LinearConfig, data: JudgedData, out: Path) -> Path:
    """Fit on train, calibrate on dev, score dev and test with the files as they were written.

    Writes linear.safetensors, linear_terms.txt, scores_dev.npz, scores_test.npz, the same with
    _title_alone for full texts read by their titles alone, and, last, run.json.
    """
    started = time.monotonic()
    corpus, label_space = data.corpus, data.label_space
    assignable = np.flatnonzero(label_space.assignable)
    labels = label_space.encode([row.assigned for row in corpus.train], augmented=False)
    with ProgressBar(transient=True) as bar:
        task = bar.add_task("concepts")
        fitted = fit_linear(
            [row.document for row in corpus.train],
            labels[:, assignable].tocsr(),
            config,
            on_progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    fitted.save(out)
    minutes = round((time.monotonic() - started) / 60, 2)
    # From here on the weights are those that ship, with what pruning and int8 did to them.
    linear = SparseLinear.load(out, label_space)
    _score(linear, data, out)
    _write_facts(config, data, minutes, linear, out)
    return out


def margins_of(linear: SparseLinear, documents: Sequence[LabelledDocument]) -> Array:
    """Margins of documents, shape (n_documents, n_assignable)."""
    rows = [linear.margins(row.document.title, row.document.text) for row in documents]
    return np.stack(rows) if rows else np.empty((0, len(linear.bias)), dtype=np.float32)


def _score(linear: SparseLinear, data: JudgedData, out: Path) -> None:
    dev = data.corpus.dev
    platt = fit_linear_platt(margins_of(linear, dev), dev, data.label_space)
    union = BranchUnion(data.label_space)
    for split in ("dev", "test"):
        documents = data.corpus.split(split)
        targets = {split: list(documents)}
        if texts := full_texts(documents):
            targets[f"{split}_{TITLE_ALONE}"] = [row.title_alone() for row in texts]
        for name, rows in targets.items():
            has_text = np.array([row.is_full_text for row in rows], dtype=bool)
            margins = margins_of(linear, rows)
            probs = np.where(has_text[:, None], platt[1](margins), platt[0](margins))
            _as_scores(rows, probs, data.label_space, union).save(out / f"scores_{name}.npz")


def _as_scores(
    documents: Sequence[LabelledDocument],
    probs: Array,
    label_space: LabelSpace,
    union: BranchUnion,
) -> Scores:
    assigned = np.zeros((len(documents), len(label_space)), dtype=np.float32)
    assigned[:, label_space.assignable] = probs
    return Scores(
        tuple(row.document_id for row in documents),
        levels=union(assigned).astype(np.float16),
        assigned=assigned.astype(np.float16),
    )


def _write_facts(
    config: LinearConfig, data: JudgedData, minutes: float, linear: SparseLinear, out: Path
) -> None:
    facts = {
        "name": "linear",
        "config": asdict(config),
        "minutes": minutes,
        "training_documents": len(data.corpus.train),
        "terms": len(linear.vectors),
        "weights": int(linear.weights.nnz),
        "bytes": {name: (out / name).stat().st_size for name in (WEIGHTS_FILE, TERMS_FILE)},
        "data_sha256": dict(data.corpus.sha256),
        "data": asdict(data.source),
        "versions": {name: version(name) for name in ("scikit-learn", "PyStemmer", "numpy")},
    }
    (out / "run.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
