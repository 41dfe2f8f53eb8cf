"""All tables of a split as one Markdown page: tasks, classes, differences, cost; empty ones are left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from training.judging.evaluate import FIRST, SHOWN, level_metrics
from training.judging.rows import ResultRow
from training.results.tables import (
    SUBSETS,
    RowsByArm,
    cost_table,
    descriptor_table,
    difference_table,
    first_row,
    markdown,
    spreads,
    table_1,
)

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

KINDS_OF_DOCUMENTS = ("titles", "full_texts")

MOST_CLASSES = 12
"""A longer list is no table for readers; its figures are in the row files."""


def task_table(rows: RowsByArm) -> str:
    """Return accuracy, F1 and ROC-AUC ± std over seeds; "" where none was measured."""
    metrics_shown = [metric for metric in MEASURES if any(_has(row, metric) for row in _all(rows))]
    if not {"accuracy", "cell_accuracy", "roc_auc"} & set(metrics_shown):
        return ""
    body = [[name, *spreads(of, metrics_shown)] for name, of in rows.items()]
    return markdown(["Arm", *(MEASURES[metric] for metric in metrics_shown)], body)


def class_table(rows: RowsByArm) -> str:
    """Return precision, recall, F1 and ROC-AUC of each class ± std over seeds; "" of long lists."""
    body = []
    for name, of in rows.items():
        classes = class_names(of[0])
        body += [
            [name, label, *spreads(of, [f"{metric}:{label}" for metric in OF_CLASSES])]
            for label in (classes if len(classes) <= MOST_CLASSES else ())
        ]
    return markdown(["Arm", "Class", *OF_CLASSES.values()], body)


def class_names(row: ResultRow) -> list[str]:
    """Return the classes that a row has measures of, in the order of their columns."""
    return [name.removeprefix("f1:") for name in row.means["all"] if name.startswith("f1:")]


def _all(rows: RowsByArm) -> list[ResultRow]:
    return [row for of in rows.values() for row in of]


def _has(row: ResultRow, metric: str) -> bool:
    return not math.isnan(row.mean(metric))


FREQUENCIES = {
    f"recall@{FIRST}:frequent": "over 50 training documents",
    f"recall@{FIRST}:few": "10 to 50",
    f"recall@{FIRST}:rare": "1 to 9",
    f"recall@{FIRST}:unseen": "none",
}
"""Share of the concepts that were assigned so often in training -> heading."""
CALIBRATION = {
    f"calibration_error@{SHOWN}": "error",
    f"calibration_error@{SHOWN}:chance": "of perfect probabilities",
}
"""How far probabilities are from the shares that were assigned, and what chance gives -> heading."""


def _by_documents(rows: RowsByArm, metrics: Mapping[str, str]) -> str:
    """Return a table with a row for titles and one for full texts of each arm; "" where none of the
    measures is there.

    Args:
        metrics: name -> heading.
    """
    body = [
        [name, SUBSETS[subset], *spreads(of, metrics, subset)]
        for subset in KINDS_OF_DOCUMENTS
        for name, of in rows.items()
        if any(metric in of[0].means.get(subset, {}) for metric in metrics)
    ]
    return markdown(["Arm", "Documents", *metrics.values()], body)


def report(rows: RowsByArm, *, against: str, title: str) -> str:
    """Return all tables of a split as one Markdown page."""
    sections: list[tuple[str, Callable[[], str]]] = [
        ("R-Precision (%) on augmented labels, by depth", lambda: table_1(rows)),
        (
            "R-Precision (%) of branch probabilities, by depth",
            lambda: table_1(rows, "branch_r_precision"),
        ),
        ("R-Precision (%) by depth, full texts", lambda: table_1(rows, subset="full_texts")),
        ("Assigned descriptors (%)", lambda: descriptor_table(rows)),
        (
            f"Assigned descriptors among the first {FIRST} (%), by their training documents",
            lambda: _by_documents(rows, FREQUENCIES),
        ),
        (
            f"Calibration error of the first {SHOWN} (points), 15 bins of equally many",
            lambda: _by_documents(rows, CALIBRATION),
        ),
        ("Classes, cells and areas under the ROC curve (%)", lambda: task_table(rows)),
        ("Class by class (%)", lambda: class_table(rows)),
        (
            f"Differences from {against} (points), paired bootstrap over documents",
            lambda: difference_table(rows, against, _headline(first_row(rows))),
        ),
        ("Cost", lambda: cost_table(rows)),
    ]
    parts = [f"# {title}"]
    for heading, table in sections:
        text = table()
        if text:
            parts.append(f"## {heading}\n\n{text}")
    if lines := remarks(rows):
        parts.append("## Data\n\n" + "\n".join(f"- {remark}" for remark in lines))
    return "\n\n".join(parts) + "\n"


def remarks(rows: RowsByArm) -> list[str]:
    """Return the remarks of corpus readers on the splits, each sentence once, and on the arms."""
    remark_texts = [
        remark for of in rows.values() for row in of for remark in row.facts.get("remarks", ())
    ]
    return [*dict.fromkeys(remark_texts), *_mixed_formats(rows)]


def _mixed_formats(rows: RowsByArm) -> Iterator[str]:
    for arm, of in rows.items():
        formats = sorted({str(row.facts["dtype"]) for row in of if row.facts.get("dtype")})
        if len(formats) > 1:
            yield (
                f"The seeds of the arm {arm} were trained in different number formats "
                f"({', '.join(formats)}): their spread is also that of the formats."
            )


def _headline(row: ResultRow) -> list[str]:
    levels = level_metrics("r_precision", row.depth)
    flat = ["accuracy", "f1_by_document"]
    return [*levels, "r_precision_micro", "r_precision_macro", "ndcg@5", "p@5", "f1@5", *flat]
