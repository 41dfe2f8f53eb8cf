"""What is measured of a model, as small JSON files: all figures on one split, and its attention.

The text of an attention is an invented one: a file with it may be given away. Source: Wang et al.
(2020), Figure 2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.boundaries import BUNDLE_FILES, BUNDLE_RECORDS
from core.errors import BundleError
from core.insights.confusion import Confusion, confusion
from core.insights.groups import DepthRow, GroupRow, by_branch, by_depth, by_frequency
from core.insights.judged import Judged
from core.insights.reliability import Curve, reliability

Record = TypeVar("Record")

INSIGHTS_FORMAT, ATTENTION_FORMAT = "strata-insights-1", "strata-attention-1"


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
        _write(path, INSIGHTS_FORMAT, asdict(self))


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
    return _read(
        path,
        INSIGHTS_FORMAT,
        Insights,
        damaged="holds no insights, or is damaged ({reason}). Make it again with "
        "`python -m training insights`.",
    )


@dataclass(frozen=True, slots=True)
class Attended:
    """What one model looks at in one text.

    Attributes:
        model: what to call it, such as "with label embeddings".
        tokens: word pieces, [CLS] and [SEP] among them.
        weights: attention of [CLS] in the last layer, averaged over heads, one a token; their sum
            is 1.
    """

    model: str
    tokens: tuple[str, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.tokens) != len(self.weights):
            raise ValueError(f"{len(self.tokens)} tokens have {len(self.weights)} weights")


@dataclass(frozen=True, slots=True)
class AttentionExample:
    """One text, and how each model reads it."""

    text: str
    attended: tuple[Attended, ...]


@dataclass(frozen=True, slots=True)
class Attention:
    """Examples, and how they were made.

    Attributes:
        facts: command, layer, query, and what else there is to say.
    """

    examples: tuple[AttentionExample, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write the file, and its folder where there is none."""
        _write(path, ATTENTION_FORMAT, asdict(self))


def load_attention(path: Path) -> Attention:
    """Read what `save` wrote.

    Raises:
        BundleError: the file is missing, damaged or of another format.
    """
    return _read(
        path, ATTENTION_FORMAT, Attention, damaged="holds no attention, or is damaged ({reason})."
    )


def _write(path: Path, format_name: str, record: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {"format": format_name, **record}
    text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _read(path: Path, format_name: str, kind: type[Record], *, damaged: str) -> Record:
    """Read what `_write` wrote.

    Args:
        damaged: what to say of a file that is none of this format; `{reason}` stands for why.
    """
    with (
        BUNDLE_FILES.translated("{path} cannot be read: {reason}.", path=path),
        BUNDLE_RECORDS.translated(f"{{path}} {damaged}", path=path),
    ):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != format_name:
            raise BundleError(f"{path} is of the format {record['format']}, not {format_name}.")
        try:
            return TypeAdapter(kind).validate_python(record)
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
