"""Fits what ranks in the light of decisions, on a project's own documents as they were finished.

What is fitted on few documents is worse than weights that were learned on acts, and on many it may be
better: both are joined. What was held out decides how, and in doubt the general weights count more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.review.reports.learning import Values
from core.suggest.calibration import Platt, fit_platt
from core.suggest.cold_start.document_ids import anonymous_id
from core.suggest.cold_start.suggester import ColdStartSuggester, default_ranker
from core.suggest.correction.bundled import BundledDecisions
from core.suggest.correction.suggester import default_corrector
from core.suggest.protocol import FinishedDocument
from core.suggest.ranking.candidates import Suggested
from core.suggest.ranking.decided import UNTOUCHED, LearnedDocument
from core.suggest.ranking.features import CORRECTION_FEATURES
from core.suggest.ranking.ranker import Blend, BlendedRanker, Ranker, Scorer
from core.suggest.similar import READ_CHARACTERS
from training.ranking.corrector import StreamedDocument, walk
from training.ranking.examples import DescribedDocument, Examples, order_quality
from training.ranking.fit_ranker import fit_order
from training.retraining.material import labelled
from training.retraining.shared_words import shared_terms

Array = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]

DESCRIBING, FITTING = "Describing candidates", "Fitting what ranks them"
"""Stages."""
FEWEST_FITTED = 50
"""Documents of a kind; below that, the general weights stand alone."""
MOST_FITTED = 3_000
"""Of a kind, the newest."""
MOST_DESCRIBED = 5_000
HELD_OUT_SHARE = 0.25
"""So many of the newest decide how both are joined."""
STEPS = 200
"""So often, at most, it is summed up what was decided before."""
OWN_SHARES = (0.0, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
"""Of the project's own ranker, the most general first."""


class _Described(NamedTuple):
    """Candidates with how much each counts: those that nobody decided on count less."""

    examples: Examples
    weights: Array
    gold: Sequence[Sequence[int]]


def fit_correction(
    local: ColdStartSuggester,
    finished: Sequence[FinishedDocument],
    suggested: Sequence[Suggested],
    *,
    has_model: bool,
    key: bytes,
    always: Sequence[LearnedDocument] = (),
    say: Callable[[str], Progress],
) -> BundledDecisions:
    """Fit the weights of a correction, and keep the documents that it is fitted on.

    Args:
        local: what suggests without a model; it has learned nothing.
        finished: documents, the oldest first.
        suggested: what a model that has not learned from a document suggests for it.
        has_model: whether that is a model that knows more than these documents; general weights
            are then those that correct such a model, else those of a vocabulary without any.
        key: of the home, by which the documents are known there.
        always: documents that came with this model.
        say: returns for a stage what is called with (done, total).
    """
    learned = [
        replace(local.said_by(row), suggested=model.counted())
        for row, model in zip(finished, suggested, strict=True)
    ]
    named = anonymous(local, learned, finished, key)
    stream = list(map(StreamedDocument, labelled(finished), suggested, learned))
    general = default_corrector() if has_model else default_ranker()
    described = _described(local, stream, always, say(DESCRIBING))
    fitting = say(FITTING)
    fitting(0, 2)
    titles = _fitted(described, general, has_text=False)
    fitting(1, 2)
    texts = _fitted(described, general, has_text=True)
    fitting(2, 2)
    fitted = None
    if titles[0] is not None and texts[0] is not None:
        fitted = Ranker(titles[0], texts[0], CORRECTION_FEATURES)
    corrector = BlendedRanker(fitted, general, titles[1], texts[1])
    by_id = {one.document_id: one for one in (*always, *named)}
    return BundledDecisions(tuple(local.concept_ids), tuple(by_id.values()), corrector)


def anonymous(
    local: ColdStartSuggester,
    learned: Sequence[LearnedDocument],
    finished: Sequence[FinishedDocument],
    key: bytes,
) -> list[LearnedDocument]:
    """Return what documents say under the ids that bundles give them, without words of their own."""
    documents = [row.document for row in finished]
    hierarchy, candidates_maker = local.label_space.hierarchy, local.candidates
    words = shared_terms(documents, hierarchy, candidates_maker.words, read=READ_CHARACTERS)
    return [
        replace(
            one,
            document_id=anonymous_id(document, key),
            terms=candidates_maker.terms_among(document, words),
        )
        for one, document in zip(learned, documents, strict=True)
    ]


