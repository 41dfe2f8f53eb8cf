"""How well classes are distinguished: of one label a document, or of a few labels each at 0.5.

What a task with a flat list of labels is judged by, beside the ranking measures. Scores by label
are kept for lists that a person can read; areas under the ROC curve are measured for all, of the
assigned head and of every level.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from core import metrics
from core.vocabulary.labels import LabelSpace

Values = npt.NDArray[np.float64]
Matrix = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

CELL_THRESHOLD = 0.5
"""From which probability a label counts as predicted: that of the published figures."""

MOST_LABELS = 200
"""Longer lists have no measures by label: nobody reads them, and a result row stays small."""

POSITIVE = "1"
"""The label that precision, recall and F1 are of, where there are two: as in MRPC and QQP."""


@dataclass(frozen=True)
class ClassMeasures:
    """Gold labels and scores of the assigned head, both (n_documents, n_labels).

    Attributes:
        label_ids: by column.
        single_label: whether every document has one label, so that the best scored is predicted.
    """

    gold: sparse.csr_matrix
    scores: Matrix
    label_ids: tuple[str, ...]
    single_label: bool

    @classmethod
    def of(
        cls, matrix: Matrix, gold: sparse.csr_matrix, label_space: LabelSpace, *, single_label: bool
    ) -> ClassMeasures:
        """Build from scores and gold labels in all label-space columns; assignable ones count."""
        columns = np.flatnonzero(label_space.assignable)
        ids = tuple(label_space.concept_ids[column] for column in columns)
        return cls(gold[:, columns].tocsr(), matrix[:, columns], ids, single_label)

    @cached_property
    def classes(self) -> tuple[Matrix, Matrix]:
        """Return gold and predicted class of each document; no gold class without a label."""
        labelled = np.diff(self.gold.indptr) > 0
        gold = np.where(labelled, np.asarray(self.gold.argmax(axis=1)).ravel(), metrics.NO_CLASS)
        return gold, self.scores.argmax(axis=1)

    def values(self) -> dict[str, Values]:
        """Return values by document: accuracy of its class, or F1 and counts of labels at 0.5."""
        if self.single_label:
            return {"accuracy": metrics.correct(*self.classes)}
        if len(self.label_ids) > MOST_LABELS:
            return {}
        return {
            "f1_by_document": metrics.f1_by_document(self.gold, self.scores, CELL_THRESHOLD),
            "cell_accuracy": metrics.cell_accuracy(self.gold, self.scores, CELL_THRESHOLD),
        }

    def means(self, mask: Mask) -> dict[str, float]:
        """Return the measures over documents together; NaN where none of them counts."""
        gold, scores = self.gold[np.flatnonzero(mask)], self.scores[mask]
        values = {
            "roc_auc": metrics.micro_roc_auc(gold, scores),
            "roc_auc_macro": metrics.macro_roc_auc(gold, scores),
        }
        if self.single_label:
            return values | self._of_classes(mask)
        if len(self.label_ids) <= MOST_LABELS:
            values["micro_f1@0.5"] = metrics.micro_f1(gold, scores, CELL_THRESHOLD)
            values["macro_f1@0.5"] = metrics.macro_f1(gold, scores, CELL_THRESHOLD)
        return values

    def by_label(self) -> dict[str, float]:
        """Return precision, recall, F1 and ROC-AUC of each label, such as "f1:urgent"."""
        if len(self.label_ids) > MOST_LABELS:
            return {}
        measured = {**self._class_scores(np.ones(self.gold.shape[0], dtype=bool))._asdict()}
        measured["roc_auc"] = metrics.roc_auc_by_label(self.gold, self.scores)
        return {
            f"{name}:{label}": float(value)
            for name, values in measured.items()
            for label, value in zip(self.label_ids, values, strict=True)
        }

    def _of_classes(self, mask: Mask) -> dict[str, float]:
        gold, chosen = self.classes[0][mask], self.classes[1][mask]
        scores = self._class_scores(mask)
        micro = metrics.mean_defined(metrics.correct(gold, chosen))
        measures = {
            "mcc": metrics.matthews(gold, chosen, len(self.label_ids)),
            # Each document has one label and gets one, so both kinds of errors are as many.
            "micro_f1": micro,
            "macro_f1": metrics.mean_defined(scores.f1),
        }
        for name, values in scores._asdict().items():
            measures[name] = self._headline(values)
        return measures

    def _headline(self, values: Values) -> float:
        if len(self.label_ids) == 2 and POSITIVE in self.label_ids:
            return float(values[self.label_ids.index(POSITIVE)])
        return metrics.mean_defined(values)

    def _class_scores(self, mask: Mask) -> metrics.ClassScores:
        if self.single_label:
            gold, chosen = self.classes
            return metrics.scores_by_class(gold[mask], chosen[mask], len(self.label_ids))
        rows = np.flatnonzero(mask)
        return metrics.scores_by_label(self.gold[rows], self.scores[rows], CELL_THRESHOLD)


def level_areas(
    gold: sparse.csr_matrix, scores: Matrix, label_space: LabelSpace, *, depth: int
) -> dict[str, float]:
    """Return ROC-AUC (micro) of the level heads on augmented labels, by level and over all.

    Args:
        gold, scores: in all columns of the label space.
    """
    areas = {
        f"roc_auc@{level}": metrics.micro_roc_auc(gold[:, columns], scores[:, columns])
        for level in range(1, depth + 1)
        if len(columns := label_space.level_columns(level))
    }
    learned = np.flatnonzero(label_space.levels <= depth)
    areas["roc_auc_levels"] = metrics.micro_roc_auc(gold[:, learned], scores[:, learned])
    return areas
