"""What is measured of a model on one split, as a small JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.boundaries import BUNDLE_FILES, BUNDLE_RECORDS
from core.errors import BundleError
from core.insights.confusion import Confusion, confusion
from core.insights.groups import DepthRow, GroupRow, by_branch, by_depth, by_frequency
from core.insights.judged import Judged
from core.insights.reliability import Curve, reliability

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
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = {"format": FORMAT, **asdict(self)}
        text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")


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
    damaged = (
        "{path} holds no insights, or is damaged ({reason}). Make it again with "
        "`python -m training insights`."
    )
    with (
        BUNDLE_FILES.translated("{path} cannot be read: {reason}.", path=path),
        BUNDLE_RECORDS.translated(damaged, path=path),
    ):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise BundleError(f"{path} is of the format {record['format']}, not {FORMAT}.")
        try:
            return TypeAdapter(Insights).validate_python(record)
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
