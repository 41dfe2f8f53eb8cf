"""Documents that arrive, are suggested for and then decided: rightly or at random, in some order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core import metrics
from core.review.hints import TEXTS, TITLES
from core.review.reports.learning import FEWEST, LAST, JudgedOrder, effect_of, judge_orders
from core.serving.learning import CHECKED_EVERY
from core.suggest.correction.candidates import FEATURES, CorrectionCandidates
from core.suggest.correction.suggester import mixed
from core.suggest.ranking.features import Candidates
from core.suggest.ranking.ranker import Ranker
from training.ranking.corrector import Stream, walk

Array = npt.NDArray[np.float32]

K = 5
MODEL = FEATURES.index("model")
KNOWN_AFTER = 5
"""Documents, after which what was decided is known."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A document of a stream as it was suggested for, with learning and without.

    Attributes:
        documents: "titles" or "full texts".
        date: of the document.
        learned, alone: the first five concepts, by position.
        ndcg, ndcg_alone: nDCG@5.
        gold: what was decided on it.
        expected: how many of the first five the model takes to be right.
    """

    document_id: str
    documents: str
    date: str
    learned: tuple[int, ...]
    alone: tuple[int, ...]
    ndcg: float
    ndcg_alone: float
    gold: tuple[int, ...]
    expected: float = 0.0


def decide(
    candidates: CorrectionCandidates, stream: Stream, corrector: Ranker
) -> Iterator[Decided]:
    """Yield the documents of a stream, each suggested for with what was decided before it."""
    for number, found, known in walk(candidates, stream, step=KNOWN_AFTER):
        document = stream.documents[number]
        scorer = corrector.scorer(has_text=document.is_full_text)
        scores = found.rows[:, MODEL]
        if known.n_documents:
            scores = mixed(found.rows, scorer(found.rows), known.n_documents)
        learned, alone = (
            _best(found, scores),
            tuple(stream.suggested[number].positions[:K].tolist()),
        )
        gold = tuple(stream.gold[number].tolist())
        yield Decided(
            document.document_id,
            TEXTS if document.is_full_text else TITLES,
            document.date,
            learned,
            alone,
            ndcg_of(learned, gold),
            ndcg_of(alone, gold),
            gold,
            float(stream.suggested[number].chances[:K].sum()),
        )


def _best(found: Candidates, scores: Array) -> tuple[int, ...]:
    return tuple(found.positions[np.argsort(-scores, kind="stable")[:K]].tolist())


def ndcg_of(order: Sequence[int], gold: Sequence[int]) -> float:
    """Return nDCG@5 of the first concepts of a document; NaN without gold."""
    return float(judge_orders([gold], [order])[0][0])


# ---------------------------------------------------------------------- poison


def guard_trips(decided: Sequence[Decided]) -> int | None:
    """Return after how many documents the guard switches learning off; None where it never does."""
    for end in range(FEWEST, len(decided) + 1, CHECKED_EVERY):
        judged = [_judged(row) for row in decided[max(end - LAST, 0) : end] if row.gold]
        effect = effect_of(judged)
        if effect.is_worse or effect.is_contradicted:
            return end
    return None


def _judged(row: Decided) -> JudgedOrder:
    gold, learned, alone = ([str(n) for n in part] for part in (row.gold, row.learned, row.alone))
    return JudgedOrder(gold, learned, alone, row.expected)


def poisoned(stream: Stream, is_random: Callable[[int], bool]) -> Stream:
    """Return a stream in which some documents are decided at random.

    They get as many concepts as before, drawn from what was suggested for them, and the rest of
    the first twenty suggestions is rejected.
    """
    generator = np.random.default_rng(0)
    gold, said = list(stream.gold), list(stream.said)
    for number in filter(is_random, range(len(stream))):
        shown = stream.suggested[number].positions
        n_drawn = min(len(gold[number]), len(shown))
        drawn = np.sort(generator.choice(shown, n_drawn, replace=False)).astype(np.int32)
        rejected = np.setdiff1d(shown[:20], drawn).astype(np.int32)
        gold[number] = drawn
        said[number] = replace(said[number], assigned=drawn, rejected=rejected)
    return replace(stream, gold=gold, said=said)


# ---------------------------------------------------------------------- the order of a batch

BATCH, N_BATCHES = 500, 4


def _sure(stream: Stream) -> Array:
    """Return how right the model takes its first suggestions to be, (n_documents,)."""
    return np.array([found.chances[:K].mean() for found in stream.suggested], dtype=np.float32)


ORDERS: Mapping[str, Callable[[Stream], Sequence[int]]] = {
    "by date": lambda batch: range(len(batch)),
    "at random": lambda batch: np.random.default_rng(1).permutation(len(batch)).tolist(),
    "least sure first": lambda batch: np.argsort(_sure(batch), kind="stable").tolist(),
    "surest first": lambda batch: np.argsort(-_sure(batch), kind="stable").tolist(),
}


def in_batches(
    candidates: CorrectionCandidates,
    stream: Stream,
    corrector: Ranker,
    order: Callable[[Stream], Sequence[int]],
) -> float:
    """Return nDCG@5 in %, each document suggested for with what was decided before in its batch."""
    found: list[float] = []
    for start in range(0, min(N_BATCHES * BATCH, len(stream)), BATCH):
        batch = stream.ordered(range(start, min(start + BATCH, len(stream))))
        ordered = batch.ordered(order(batch))
        found += [row.ndcg for row in decide(candidates, ordered, corrector)]
    return 100 * metrics.mean_defined(np.array(found))
