"""Table 2 of Adhikari et al. (2019) from rows: models on Reuters beside the published values.

The published threshold is 0.5 for all, so that stands first; one threshold chosen on dev, and
macro-F1 at both, stand in a table of their own. A row whose training ended at its time limit rather
than by itself is marked and has no difference to the published value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from training.judging.rows import ResultRow
from training.results.published import (
    OURS,
    TABLE_2,
    PublishedRow,
    base_of,
    title_of,
)
from training.results.report import remarks
from training.results.tables import CAPPED, CAPPED_NOTE, RowsByArm, Spread, markdown


def is_capped(rows: Sequence[ResultRow]) -> bool:
    """Return whether the training of any of the rows ended at its time limit."""
    return any(bool(row.facts.get("capped")) for row in rows)


AT_HALF, TUNED = "micro_f1@0.5", "micro_f1"
MACRO_AT_HALF, MACRO_TUNED = "macro_f1@0.5", "macro_f1"
NOTHING = "–"

RowsBySplit = Mapping[str, RowsByArm]


def table_2(rows: RowsBySplit, *, title: str) -> str:
    """Return the whole page: both tables, and remarks on the data.

    Args:
        rows: split -> arm -> rows.
    """
    sections = {
        "Micro-F1 (%) at 0.5, beside the published values": _at_half(rows),
        "One threshold chosen on dev, and macro-F1 (%)": _tuned(rows),
        "Data": "\n".join(f"- {remark}" for remark in remarks(rows.get("test", {}))),
    }
    parts = [f"## {heading}\n\n{text}" for heading, text in sections.items() if text]
    return "\n\n".join([f"# {title}", *parts]) + "\n"


def _at_half(rows: RowsBySplit) -> str:
    header = ["#", "Model", "Val.", "published", "Test", "published", "Test − published"]
    header += ["Seeds", "Epochs", "Minutes"]
    body = []
    for published, arm in _lines(rows):
        number = str(published.number) if published else ""
        mark = f" {CAPPED}" if is_capped(_all_rows(rows, arm)) else ""
        name = f"{title_of(arm)}{mark}"
        values = [
            *(str(_spread(rows, "dev", arm, AT_HALF)), _printed(published, "dev")),
            *(str(_spread(rows, "test", arm, AT_HALF)), _printed(published, "test")),
        ]
        below = _difference(rows, arm, published)
        points = NOTHING if math.isnan(below) else f"{round(below, 1) + 0.0:+.1f}"  # no -0.0
        body.append([number, name, *values, points, *_training(_all_rows(rows, arm))])
    table = markdown(header, body)
    return f"{table}\n\n{CAPPED_NOTE}" if CAPPED in table else table


def _tuned(rows: RowsBySplit) -> str:
    header = ["Model", "Threshold", "Val. micro", "Test micro"]
    header += ["Val. macro", "Test macro", "Val. macro at 0.5", "Test macro at 0.5"]
    body = []
    for _, arm in _lines(rows):
        of = _all_rows(rows, arm)
        if not of:
            continue
        thresholds = Spread.of(row.threshold for row in of if row.threshold is not None)
        shown = NOTHING if math.isnan(thresholds.mean) else f"{thresholds.mean:.2f}"
        cells = [
            str(_spread(rows, split, arm, measure))
            for measure in (TUNED, MACRO_TUNED, MACRO_AT_HALF)
            for split in ("dev", "test")
        ]
        body.append([title_of(arm), shown, *cells])
    return markdown(header, body)


def _lines(rows: RowsBySplit) -> list[tuple[PublishedRow | None, str]]:
    """Return the paper's rows in its order, then the others, each followed by its variants."""
    arms = list(dict.fromkeys(arm for of in rows.values() for arm in of))
    published = {row.arm: row for row in TABLE_2}
    bases = [*published, *(name for name in OURS if name in arms)]
    bases += [base for arm in arms if (base := base_of(arm)) not in bases]
    lines: list[tuple[PublishedRow | None, str]] = []
    for base in dict.fromkeys(bases):
        if base in published or base in arms:
            lines.append((published.get(base), base))
        lines += [(None, arm) for arm in arms if arm != base and base_of(arm) == base]
    return lines


def _difference(rows: RowsBySplit, arm: str, published: PublishedRow | None) -> float:
    if published is None or is_capped(_all_rows(rows, arm)):
        return math.nan
    return 100 * _spread(rows, "test", arm, AT_HALF).mean - published.test


def _printed(published: PublishedRow | None, split: str) -> str:
    if published is None:
        return NOTHING
    value, std = getattr(published, split), getattr(published, f"{split}_std")
    return f"{value:.1f}" if std is None else f"{value:.1f} ± {std:.1f}"


def _training(of: Sequence[ResultRow]) -> list[str]:
    if not of:
        return [NOTHING] * 3
    seeds = {row.facts.get("seed") for row in of}
    planned = Spread.of(_number(row.facts.get("setup", {}).get("epochs")) for row in of).mean
    reached = Spread.of(_number(row.facts.get("epochs")) for row in of).mean
    minutes = Spread.of(_number(row.facts.get("minutes")) for row in of).mean
    return [
        NOTHING if seeds == {None} else str(len(seeds)),
        NOTHING if math.isnan(reached) else f"{_short(reached)} of {_short(planned)}",
        NOTHING if math.isnan(minutes) else f"{minutes:.1f}",
    ]


def _short(number: float) -> str:
    return NOTHING if math.isnan(number) else f"{number:.1f}".removesuffix(".0")


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _spread(rows: RowsBySplit, split: str, arm: str, measure: str) -> Spread:
    return Spread.of(row.mean(measure) for row in rows.get(split, {}).get(arm, ()))


def _all_rows(rows: RowsBySplit, arm: str) -> Sequence[ResultRow]:
    """Return the rows of an arm on test, or, where it was not judged there, on dev."""
    return rows.get("test", {}).get(arm) or rows.get("dev", {}).get(arm) or ()
