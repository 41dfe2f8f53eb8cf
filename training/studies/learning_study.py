"""What learning from decisions brings: documents arrive in the order of their dates, are suggested
for, and are then decided by what was assigned to them.

Everything that takes part was fitted on documents before the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core import metrics
from core.review.hints import TEXTS, TITLES
from core.review.reports.learning import LAST
from core.suggest.cold_start.candidates import ColdStartCandidates
from core.suggest.correction.candidates import CorrectionCandidates
from core.suggest.ranking.ranker import Ranker
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument
from training.judging.folders import load_corpus, over
from training.judging.recorded import write_study
from training.ranking.corrector import PastExamples, Readings, Stream, parted
from training.ranking.fit_ranker import Say, fit_ranker
from training.ranking.indexing import mean_of
from training.results.tables import markdown
from training.studies.learning_stream import (
    BATCH,
    N_BATCHES,
    ORDERS,
    Decided,
    K,
    decide,
    guard_trips,
    in_batches,
    ndcg_of,
    poisoned,
)


@dataclass(frozen=True, slots=True)
class Period:
    """A month, or all months of a year, of one kind of documents.

    Attributes:
        ndcg, ndcg_alone: means of nDCG@5 in %.
        low, high: 95 % interval of their difference.
        retrained: that of the model that was trained again before the period; None where none was.
    """

    documents: str
    period: str
    n_documents: int
    ndcg: float
    ndcg_alone: float
    low: float
    high: float
    retrained: float | None = None


# ---------------------------------------------------------------------- the study


@dataclass(frozen=True, slots=True)
class Poison:
    """Decisions at random, and what the guard makes of them.

    Attributes:
        what: which documents are decided at random.
        trips: after how many documents learning is switched off; None where it never is.
        ndcg, ndcg_alone: nDCG@5 in % by what was really assigned, with learning that nobody
            switches off, and of the model alone.
    """

    what: str
    trips: int | None
    ndcg: float
    ndcg_alone: float


@dataclass(frozen=True, slots=True)
class BatchOrder:
    """An order in which the documents of a batch are decided.

    Attributes:
        ndcg: of all documents, nDCG@5 in %, each suggested for with what was decided before it.
    """

    order: str
    ndcg: float


@dataclass(frozen=True)
class LearningStudy:
    """What was found.

    Attributes:
        periods: months and years of titles, then of full texts.
    """

    periods: Sequence[Period]
    poison: Sequence[Poison]
    orders: Sequence[BatchOrder]


FEWEST_JUDGED = 5  # documents of a period
N_POISONED = 1_000
POISONS: Mapping[str, Callable[[int], bool]] = {
    "none": lambda _: False,
    "every second document": lambda number: number % 2 == 0,
    "the first 300 documents": lambda number: number < 300,
    "all documents": lambda _: True,
}


def study(
    bundle: Path,
    origin: tuple[str, Path],
    options: DataConfig,
    corrector: Ranker,
    *,
    retrained: Path | None = None,
    say: Say,
) -> LearningStudy:
    """Let dev and then test arrive.

    Args:
        bundle: which has learned from train; it gets a ranker that was fitted on train alone.
        origin: a date, and a bundle of the same recipe that has learned from what was before it.
        corrector: fitted on that origin as well.
        retrained: a bundle of the same recipe that has learned from dev, too.
    """
    corpus = load_corpus(over(DataConfig(), options))
    before, later = parted(corpus.train, origin[0])
    past = PastExamples.of(mean_of(origin[1]), before, later, "the past")
    say("fitting the ranker")
    ranker = fit_ranker(past.titles, past.texts)
    mean = mean_of(bundle)
    arriving = [*corpus.dev, *corpus.test]
    readings = PastExamples.of(mean, corpus.train, arriving, "dev and test").ranked(ranker)
    candidates = CorrectionCandidates(ColdStartCandidates(mean.label_space))
    titles = readings.of_titles(candidates, arriving)
    decided = list(decide(candidates, titles, corrector))
    say(f"{len(decided):,} titles have arrived")
    mixed_stream = readings.as_they_are(candidates, arriving)
    with_texts = decide(candidates, mixed_stream, corrector)
    decided += [row for row in with_texts if row.documents == TEXTS]
    again: dict[str, dict[str, float]] = {}
    if retrained is not None:
        learned = [*corpus.train, *corpus.dev]
        found = PastExamples.of(mean_of(retrained), learned, corpus.test, "test, trained again")
        again = _retrained(found.ranked(ranker), candidates, corpus.test)
    short = titles.ordered(range(min(N_POISONED, len(titles))))
    poison = [
        _poison(candidates, short, corrector, what, is_random)
        for what, is_random in POISONS.items()
    ]
    orders = [
        BatchOrder(name, in_batches(candidates, titles, corrector, order))
        for name, order in ORDERS.items()
    ]
    return LearningStudy(list(_periods(decided, again)), poison, orders)


def _retrained(
    readings: Readings, candidates: CorrectionCandidates, documents: Sequence[LabelledDocument]
) -> dict[str, dict[str, float]]:
    """Return nDCG@5 of another model's suggestions, by kind of document and id."""
    streams = {
        TITLES: readings.of_titles(candidates, documents),
        TEXTS: readings.as_they_are(candidates, documents, texts_only=True),
    }
    return {
        kind: {
            row.document_id: ndcg_of(found.positions[:K].tolist(), gold.tolist())
            for row, found, gold in zip(
                stream.documents, stream.suggested, stream.gold, strict=True
            )
        }
        for kind, stream in streams.items()
    }


