"""Results as tables: the paper's Table 1, descriptors by subset, differences, and what it cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import tabulate
from tabulate import DataRow, Line, TableFormat

from core import metrics
from training.judging.evaluate import Values, level_metrics
from training.judging.rows import ResultRow

RowsByArm = Mapping[str, Sequence[ResultRow]]

DESCRIPTORS = {
    "ndcg@5": "nDCG@5",
    "p@5": "P@5",
    "f1@5": "F1@5",
    "recall@10": "R@10",
    "r_precision_assigned": "R-Prec.",
    "micro_f1": "micro-F1",
    "macro_f1": "macro-F1",
    "hierarchical_f1": "hier. F1",
}
"""Measure of the assigned head -> heading."""

SUBSETS = {
    "all": "all",
    "titles": "titles only",
    "new_titles": "new titles",
    "repeated_titles": "titles that repeat one",
    "full_texts": "full texts",
    "full_texts_title_alone": "full texts, title alone",
}


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and sample standard deviation over seeds; NaN as the deviation of a single seed."""

    mean: float
    std: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Compute the spread of the values that are not NaN; NaN where there is none."""
        series = pd.Series(list(values), dtype=float)
        return cls(series.mean(), series.std())

    def __str__(self) -> str:
        if math.isnan(self.mean):
            return "–"
        std = "" if math.isnan(self.std) else f" ± {100 * self.std:.1f}"
        return f"{100 * self.mean:.1f}{std}"


def spreads(of: Sequence[ResultRow], metrics: Iterable[str], subset: str = "all") -> list[str]:
    """Return mean ± std of measures over seeds, in per cent; – where one was not measured."""
    return [str(_spread(of, metric, subset)) for metric in metrics]


def table_1(rows: RowsByArm, prefix: str = "r_precision", subset: str = "all") -> str:
    """Return R-Precision ± std by depth, micro and macro, as Table 1 of Manginas et al. (2020)."""
    first = first_row(rows)
    columns = [*level_metrics(prefix, first.depth), f"{prefix}_micro", f"{prefix}_macro"]
    total = sum(first.label_counts)
    counts = [f"{count:,}" for count in (*first.label_counts, total, total)]
    header = ["Depth", *map(str, range(1, first.depth + 1)), "Micro", "Macro"]
    body = [
        [name, *spreads(of, columns, subset)]
        for name, of in rows.items()
        if not math.isnan(_spread(of, columns[-1], subset).mean)
    ]
    return markdown(header, [["#Labels", *counts], *body])


def descriptor_table(rows: RowsByArm) -> str:
    """Return measures of assigned descriptors ± std, titles and full texts apart."""
    body = []
    for subset, title in SUBSETS.items():
        for name, of in rows.items():
            if subset != "all" and of[0].sizes.get(subset) == of[0].sizes["all"]:
                continue
            cells = spreads(of, DESCRIPTORS, subset)
            if set(cells) != {"–"}:
                body.append([name, f"{title} ({of[0].sizes[subset]:,})", *cells])
    return markdown(["Arm", "Documents", *DESCRIPTORS.values()], body)


def difference_table(rows: RowsByArm, against: str, measured: Sequence[str]) -> str:
    """Return the paired bootstrap of every arm against one, seeds averaged by document first."""
    header = ["Arm", "Measure", f"minus {against}", "95 % interval", "p"]
    body = []
    for name in rows:
        for metric in measured if name != against else ():
            result = compare_arms(rows[name], rows[against], metric)
            if result is not None:
                interval = f"{100 * result.low:+.2f} … {100 * result.high:+.2f}"
                difference = f"{100 * result.mean_difference:+.2f}"
                body.append([name, metric, difference, interval, f"{result.p_value:.4f}"])
    return markdown(header, body)


def compare_arms(
    ours: Sequence[ResultRow], theirs: Sequence[ResultRow], metric: str
) -> metrics.BootstrapResult | None:
    """Return the paired bootstrap over documents, averaged over the seeds that both arms have."""
    return compare_pairs(_common_seeds(ours, theirs), metric)


def compare_pairs(
    pairs: Sequence[tuple[ResultRow, ResultRow]], metric: str
) -> metrics.BootstrapResult | None:
    """Return the bootstrap of first minus second of every pair of rows, over documents.

    Rows that judge the same documents, as those of several seeds, are averaged by document first:
    a document counts once. Rows of other documents, as those of folds, stand beside one another.

    Returns:
        None where the measure has no value a document, or the rows of a pair judge different ones.
    """
    sides: dict[str, list[tuple[Values, Values]]] = {}
    for first, second in pairs:
        if first.documents != second.documents:
            return None
        a, b = first.of_documents(metric), second.of_documents(metric)
        if a is not None and b is not None:
            sides.setdefault(first.documents, []).append((a, b))
    if not sides:
        return None
    ours, theirs = np.concatenate([np.mean(of, axis=0) for of in sides.values()], axis=1)
    if not len(ours) or np.isnan(ours - theirs).all():
        return None
    return metrics.paired_bootstrap(ours, theirs)


CAPPED = "†"
CAPPED_NOTE = f"{CAPPED} Training ended at its time limit (`optim.max_minutes`)."


def cost_table(rows: RowsByArm) -> str:
    """Return what every row took, and its commit; rows that their time ended are marked."""
    header = ["Arm", "Seed", "Minutes", "Documents/s", "Documents seen", "Steps", "Commit"]
    keys = ("seed", "minutes", "documents_per_second", "documents_seen", "steps", "commit")
    body = []
    for name, of in rows.items():
        for row in of:
            cells = [_fact(row.facts.get(key)) for key in keys]
            cells[1] += f" {CAPPED}" if row.facts.get("capped") else ""
            body.append([name, *cells])
    table = markdown(header, body)
    return f"{table}\n\n{CAPPED_NOTE}" if CAPPED in table else table


def first_row(rows: RowsByArm) -> ResultRow:
    """Return a row that the others are like: of as many levels and labels."""
    return next(iter(rows.values()))[0]


def _spread(of: Sequence[ResultRow], metric: str, subset: str) -> Spread:
    return Spread.of(row.mean(metric, subset) for row in of)


def _common_seeds(
    ours: Sequence[ResultRow], theirs: Sequence[ResultRow]
) -> list[tuple[ResultRow, ResultRow]]:
    """Return rows of one seed beside each other; a row without a seed stands beside any."""
    by_seed = {row.facts.get("seed"): row for row in theirs}
    common = [
        (row, by_seed[row.facts.get("seed")]) for row in ours if row.facts.get("seed") in by_seed
    ]
    return common or [(ours[0], theirs[0])]


def _fact(value: object) -> str:
    if isinstance(value, bool) or value is None or value == "":
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


tabulate.MIN_PADDING = 0  # A column is as wide as its longest cell, the heading among them.
_PIPES = TableFormat(
    lineabove=None,
    linebelowheader=Line("| ", "-", " | ", " |"),
    linebetweenrows=None,
    linebelow=None,
    headerrow=DataRow("| ", " | ", " |"),
    datarow=DataRow("| ", " | ", " |"),
    padding=0,
    with_header_hide=None,
)


def markdown(header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Return a table with columns of even width; "" where it would have no result."""
    if not body or (len(body) == 1 and body[0][0] == "#Labels"):
        return ""
    return str(tabulate.tabulate(body, header, _PIPES, disable_numparse=True))
