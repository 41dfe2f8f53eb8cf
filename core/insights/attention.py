"""What models look at in one text: the attention of [CLS] over its word pieces, as a small file.

The text is an invented one: a file with it may be given away. Source: Wang et al. (2020), Figure 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from core.insights.record_file import read_record, write_record

FORMAT = "strata-attention-1"


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
        write_record(path, FORMAT, asdict(self))


def load_attention(path: Path) -> Attention:
    """Read what `save` wrote.

    Raises:
        BundleError: the file is missing, damaged or of another format.
    """
    return read_record(
        path, FORMAT, _attention, damaged="holds no attention, or is damaged ({reason})."
    )


def _attention(record: Mapping[str, Any]) -> Attention:
    return Attention(tuple(map(_example, record["examples"])), dict(record["facts"]))


def _example(record: Mapping[str, Any]) -> AttentionExample:
    return AttentionExample(str(record["text"]), tuple(map(_attended, record["attended"])))


def _attended(record: Mapping[str, Sequence[Any]]) -> Attended:
    tokens = tuple(map(str, record["tokens"]))
    weights = tuple(map(float, record["weights"]))
    if len(tokens) != len(weights):
        raise ValueError(f"{len(tokens)} tokens have {len(weights)} weights")
    return Attended(str(record["model"]), tokens, weights)
