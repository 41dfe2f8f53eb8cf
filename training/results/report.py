"""All tables of a split as one Markdown page; a table that has no result is left out."""

from __future__ import annotations

from collections.abc import Callable

from training.judging.evaluate import level_metrics
from training.judging.rows import ResultRow
from training.results.area_table import area_table
from training.results.class_table import class_table, task_table
from training.results.tables import (
    RowsByArm,
    cost_table,
    descriptor_table,
    difference_table,
    first_row,
    table_1,
)


def report(rows: RowsByArm, *, against: str, title: str) -> str:
    """All tables of a split as one Markdown page."""
    sections: list[tuple[str, Callable[[], str]]] = [
        ("R-Precision (%) on augmented labels, by depth", lambda: table_1(rows)),
        (
            "R-Precision (%) of branch probabilities, by depth",
            lambda: table_1(rows, "branch_r_precision"),
        ),
        ("R-Precision (%) by depth, full texts", lambda: table_1(rows, subset="full_texts")),
        ("Assigned descriptors (%)", lambda: descriptor_table(rows)),
        ("Classes, cells and areas under the ROC curve (%)", lambda: task_table(rows)),
        ("Areas under the ROC curve (%), by depth", lambda: area_table(rows)),
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
    if said := remarks(rows):
        parts.append("## Data\n\n" + "\n".join(f"- {remark}" for remark in said))
    return "\n\n".join(parts) + "\n"


def remarks(rows: RowsByArm) -> list[str]:
    """What the readers of the corpora say of the splits, each sentence once."""
    said = [remark for of in rows.values() for row in of for remark in row.facts.get("remarks", ())]
    return list(dict.fromkeys(said))


def _headline(row: ResultRow) -> list[str]:
    levels = level_metrics("r_precision", row.depth)
    flat = ["accuracy", "f1_by_document"]
    return [*levels, "r_precision_micro", "r_precision_macro", "ndcg@5", "p@5", "f1@5", *flat]
