"""How good suggestions are for a vocabulary that no model has learned, after so many documents."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core import metrics
from core.review.hints import TEXTS, TITLES
from core.suggest.cold_start.suggester import EXPECTED
from core.suggest.ranking.ranker import Ranker
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument, full_texts
from training.judging.folders import JudgedData
from training.ranking.cold_start import STAGES, ColdStarts
from training.ranking.fit_ranker import Say
from training.results.tables import markdown

Array = npt.NDArray[np.float32]

K = 5


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What is found after so many documents.

    Attributes:
        documents: "titles" or "full texts".
        n_decided: documents that it has learned from.
        n_judged: documents that are suggested for.
        ndcg, right: nDCG@5, and how many of the first five are right, on average.
        seconds: of learning.
    """

    documents: str
    n_decided: int
    n_judged: int
    ndcg: float
    right: float
    seconds: float


def curve(data: JudgedData, split: str, ranker: Ranker, *, say: Say) -> Iterator[CurvePoint]:
    """Yield what is found at each stage; all of train are decided in a drawn order."""
    train = data.corpus.train
    starts = ColdStarts.drawn(data.label_space, train)
    judged = judged_documents(data.corpus.split(split))
    for number in STAGES:
        n_decided = min(number, len(train))
        started = time.perf_counter()
        experience = starts.of(starts.decided[:n_decided])
        seconds = time.perf_counter() - started
        for name, documents in judged.items():
            examples = starts.examples(documents, experience)
            scorer = ranker.scorer(has_text=name == TEXTS)
            n_concepts = len(data.label_space.assignable_columns)
            scores = np.zeros((len(documents), n_concepts), dtype=np.float32)
            for row in range(len(documents)):
                here = examples.of(row)
                scores[row, examples.positions[here]] = scorer(examples.rows[here])
            yield _point(name, n_decided, documents, scores, data.label_space, seconds)
            say(f"{name} after {n_decided:,}")


def judged_documents(documents: Sequence[LabelledDocument]) -> dict[str, list[LabelledDocument]]:
    """Return titles, and full texts, of documents that have a title."""
    titled = [row for row in documents if row.document.title]
    return {TITLES: [row.title_alone() for row in titled], TEXTS: full_texts(titled)}


def _point(
    name: str,
    n_decided: int,
    documents: Sequence[LabelledDocument],
    scores: Array,
    label_space: LabelSpace,
    seconds: float,
) -> CurvePoint:
    """Judge scores of the assignable concepts, (n_documents, n_assignable)."""
    gold = label_space.encode_assigned([row.assigned for row in documents])
    return CurvePoint(
        name,
        n_decided,
        len(documents),
        100 * metrics.mean_defined(metrics.ndcg_at_k(gold, scores, K)),
        K * metrics.mean_defined(metrics.precision_at_k(gold, scores, K)),
        seconds,
    )


def study_page(points: Sequence[CurvePoint], *, command: str, split: str) -> str:
    """Return the curves as tables, with the command."""
    parts = [
        "# Suggestions without a model",
        f"EuroVoc as if it were new, judged on {split}. After so many documents of train, in a drawn "
        "order, each with its descriptors; 0: labels in the text alone.",
        f"    {command}",
    ]
    for documents in (TITLES, TEXTS):
        here = [point for point in points if point.documents == documents]
        here = sorted(here, key=lambda point: point.n_decided)
        parts.append(f"## {documents.capitalize()}, {here[0].n_judged:,}")
        rows = [
            ["nDCG@5", *(f"{point.ndcg:.1f}" for point in here)],
            ["right of the first five", *(f"{point.right:.1f}" for point in here)],
        ]
        parts.append(markdown(["", *(f"{point.n_decided:,}" for point in here)], rows))
    return "\n\n".join(parts) + "\n"


def record_expected(points: Sequence[CurvePoint]) -> None:
    """Write what the program says of what is to be expected, by the number of documents."""
    right = {(point.documents, point.n_decided): round(point.right, 3) for point in points}
    stages = sorted({point.n_decided for point in points})
    rows = [[stage, right[TITLES, stage], right[TEXTS, stage]] for stage in stages]
    EXPECTED.write_text(json.dumps(rows) + "\n", "utf-8")
