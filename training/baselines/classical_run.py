"""A classical model from corpus to scores, in a run folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from rich.progress import Progress as ProgressBar

from core import metrics
from core.documents.document import Document
from core.suggest.branches import BranchUnion
from core.suggest.calibration import logits
from training.baselines.classical import Array, Classical, ClassicalConfig, fit_classical
from training.baselines.features import Features, features_named
from training.baselines.linear import LinearConfig
from training.baselines.run_folder import clear, judged_documents, write_baseline_facts
from training.corpora.sampling import training_documents
from training.judging.folders import JudgedData
from training.judging.scores import FEW_COLUMNS, Matrix, Scores, in_all_columns, tune_threshold
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
    n_documents = len(training_documents(data.corpus, data.source, config.seed))
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
    documents = training_documents(data.corpus, data.source, config.seed)
    y = data.label_space.encode_assigned([row.assigned for row in documents])
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
    levels = _levels(data, fitted) if data.label_space.n_levels > 1 else None
    for name, rows in targets.items():
        scores = fitted.scores([row.document for row in rows])
        assigned = in_all_columns(scores, data.label_space)
        branches = None if levels is None else _kept(levels(scores))
        ids = tuple(row.document_id for row in rows)
        Scores(ids, levels=branches, assigned=_kept(assigned)).save(out / f"scores_{name}.npz")


def _kept(matrix: Array) -> Matrix:
    return matrix if matrix.shape[1] <= FEW_COLUMNS else matrix.astype(np.float16)


def _levels(data: JudgedData, fitted: Classical) -> Callable[[Array], Array]:
    """Return what gives the probability of every branch, of a model that knows nothing of the tree.

    That of at least one concept in it, as if they were assigned independently. What is no
    probability yet, as a margin or a vote, is made one by Platt's scaling, fitted on dev.
    """
    space, union, dev = data.label_space, BranchUnion(data.label_space), data.corpus.dev
    of_dev = logits(fitted.scores([row.document for row in dev]))
    everything = np.ones(len(dev), dtype=bool)
    platt = fit_linear_platt(of_dev, dev, space, has_text=everything)[1]
    return lambda scores: union(in_all_columns(platt(logits(scores)), space))


# ---------------------------------------------------------------------- tuning
# A row of tuned settings beside that of the defaults shows what the classical model is really
# worth; beside the defaults alone any other model looks better than it is. First the terms are
# chosen, at a middle C or k, then C or k for these: one after the other, since each fit on stems
# takes minutes.

COSTS = {"lr": (30.0, 10.0, 100.0, 300.0), "svm": (1.0, 0.3, 3.0, 10.0)}
NEIGHBOURS = (15, 3, 5, 10, 20, 30, 45)
"""The first of each is that at which the terms are chosen."""

TITLE_SHARES = (0.15, 0.3)


@dataclass(frozen=True, slots=True)
class Trial:
    """Settings, and how good they were on dev: micro-F1 at the best threshold, or accuracy."""

    config: ClassicalConfig
    dev: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a run's facts."""
        return {**asdict(self.config), "dev": round(self.dev, 5)}


@dataclass(slots=True)
class TuningResult:
    """The best settings, fitted on the training documents, and all that were tried, in order."""

    best: Classical
    trials: list[Trial]


def tune(
    config: ClassicalConfig,
    data: JudgedData,
    documents: Sequence[Document],
    y: sp.csr_matrix,
    *,
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> TuningResult:
    """Return settings that are best on dev; dev documents are not learned from afterwards.

    The paper's baselines learn from the training set alone, and so do these.

    Args:
        config: what is not tuned, its model and seed.
        y: labels in the columns of the assignable concepts.
        on_trial: is called with each trial when it is done.
    """
    trials: list[Trial] = []
    best: Classical | None = None

    def attempt(settings: ClassicalConfig, read: _ReadTerms) -> bool:
        """Fit, and keep what is better than all before."""
        nonlocal best
        fitted = fit_classical(settings, read.features, read.x, y)
        trial = Trial(settings, dev_quality(fitted.model.scores(read.dev), data))
        is_better = all(trial.dev > other.dev for other in trials)
        best = fitted if is_better else best
        trials.append(trial)
        on_trial(trial)
        return is_better

    first, *others = _settings(config)
    dev = [row.document for row in data.corpus.dev]
    for of_terms in _terms(first):
        features = features_named(of_terms.features, title_share=of_terms.title_share)
        read = _ReadTerms(features, features.fit(documents), features.transform(dev))
        if attempt(of_terms, read):
            chosen, terms = of_terms, read
    for other in others:
        attempt(replace(chosen, c=other.c, k=other.k, votes=other.votes), terms)
    assert best is not None
    return TuningResult(best, trials)


class _ReadTerms(NamedTuple):
    """Fitted features, and their rows of the training documents and of dev."""

    features: Features
    x: sp.csr_matrix
    dev: sp.csr_matrix


def dev_quality(scores: Array, data: JudgedData) -> float:
    """Return micro-F1 on dev at the best threshold; accuracy where every document has one label.

    Args:
        scores: in the columns of the assignable concepts.
    """
    assigned = [row.assigned for row in data.corpus.dev]
    space = data.label_space
    gold = space.encode(assigned, augmented=False)
    whole = in_all_columns(scores, space)
    if data.single_label:
        classes = np.asarray(gold.argmax(axis=1)).ravel()
        return metrics.mean_defined(metrics.correct(classes, whole.argmax(axis=1)))
    return metrics.micro_f1(gold, whole, tune_threshold(whole, assigned, space))


def _terms(config: ClassicalConfig) -> Iterator[ClassicalConfig]:
    yield replace(config, features="words")
    for share in TITLE_SHARES:
        yield replace(config, features="stems", title_share=share)


def _settings(config: ClassicalConfig) -> Iterator[ClassicalConfig]:
    if config.model == "knn":
        for k in NEIGHBOURS:
            yield replace(config, k=k, votes="by_similarity")
    else:
        for c in COSTS[config.model]:
            yield replace(config, c=c)
