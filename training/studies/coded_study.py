"""Finished runs judged as the clinical challenges count: folds pooled, arms compared in pairs.

Runs of one arm, one a fold, make one result over all documents. Thresholds, and the weights of a
mean of two arms, are tuned on the dev documents of each fold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core import metrics
from core.errors import ConfigError
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument
from training.judging.coded import (
    CodedDocuments,
    CodePredictions,
    best_mix,
    best_threshold,
    counted,
    f1_differences,
    mixed,
    pooled,
)
from training.judging.folders import JudgedData, RunFolder, identity_of, load_data
from training.judging.measured import ArmFigures
from training.judging.scores import Scores
from training.results.tables import markdown

FOLD = re.compile(r"-fold\d+$")
"""What folders of baselines end with, which have no configuration that names their arm."""

EVEN = 0.5
"""The threshold that is judged beside the tuned one."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One run's dev and test documents."""

    dev: CodedDocuments
    test: CodedDocuments


@dataclass(frozen=True, slots=True)
class CodedArm:
    """One arm's figures over all its folds.

    Attributes:
        tuned, even: what the thresholds of dev, and 0.5, predict.
        precision: mean average precision.
        weights: of the first of two arms, by fold; none where it is one arm alone.
    """

    name: str
    n_folds: int
    tuned: CodePredictions
    even: CodePredictions
    precision: float
    thresholds: tuple[float, ...]
    weights: tuple[float, ...] = ()


class CodedStudy:
    """The finished runs in some folders, by arm and fold.

    Args:
        known: data that were read before, by their configuration.
    """

    def __init__(
        self, folders: Sequence[Path], known: Mapping[DataConfig, JudgedData] | None = None
    ) -> None:
        self.folds: dict[str, dict[str, Fold]] = {}
        self._data = dict(known or {})
        for folder in run_folders(folders):
            self._add(RunFolder.finished(folder))

    def _add(self, run: RunFolder) -> None:
        config = run.data()
        if config not in self._data:
            self._data[config] = load_data(config)
        data = self._data[config]
        fold = Fold(
            coded_documents(run.scores("dev"), data.corpus.dev, data),
            coded_documents(run.scores("test"), data.corpus.test, data),
        )
        arm = FOLD.sub("", str(identity_of(run.path)["arm"]))
        folds = self.folds.setdefault(arm, {})
        if config.fold in folds:
            raise ConfigError(f"Two runs of {arm} are judged on fold “{config.fold}”: name one.")
        folds[config.fold] = fold

    def arm(self, name: str) -> CodedArm:
        """Return the figures of an arm, or of the mean of two: "guided+lr".

        Raises:
            ConfigError: there is no such arm, or the two have no fold in common.
        """
        first, _, second = name.partition("+")
        if not second:
            return _figures(name, list(self._folds(first).values()))
        ours, theirs = self._folds(first), self._folds(second)
        shared = [fold for fold in ours if fold in theirs]
        if not shared:
            raise ConfigError(f"{first} and {second} have no fold in common.")
        weights = [best_mix(ours[fold].dev, theirs[fold].dev) for fold in shared]
        both = [
            Fold(
                mixed(ours[fold].dev, theirs[fold].dev, weight),
                mixed(ours[fold].test, theirs[fold].test, weight),
            )
            for fold, weight in zip(shared, weights, strict=True)
        ]
        return _figures(name, both, tuple(weights))

    def _folds(self, name: str) -> dict[str, Fold]:
        if name not in self.folds:
            raise ConfigError(f"There is no arm “{name}”; there are {', '.join(self.folds)}.")
        return self.folds[name]


def run_folders(folders: Sequence[Path]) -> list[Path]:
    """Return the folders that hold a finished run: those named, or what lies in them."""
    found = []
    for folder in folders:
        inside = sorted(path.parent for path in folder.glob("*/run.json"))
        found += [folder] if (folder / "run.json").is_file() else inside
    if not found:
        raise ConfigError("None of these folders holds a finished run: there is no run.json.")
    return found


