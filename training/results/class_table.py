"""Results by class as tables: accuracy, F1 and areas under the ROC curve, and class by class.

Source: Wang et al. (2020), Tables 1 and 2 (F1, precision and recall of patient messages).
"""

from __future__ import annotations

import math

from training.judging.rows import ResultRow
from training.results.tables import RowsByArm, Spread, markdown

MEASURES = {
    "accuracy": "Accuracy",
    "mcc": "MCC",
    "f1": "F1",
    "micro_f1@0.5": "micro-F1 at 0.5",
    "macro_f1@0.5": "macro-F1 at 0.5",
    "cell_accuracy": "Cells at 0.5",
    "roc_auc": "ROC-AUC, micro",
    "roc_auc_macro": "ROC-AUC, macro",
    "roc_auc_levels": "ROC-AUC, levels",
}
"""Measure -> heading; a column that no arm has is left out."""

OF_CLASSES = {"precision": "Precision", "recall": "Recall", "f1": "F1", "roc_auc": "ROC-AUC"}
"""Measure of one class -> heading, as "f1:urgent" in a row."""

MOST_CLASSES = 12
"""A longer list is no table for readers; its figures are in the row files."""


def task_table(rows: RowsByArm) -> str:
    """Accuracy, F1 and areas under the ROC curve ± std over seeds; "" where none was measured."""
    known = [metric for metric in MEASURES if any(_has(row, metric) for row in _all(rows))]
    if not {"accuracy", "cell_accuracy", "roc_auc"} & set(known):
        return ""
    body = [
        [name, *(str(Spread.of(row.mean(metric) for row in of)) for metric in known)]
        for name, of in rows.items()
    ]
    return markdown(["Arm", *(MEASURES[metric] for metric in known)], body)


def class_table(rows: RowsByArm) -> str:
    """Precision, recall, F1 and ROC-AUC of each class ± std over seeds; "" of long lists."""
    body = []
    for name, of in rows.items():
        classes = class_names(of[0])
        for label in classes if len(classes) <= MOST_CLASSES else ():
            spreads = [Spread.of(row.mean(f"{m}:{label}") for row in of) for m in OF_CLASSES]
            body.append([name, label, *map(str, spreads)])
    return markdown(["Arm", "Class", *OF_CLASSES.values()], body)


def class_names(row: ResultRow) -> list[str]:
    """The classes that a row has measures of, in the order of their columns."""
    return [name.removeprefix("f1:") for name in row.means["all"] if name.startswith("f1:")]


def _all(rows: RowsByArm) -> list[ResultRow]:
    return [row for of in rows.values() for row in of]


def _has(row: ResultRow, metric: str) -> bool:
    return not math.isnan(row.mean(metric))