def known_documents(
    local: ColdStartSuggester,
    finished: Sequence[FinishedDocument],
    bundled: BundledDecisions | None,
    key: bytes,
) -> BundledDecisions:
    """Return documents from which a model has learned, with the general weights.

    What it suggests for them is not compared with what was decided.

    Args:
        bundled: decisions that the model came with before.
        key: of the home, by which the documents are known there.
    """
    learned = [local.said_by(replace(row, suggested={})) for row in finished]
    always = bundled.of(local.position) if bundled else []
    by_id = {one.document_id: one for one in (*always, *anonymous(local, learned, finished, key))}
    general = default_corrector()
    blends = [Blend(0.0, scorer.platt) for scorer in (general.title, general.text)]
    corrector = BlendedRanker(None, general, *blends)
    return BundledDecisions(tuple(local.concept_ids), tuple(by_id.values()), corrector)


def _described(
    local: ColdStartSuggester,
    stream: Sequence[StreamedDocument],
    always: Sequence[LearnedDocument],
    on_progress: Progress,
) -> _Described:
    first = min(FEWEST_FITTED, len(stream)) if not always else 0
    step = max(10, len(stream) // STEPS)
    described, weights = [], []
    for number, candidates, _ in walk(local.candidates, stream, step=step, always=always):
        on_progress(number + 1, len(stream))
        if number < max(first // 2, len(stream) - MOST_DESCRIBED):
            continue  # of what is known at first, there will never be so little again
        document, learned = stream[number].row.document, stream[number].learned
        has_text = bool(document.text.strip())
        described.append(
            DescribedDocument(document.document_id, has_text, candidates, learned.assigned)
        )
        decided = np.concatenate([learned.assigned, learned.rejected])
        is_decided = np.isin(candidates.positions, decided)
        weights.append(np.where(is_decided, 1.0, UNTOUCHED).astype(np.float32))
    gold = [example.gold.tolist() for example in described]
    examples = Examples.gathered(described)
    return _Described(examples, np.concatenate(weights), gold)


def _fitted(
    described: _Described, general: Ranker, *, has_text: bool
) -> tuple[Scorer | None, Blend]:
    own_kind = described.examples.has_text == has_text
    if own_kind.sum() < FEWEST_FITTED:
        own_kind = np.ones_like(own_kind)
    numbers = np.flatnonzero(own_kind)[-MOST_FITTED:]
    examples = described.examples.chosen(numbers)
    if len(examples) < FEWEST_FITTED:
        return None, Blend(0.0, general.scorer(has_text=has_text).platt)
    by_row = [described.weights[described.examples.of(n)] for n in numbers.tolist()]
    weights = np.concatenate(by_row)
    # Documents that came later decide: those of one week are too much like each other.
    n_before = int(len(examples) * (1 - HELD_OUT_SHARE))
    start = int(examples.ends[n_before])
    before = examples.chosen(np.arange(n_before))
    later = examples.chosen(np.arange(n_before, len(examples)))
    ours = fit_order(before, weights=weights[:start]).log_odds(later.rows)
    general_scorer = general.scorer(has_text=has_text)
    theirs = general_scorer.log_odds(later.rows[:, : len(general.features)])
    gold = [described.gold[number] for number in numbers[n_before:].tolist()]
    blends = [Blend(share, Platt()) for share in OWN_SHARES]
    qualities = [order_quality(later, gold, blend.mean(ours, theirs)) for blend in blends]
    best = blends[most_general(np.stack(qualities))]
    platt = fit_platt(best.mean(ours, theirs), later.is_assigned.astype(np.float32))
    # What the ranker gives is calibrated when it is blended.
    return fit_order(examples, weights=weights), replace(best, platt=platt)


def most_general(quality: Values) -> int:
    """Return the first row that is no worse than the best one by more than its standard error.

    Args:
        quality: of each blend, the most general first, on each document, (n_blends, n_documents).
    """
    defined = quality[:, ~np.isnan(quality).any(axis=0)]
    if not defined.shape[1]:
        return 0
    behind = defined[defined.mean(axis=1).argmax()] - defined
    error = behind.std(axis=1) / np.sqrt(defined.shape[1])
    return int(np.argmax(behind.mean(axis=1) <= error))
