"""All figures of a model on one split, as a small JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from core.insights.confusion import Confusion, Pair, confusion
from core.insights.groups import DepthRow, GroupRow, by_branch, by_depth, by_frequency
from core.insights.judged import Judged
from core.insights.record_file import read_record, write_record
from core.insights.reliability import Bin, Curve, reliability

FORMAT = "strata-insights-1"


@dataclass(frozen=True, slots=True)
class Insights:
    """What was measured, and on what.

    Attributes:
        facts: split, n_documents, n_full_texts, n_training_documents, corpus, model, hash,
            calibrated, threshold, command, commit and what else a command notes; "labels" says
            what is judged by branch, frequency and place: "assigned", or "augmented" (with all
            that is broader) where there is no assigned head.
        depth: empty without level heads, as `curves` is without an assigned head.
    """

    facts: Mapping[str, Any]
    depth: tuple[DepthRow, ...] = ()
    branches: tuple[GroupRow, ...] = ()
    frequency: tuple[GroupRow, ...] = ()
    curves: tuple[Curve, ...] = ()
    confusion: Confusion | None = field(default=None)

    def save(self, path: Path) -> None:
        """Write the file, and its folder where there is none."""
        write_record(path, FORMAT, asdict(self))


def insights_of(judged: Judged, facts: Mapping[str, Any], *, depth: int = 6) -> Insights:
    """Measure everything that the scores allow."""
    return Insights(
        facts={
            **facts,
            "labels": "assigned" if judged.judges_assigned else "augmented",
            "threshold": judged.threshold,
            "n_documents": len(judged.assigned_ids),
        },
        depth=by_depth(judged, depth),
        branches=by_branch(judged),
        frequency=by_frequency(judged),
        curves=reliability(judged),
        confusion=confusion(judged),
    )


def load_insights(path: Path) -> Insights:
    """Read what `save` wrote.

    Raises:
        BundleError: the file is missing, damaged or of another format.
    """
    return read_record(
        path,
        FORMAT,
        _insights,
        damaged="holds no insights, or is damaged ({reason}). Make it again with "
        "`python -m training insights`.",
    )


def _insights(record: Mapping[str, Any]) -> Insights:
    return Insights(
        facts=dict(record["facts"]),
        depth=tuple(DepthRow(**row) for row in record["depth"]),
        branches=tuple(GroupRow(**row) for row in record["branches"]),
        frequency=tuple(GroupRow(**row) for row in record["frequency"]),
        curves=tuple(_curve(curve) for curve in record["curves"]),
        confusion=None if record["confusion"] is None else _confusion(record["confusion"]),
    )


def _curve(record: Mapping[str, Any]) -> Curve:
    bins = tuple(Bin(**row) for row in record["bins"])
    return Curve(str(record["name"]), record["error"], bins)


def _confusion(record: Mapping[str, Any]) -> Confusion:
    return Confusion(
        counts=dict(record["counts"]),
        by_level={int(level): dict(counts) for level, counts in record["by_level"].items()},
        pairs=tuple(Pair(**pair) for pair in record["pairs"]),
    )
