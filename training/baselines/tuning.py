"""Settings of a classical model that are chosen on dev: the terms, the title's share, C or k.

A row of tuned settings beside that of the defaults shows what the classical model is really worth;
the defaults alone flatter whatever stands beside them. First the terms are chosen, at a middle C or
k, then C or k for these: one after the other, since each fit on stems takes minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from core import metrics
from core.documents.document import Document
from training.baselines.classical import Array, Classical, ClassicalConfig, fit_classical
from training.baselines.features import Features, features_named
from training.judging.folders import JudgedData
from training.judging.scores import tune_threshold

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
    tuning = _Tuning(data, documents, y, on_trial)
    first, *others = _settings(config)
    for of_terms in _terms(first):
        tuning.read(of_terms)
        tuning.attempt(of_terms)
    chosen = tuning.best_config
    tuning.read(chosen)
    for other in others:
        tuning.attempt(replace(chosen, c=other.c, k=other.k, votes=other.votes))
    return TuningResult(tuning.best, tuning.trials)


class _Tuning:
    """Fits one configuration after the other, and keeps the best."""

    def __init__(
        self,
        data: JudgedData,
        documents: Sequence[Document],
        y: sp.csr_matrix,
        on_trial: Callable[[Trial], None],
    ) -> None:
        self.data, self.documents, self.y, self.on_trial = data, documents, y, on_trial
        self.trials: list[Trial] = []
        self._best: Classical | None = None
        self._features: Features | None = None

    @property
    def best(self) -> Classical:
        assert self._best is not None
        return self._best

    @property
    def best_config(self) -> ClassicalConfig:
        return self.best.config

    def read(self, config: ClassicalConfig) -> None:
        """Learn the terms, unless they are those that were read last."""
        wanted = features_named(config.features, title_share=config.title_share)
        held = self._features
        if held and (held.kind, held.title_share) == (wanted.kind, wanted.title_share):
            return
        self._features = wanted
        self._x = wanted.fit(self.documents)
        self._dev = wanted.transform([row.document for row in self.data.corpus.dev])

    def attempt(self, config: ClassicalConfig) -> None:
        """Fit, and keep what is better than all before."""
        assert self._features is not None
        fitted = fit_classical(config, self._features, self._x, self.y)
        trial = Trial(config, dev_quality(fitted.model.scores(self._dev), self.data))
        if all(trial.dev > other.dev for other in self.trials):
            self._best = fitted
        self.trials.append(trial)
        self.on_trial(trial)


def dev_quality(scores: Array, data: JudgedData) -> float:
    """Return micro-F1 on dev at the best threshold; accuracy where every document has one label.

    Args:
        scores: in the columns of the assignable concepts.
    """
    assigned = [row.assigned for row in data.corpus.dev]
    space = data.label_space
    gold = space.encode(assigned, augmented=False)
    whole = np.zeros((len(assigned), len(space)), dtype=np.float32)
    whole[:, space.assignable] = scores
    if data.single_label:
        classes = np.asarray(gold.argmax(axis=1)).ravel()
        return metrics.mean_defined(metrics.correct(classes, whole.argmax(axis=1)))
    return metrics.micro_f1(gold, whole, tune_threshold(whole, assigned, space))


def _terms(config: ClassicalConfig) -> Iterator[ClassicalConfig]:
    """Yield words, and stems with each share of the title."""
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
