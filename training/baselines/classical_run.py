"""A classical model from the corpus to scores, in a folder like that of any run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.progress import Progress as ProgressBar

from core.suggest.branches import BranchUnion, logits
from training.baselines.classical import Array, Classical, ClassicalConfig, fit_classical
from training.baselines.features import features_named
from training.baselines.linear import LinearConfig
from training.baselines.run_folder import (
    clear,
    judged_documents,
    learned_documents,
    write_baseline_facts,
)
from training.baselines.tuning import Trial, TuningResult, tune
from training.judging.folders import JudgedData
from training.judging.scores import FEW_COLUMNS, Matrix, Scores
from training.shipping.fit_fusion import fit_linear_platt

PACKAGES = ("scikit-learn", "PyStemmer", "scipy", "numpy")
Say = Callable[[str], None]


def run_classical(
    config: ClassicalConfig,
    data: JudgedData,
    out: Path,
    *,
    tuned: bool = False,
    command: str = "",
    say: Say = lambda line: None,
) -> Path:
    """Fit on train, with settings chosen on dev where `tuned`, and score dev and test.

    Writes the model, scores_dev.npz and scores_test.npz, the same with _title_alone for full texts
    by their titles alone, what a bundle is made from where the model can be served, and, last,
    run.json.
    """
    clear(out)
    started = time.monotonic()
    learned = _learn(config, data, tuned=tuned, say=say)
    minutes = round((time.monotonic() - started) / 60, 2)
    fitted = learned.best
    _score(fitted, data, out)
    linear = fitted.linear(max_bytes=LinearConfig().max_bytes)
    if linear is not None:
        linear.save(out)
    n_documents = len(learned_documents(data, config.seed))
    facts = {
        "name": f"{config.model}_tuned" if tuned else config.model,
        "command": command,
        "config": asdict(fitted.config),
        "trials": [trial.to_dict() for trial in learned.trials],
        "minutes": minutes,
        "documents_seen": n_documents,
        "training_documents": n_documents,
        "parameters": fitted.model.n_parameters,
        "bytes": fitted.save(out),
        "labels_not_converged": fitted.n_unfinished,
    }
    write_baseline_facts(out, data, facts, packages=PACKAGES)
    return out


def _learn(config: ClassicalConfig, data: JudgedData, *, tuned: bool, say: Say) -> TuningResult:
    """Return the model, fitted as it is configured or with settings chosen on dev."""
    documents = learned_documents(data, config.seed)
    assigned = [row.assigned for row in documents]
    labels = data.label_space.encode(assigned, augmented=False)
    y = labels[:, np.flatnonzero(data.label_space.assignable)].tocsr()
    texts = [row.document for row in documents]
    if tuned:
        return tune(config, data, texts, y, on_trial=lambda trial: say(_line(trial)))
    features = features_named(config.features, title_share=config.title_share)
    x = features.fit(texts)
    with ProgressBar(transient=True) as bar:
        task = bar.add_task("labels")

        def show_progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return TuningResult(fit_classical(config, features, x, y, on_progress=show_progress), [])


def _line(trial: Trial) -> str:
    config = trial.config
    terms = config.features if config.features == "words" else f"stems, title {config.title_share}"
    setting = f"k = {config.k}" if config.model == "knn" else f"C = {config.c:g}"
    return f"{config.model}, {terms}, {setting}: {100 * trial.dev:.2f} on dev"


def _score(fitted: Classical, data: JudgedData, out: Path) -> None:
    targets = judged_documents(data.corpus)
    levels = _Levels(data, fitted) if data.label_space.n_levels > 1 else None
    for name, rows in targets.items():
        scores = fitted.scores([row.document for row in rows])
        assigned = np.zeros((len(rows), len(data.label_space)), dtype=np.float32)
        assigned[:, data.label_space.assignable] = scores
        branches = None if levels is None else _kept(levels(scores))
        ids = tuple(row.document_id for row in rows)
        Scores(ids, levels=branches, assigned=_kept(assigned)).save(out / f"scores_{name}.npz")


def _kept(matrix: Array) -> Matrix:
    return matrix if matrix.shape[1] <= FEW_COLUMNS else matrix.astype(np.float16)


class _Levels:
    """The probability of every branch, of a model that knows nothing of the tree.

    That of at least one concept in it, as if they were assigned independently. What is no
    probability yet, as a margin or a vote, is made one by Platt's scaling, fitted on dev.
    """

    def __init__(self, data: JudgedData, fitted: Classical) -> None:
        self._space = data.label_space
        self._union = BranchUnion(data.label_space)
        dev = data.corpus.dev
        scores = logits(fitted.scores([row.document for row in dev]))
        everything = np.ones(len(dev), dtype=bool)
        self._platt = fit_linear_platt(scores, dev, self._space, has_text=everything)[1]

    def __call__(self, scores: Array) -> Array:
        """Return scores in label-space columns, from those in columns of assignable concepts."""
        assigned = np.zeros((len(scores), len(self._space)), dtype=np.float32)
        assigned[:, self._space.assignable] = self._platt(logits(scores))
        return self._union(assigned)