def _poison(
    candidates: CorrectionCandidates,
    stream: Stream,
    corrector: Ranker,
    what: str,
    is_random: Callable[[int], bool],
) -> Poison:
    decided = list(decide(candidates, poisoned(stream, is_random), corrector))
    gold = [of_document.tolist() for of_document in stream.gold]
    both = (
        [ndcg_of(row.learned, right) for row, right in zip(decided, gold, strict=True)],
        [ndcg_of(row.alone, right) for row, right in zip(decided, gold, strict=True)],
    )
    ndcg, ndcg_alone = (100 * metrics.mean_defined(np.array(values)) for values in both)
    return Poison(what, guard_trips(decided), ndcg, ndcg_alone)


def _periods(
    decided: Sequence[Decided], again: Mapping[str, Mapping[str, float]]
) -> Iterator[Period]:
    for kind in (TITLES, TEXTS):
        rows = [row for row in decided if row.documents == kind]
        for length in (len("2016"), len("2016-01")):
            for period in sorted({row.date[:length] for row in rows}):
                here = [row for row in rows if row.date.startswith(period)]
                if len(here) >= FEWEST_JUDGED:
                    yield _period(kind, period, here, again.get(kind, {}))


def _period(kind: str, period: str, rows: Sequence[Decided], again: Mapping[str, float]) -> Period:
    ndcg = np.array([row.ndcg for row in rows])
    alone = np.array([row.ndcg_alone for row in rows])
    found = metrics.paired_bootstrap(ndcg, alone)
    known = [again[row.document_id] for row in rows if row.document_id in again]
    return Period(
        kind,
        period,
        len(rows),
        100 * metrics.mean_defined(ndcg),
        100 * metrics.mean_defined(alone),
        100 * found.low,
        100 * found.high,
        100 * metrics.mean_defined(np.array(known)) if len(known) == len(rows) else None,
    )


# ---------------------------------------------------------------------- the page


def study_page(found: LearningStudy, *, command: str) -> str:
    """Return what was found as tables, with the command."""
    parts = [
        "# Learning from decisions",
        "Acts arrive in the order of their dates, are suggested for, and are then decided by the "
        "descriptors that they have; that is known five acts later. nDCG@5 in %. Model, ranker and correction were fitted on acts "
        "up to 2015. *Trained again*: a model of the same recipe that has learned from 2016 as well.",
        f"    {command}",
    ]
    for kind in (TITLES, TEXTS):
        rows = [row for row in found.periods if row.documents == kind]
        parts += [f"## {kind.capitalize()}", _table(rows)]
    parts += [
        "## Decisions at random",
        f"The first {N_POISONED:,} titles, some of which are decided at random: as many concepts as "
        "were assigned, drawn from what was suggested; the rest of the first twenty is rejected. "
        "nDCG@5 by what was really assigned, with learning that nobody switches off. The guard looks "
        f"at the last {LAST} decisions, whether right or not.",
        _poison_table(found.poison),
        "## The order of a batch",
        f"The first {N_BATCHES} batches of {BATCH} titles, each begun without anything learned.",
        markdown(["Order", "nDCG@5"], [[row.order, f"{row.ndcg:.1f}"] for row in found.orders]),
    ]
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[Period]) -> str:
    header = ["Period", "Documents", "Model alone", "With learning", "Gain (95 % interval)"]
    body = []
    for row in rows:
        gain = f"{row.ndcg - row.ndcg_alone:+.1f} ({row.low:+.1f} to {row.high:+.1f})"
        again = "" if row.retrained is None else f"{row.retrained:.1f}"
        means = [f"{row.ndcg_alone:.1f}", f"{row.ndcg:.1f}"]
        body.append([row.period, f"{row.n_documents:,}", *means, gain, again])
    return markdown([*header, "Trained again"], body)


def _poison_table(rows: Sequence[Poison]) -> str:
    header = ["Decided at random", "Switched off after", "With learning", "Model alone"]
    body = []
    for row in rows:
        after = "never" if row.trips is None else f"{row.trips:,}"
        body.append([row.what, after, f"{row.ndcg:.1f}", f"{row.ndcg_alone:.1f}"])
    return markdown(header, body)


def save_study(folder: Path, found: LearningStudy, *, command: str) -> None:
    """Write what was found, and the page, into a folder."""
    points = [*found.periods, *found.poison, *found.orders]
    write_study(folder, study_page(found, command=command), points)
