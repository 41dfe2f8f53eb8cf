"""Areas under the ROC curve by depth, beside the ranking measures that they hide."""

from __future__ import annotations

from training.judging.rows import ResultRow
from training.results.tables import RowsByArm, Spread, first_row, markdown

NOTE = """\
What an area hides: it is the chance that a gold label scores above one that is not, and of thousands
of labels nearly all are easy to tell from the few that are gold. So an encoder comes out near 100
at every depth however good its first ranks are, and a model that gives most labels exactly nothing,
as a tree of classifiers does, comes out lower though its first ranks are as good. Choose by nDCG@5
or R-Precision, which count what a person reads; use areas where labels are few."""


def area_table(rows: RowsByArm) -> str:
    """ROC-AUC ± std of the level heads at each depth and of what is assigned; "" without levels."""
    depth = first_row(rows).depth
    areas = {f"roc_auc@{level}": str(level) for level in range(1, depth + 1)}
    columns = {
        **areas,
        "roc_auc_levels": "Levels",
        "r_precision_micro": "R-Prec., levels",
        "roc_auc": "Assigned, micro",
        "roc_auc_macro": "Assigned, macro",
        "ndcg@5": "nDCG@5",
    }
    body = [
        [name, *(str(Spread.of(row.mean(metric) for row in of)) for metric in columns)]
        for name, of in rows.items()
        if _has_levels(of[0])
    ]
    return f"{table}\n\n{NOTE}" if (table := markdown(["Arm", *columns.values()], body)) else ""


def _has_levels(row: ResultRow) -> bool:
    return row.depth > 1 and "roc_auc_levels" in row.means["all"]
