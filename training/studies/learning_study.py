"""What learning from decisions brings: documents arrive in the order of their dates, are suggested
for, and are then decided by what was assigned to them.

Everything that takes part was fitted on documents before the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core import metrics
from core.review.hints import TEXTS, TITLES
from core.review.reports.learning import judge_orders
from core.suggest.cold_start.finished import FinishedCandidates
from core.suggest.correction.probabilities import mixed
from core.suggest.ranking.candidates import Candidates
from core.suggest.ranking.ranker import Ranker
from training.config import DataConfig
from training.judging.folders import load_corpus, over
from training.ranking.corrector import PastExamples, StreamedDocument, parted, walk
from training.ranking.fit_ranker import Say, fit_ranker
from training.ranking.indexing import mean_of
from training.results.tables import markdown

Array = npt.NDArray[np.float32]

K = 5
KNOWN_AFTER = 5
"""Documents, after which what was decided is known."""
FEWEST_JUDGED = 5
"""Documents of a period."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A document of a stream as it was suggested for.

    Attributes:
        documents: "titles" or "full texts".
        learned, alone: the first five concepts with learning and without, by position.
        ndcg, ndcg_alone: nDCG@5 of these.
    """

    documents: str
    date: str
    learned: tuple[int, ...]
    alone: tuple[int, ...]
    ndcg: float
    ndcg_alone: float


@dataclass(frozen=True, slots=True)
class Period:
    """A month, or all months of a year, of one kind of documents.

    Attributes:
        ndcg, ndcg_alone: means of nDCG@5 in %.
        low, high: 95 % interval of their difference.
    """

    documents: str
    period: str
    n_documents: int
    ndcg: float
    ndcg_alone: float
    low: float
    high: float


def study(
    bundle: Path, origin: tuple[str, Path], options: DataConfig, corrector: Ranker, *, say: Say
) -> list[Period]:
    """Let dev and then test arrive; returns months and years of titles, then of full texts.

    Args:
        bundle: which has learned from train; it gets a ranker that was fitted on train alone.
        origin: a date, and a bundle of the same recipe that has learned from what was before it.
        corrector: fitted on that origin as well.
    """
    corpus = load_corpus(over(DataConfig(), options))
    before, later = parted(corpus.train, origin[0])
    past = PastExamples.of(mean_of(origin[1]), before, later, "the past")
    say("fitting the ranker")
    ranker = fit_ranker(past.titles, past.texts)
    mean = mean_of(bundle)
    arriving = [*corpus.dev, *corpus.test]
    readings = PastExamples.of(mean, corpus.train, arriving, "dev and test").ranked(ranker)
    candidates = FinishedCandidates(mean.label_space)
    decided = list(
        decide(candidates, readings.stream(candidates, arriving, texts=False), corrector)
    )
    say(f"{len(decided):,} titles have arrived")
    with_texts = decide(candidates, readings.stream(candidates, arriving), corrector)
    decided += [row for row in with_texts if row.documents == TEXTS]
    return list(periods_of(decided))


def decide(
    candidates: FinishedCandidates, stream: Sequence[StreamedDocument], corrector: Ranker
) -> Iterator[Decided]:
    """Yield the documents of a stream, each suggested for with what was decided before it."""
    for number, described, is_known in walk(candidates, stream, step=KNOWN_AFTER):
        document, suggested, decided = stream[number]
        gold = decided.assigned.tolist()
        scores = described.column("model")
        if is_known.n_documents:
            scorer = corrector.scorer(has_text=document.is_full_text)
            scores = mixed(scores, scorer(described.rows), is_known.n_documents)
        learned = _best(described, scores)
        alone = tuple(suggested.positions[:K].tolist())
        kind = TEXTS if document.is_full_text else TITLES
        both = ndcg_of(learned, gold), ndcg_of(alone, gold)
        yield Decided(kind, document.date, learned, alone, *both)


def _best(candidates: Candidates, scores: Array) -> tuple[int, ...]:
    return tuple(candidates.positions[np.argsort(-scores, kind="stable")[:K]].tolist())


def ndcg_of(order: Sequence[int], gold: Sequence[int]) -> float:
    """Return nDCG@5 of the first concepts of a document; NaN without gold."""
    return float(judge_orders([gold], [order])[0][0])


def periods_of(decided: Sequence[Decided]) -> Iterator[Period]:
    """Yield the years, then the months, of titles, then of full texts."""
    for kind in (TITLES, TEXTS):
        rows = [row for row in decided if row.documents == kind]
        for length in (len("2016"), len("2016-01")):
            for period in sorted({row.date[:length] for row in rows}):
                here = [row for row in rows if row.date.startswith(period)]
                if len(here) >= FEWEST_JUDGED:
                    yield _period(kind, period, here)


def _period(kind: str, period: str, rows: Sequence[Decided]) -> Period:
    ndcg = np.array([row.ndcg for row in rows])
    alone = np.array([row.ndcg_alone for row in rows])
    gain = metrics.paired_bootstrap(ndcg, alone)
    return Period(
        kind,
        period,
        len(rows),
        100 * metrics.mean_defined(ndcg),
        100 * metrics.mean_defined(alone),
        100 * gain.low,
        100 * gain.high,
    )


def study_page(periods: Sequence[Period], *, command: str) -> str:
    """Return the study as tables, with the command."""
    parts = [
        "# Learning from decisions",
        "Acts arrive in the order of their dates, are suggested for, and are then decided by the "
        "descriptors that they have; that is known five acts later. nDCG@5 in %. Model, ranker and "
        "correction were fitted on acts before the first of them.",
        f"    {command}",
    ]
    header = ["Period", "Documents", "Model alone", "With learning", "Gain (95 % interval)"]
    for kind in (TITLES, TEXTS):
        rows = [_cells(row) for row in periods if row.documents == kind]
        parts += [f"## {kind.capitalize()}", markdown(header, rows)]
    return "\n\n".join(parts) + "\n"


def _cells(row: Period) -> list[str]:
    gain = f"{row.ndcg - row.ndcg_alone:+.1f} ({row.low:+.1f} to {row.high:+.1f})"
    return [row.period, f"{row.n_documents:,}", f"{row.ndcg_alone:.1f}", f"{row.ndcg:.1f}", gain]