def coded_documents(
    scores: Scores, documents: Sequence[LabelledDocument], data: JudgedData
) -> CodedDocuments:
    """Return scores of the assigned head beside all that was coded.

    Raises:
        ConfigError: the run has no assigned head, or lacks a document.
    """
    rows = scores.rows([row.document_id for row in documents])
    if rows.assigned is None:
        raise ConfigError("A run without a head for what is assigned finds no codes.")
    space = data.label_space
    columns = np.flatnonzero(space.assignable)
    probs = rows.assigned[:, columns].astype(np.float64)
    return CodedDocuments(
        rows.document_ids,
        tuple(space.concept_ids[column] for column in columns),
        np.where(np.isfinite(probs), probs, 0.0),
        tuple(frozenset(row.assigned) for row in documents),
    )


def _figures(name: str, folds: Sequence[Fold], weights: tuple[float, ...] = ()) -> CodedArm:
    thresholds = tuple(best_threshold(fold.dev) for fold in folds)
    tuned = [counted(fold.test, at) for fold, at in zip(folds, thresholds, strict=True)]
    even = [counted(fold.test, EVEN) for fold in folds]
    precisions = np.concatenate([fold.test.precisions() for fold in folds])
    return CodedArm(
        name,
        len(folds),
        pooled(tuned),
        pooled(even),
        metrics.mean_defined(precisions),
        thresholds,
        weights,
    )


HEAD = ("Arm", "Folds", "Documents", "Micro-F1", "Macro-F1", "Micro-F1 at 0.5", "MAP")


def _row(arm: CodedArm) -> list[str]:
    counts = (str(arm.n_folds), f"{len(arm.tuned.document_ids):,}")
    return [arm.name, *counts, *(f"{100 * figure:.1f}" for figure in _table_figures(arm).values())]


def _table_figures(arm: CodedArm) -> dict[str, float]:
    """Return figures in column order, in [0, 1]; `micro_f1` and `macro_f1` at dev's threshold."""
    return {
        "micro_f1": metrics.micro_f1(arm.tuned.gold, arm.tuned.predicted),
        "macro_f1": metrics.macro_f1(arm.tuned.gold, arm.tuned.predicted),
        "micro_f1@0.5": metrics.micro_f1(arm.even.gold, arm.even.predicted),
        "map": arm.precision,
    }


def measured(arms: Sequence[CodedArm]) -> dict[str, ArmFigures]:
    """Return the figures of the table by arm."""
    return {
        arm.name: ArmFigures(len(arm.tuned.document_ids), arm.n_folds, _table_figures(arm))
        for arm in arms
    }


def pair_table(arms: Sequence[CodedArm], against: str) -> str:
    """Return differences from one arm, in points, over the documents that both were judged on."""
    base = next(arm for arm in arms if arm.name == against)
    rows = []
    for arm in arms:
        if arm is base or set(arm.tuned.document_ids) != set(base.tuned.document_ids):
            continue
        found = f1_differences(arm.tuned, base.tuned)
        rows.append([arm.name, *(cell for difference in found for cell in _cells(difference))])
    return markdown(["Arm", "Micro-F1", "95 % interval", "Macro-F1", "95 % interval"], rows)


def _cells(difference: metrics.BootstrapResult) -> tuple[str, str]:
    value, low, high = (
        f"{100 * part:+.1f}"
        for part in (difference.mean_difference, difference.low, difference.high)
    )
    return f"**{value}**" if difference.leaves_zero_out else value, f"{low} … {high}"


def page(arms: Sequence[CodedArm], *, title: str, against: Sequence[str], command: str) -> str:
    """Return all tables, with the command that makes them again."""
    weights = [
        f"{arm.name}: {', '.join(f'{weight:.1f}' for weight in arm.weights)}"
        for arm in arms
        if arm.weights
    ]
    parts = [
        f"# {title}",
        "Documents of all folds are pooled. Thresholds are tuned on the dev documents of each "
        "fold; every gold code counts, also one that a model does not know. Macro-F1 is the mean "
        "over the codes that are gold or predicted somewhere.",
        f"Command: `{command}`",
        markdown(HEAD, [_row(arm) for arm in arms]),
    ]
    if weights:
        shown = "; ".join(weights)
        parts.append(f"A mean of two arms has the first's weight from dev, fold by fold: {shown}.")
    if len(arms) > 1:
        for name in against:
            parts += [f"## Differences from {name}, in points", pair_table(arms, name)]
        parts.append(
            "Paired bootstrap over the pooled documents, 5,000 draws; bold where the interval "
            "leaves zero out."
        )
    return "\n\n".join(part for part in parts if part) + "\n"
