"""What an evaluation takes from another split or another reading: threshold, titles alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from training.config import ReadingConfig
from training.corpora.corpus import LabelledDocument, full_texts
from training.judging.evaluate import Evaluation, evaluate
from training.judging.folders import TITLE_ALONE, JudgedData
from training.judging.scores import Scores, tune_threshold


def dev_threshold(dev: Scores, data: JudgedData) -> float | None:
    """Return the threshold of descriptors, tuned on dev.

    None without scores of an assigned head, and where the best scored label is taken.
    """
    if dev.assigned is None or data.single_label:
        return None
    dev = dev.rows([row.document_id for row in data.corpus.dev])
    assert dev.assigned is not None
    return tune_threshold(dev.assigned, [row.assigned for row in data.corpus.dev], data.label_space)


def titled_full_texts(documents: Sequence[LabelledDocument]) -> list[LabelledDocument]:
    """Return full texts whose titles are meaningful without them."""
    return [row for row in full_texts(documents) if row.document.title]


def reads_titles(reading: ReadingConfig) -> bool:
    """Return whether a title alone differs from what is read anyway and is no half of a pair."""
    return reading.mode != "pair" and reading.windows_per_document > 0


def with_title_alone(
    judged: Evaluation,
    scores: Scores,
    documents: Sequence[LabelledDocument],
    data: JudgedData,
) -> Evaluation:
    """Return the evaluation with one more subset: full texts of which only the title was read."""
    alone = evaluate(
        scores,
        titled_full_texts(documents),
        data.label_space,
        depth=judged.depth,
        threshold=judged.threshold,
        single_label=data.single_label,
    )
    means: Mapping[str, Any] = {**judged.means, f"full_texts_{TITLE_ALONE}": alone.means["all"]}
    return replace(judged, means=means)
