"""What a bundle is good at and where it errs, as a small file beside it, which Insights shows.

It is judged as it is shipped, on its joined, fused and calibrated probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from core.insights.judged import Judged
from core.insights.report import insights_of
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument, evenly, full_texts
from training.judging.judge import dev_threshold
from training.judging.recorded import commit, named_data, typed_command
from training.judging.scores import Scores
from training.judging.scoring import bundle_scores
from training.shipping.shipped import load_bundle_data, require_known

FOLDER = "insights"


@dataclass(frozen=True, slots=True)
class InsightsScope:
    """What is to be judged: a split, or only so many of its documents, evenly spread over it."""

    split: str = "dev"
    n_documents: int = 0
    depth: int = 6


def write_insights(folder: Path, options: DataConfig, wanted: InsightsScope) -> Path:
    """Measure a bundle, and write the file into a folder of its own in it; documents are read twice.

    Args:
        options: data that the command line names, over what the bundle was made from.
    """
    suggester = load_suggester(folder)
    data = load_bundle_data(folder, options, suggester.label_space)
    corpus, space = data.corpus, data.label_space
    documents = evenly(corpus.split(wanted.split), wanted.n_documents)
    require_known(folder, space, documents)
    scores, uncalibrated = scores_both_ways(suggester, documents)
    is_dev = wanted.split == "dev" and len(documents) == len(corpus.dev)
    dev = scores if is_dev else bundle_scores(suggester, corpus.dev)
    judged = Judged(
        space,
        [row.assigned for row in documents],
        [row.assigned for row in corpus.train],
        threshold=dev_threshold(dev, data),  # as in every evaluation
        uncalibrated=uncalibrated,
        **scores.matrices(),
    )
    facts = {
        "model": suggester.name,
        "hash": suggester.bundle_hash,
        "calibrated": True,
        "split": wanted.split,
        "corpus": corpus.name,
        "n_full_texts": len(full_texts(documents)),
        "n_of_split": len(corpus.split(wanted.split)),
        "n_training_documents": len(corpus.train),
        "vocabulary": space.hierarchy.vocabulary_id,
        "command": command(folder, options, wanted),
        "commit": commit(),
    }
    path = folder / FOLDER / f"insights-{wanted.split}.json"
    insights_of(judged, facts, depth=wanted.depth).save(path)
    return path


def command(folder: Path, options: DataConfig, wanted: InsightsScope) -> str:
    """Return the command that makes the file, places outside the project by their last part."""
    return typed_command(
        "insights",
        folder,
        **named_data(options),
        split=wanted.split,
        documents=wanted.n_documents or None,
        depth=None if wanted.depth == InsightsScope().depth else wanted.depth,
    )


def scores_both_ways(
    suggester: LabelSuggester, documents: Sequence[LabelledDocument]
) -> tuple[Scores, npt.NDArray[Any]]:
    """Return the suggester's scores, and what is assigned before calibration.

    Without calibration means every logit and margin at its word, σ(logit), fused with the same
    weights; the second matrix has the shape of the others.
    """
    raw = bundle_scores(suggester.uncalibrated(), documents).assigned
    assert raw is not None
    return bundle_scores(suggester, documents), raw
