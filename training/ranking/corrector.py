"""Fits what corrects a model by what was decided since: on documents in the order of their dates.

Each document is described by what the documents before it say, and by what a model suggests that
has learned from none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.progress import track

from core.suggest.calibration import fit_platt
from core.suggest.cold_start.finished import FinishedCandidates
from core.suggest.ensemble import MeanEnsemble
from core.suggest.ranking.candidates import Candidates, Suggested
from core.suggest.ranking.decided import Experience, LearnedDocument
from core.suggest.ranking.features import CORRECTION_FEATURES
from core.suggest.ranking.ranker import Ranker
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument, full_texts
from training.judging.folders import load_corpus, over
from training.ranking.cold_start import NO_CONCEPTS
from training.ranking.examples import DescribedDocument, Examples, examples_of
from training.ranking.fit_ranker import Say, crossed, fit_scorer
from training.ranking.indexing import finder_of, mean_of

Array = npt.NDArray[np.float32]

STEP = 20
"""So many documents come before what was decided on them is known."""
MOST_SUGGESTED = 300
SHARE_OF_TITLES = 0.5
"""So many of those after the last fresh start are fitted on, and all before it."""
SEGMENTS = ((30, 6), (100, 4), (300, 3), (1_000, 1))
"""How many documents come between fresh starts, and how often; then all others."""


class StreamedDocument(NamedTuple):
    """A document that comes, what a model suggests for it, and what it says when it is decided."""

    row: LabelledDocument
    suggested: Suggested
    learned: LearnedDocument


def arrivals(
    candidates: FinishedCandidates,
    documents: Sequence[LabelledDocument],
    suggested: Sequence[Suggested],
) -> list[StreamedDocument]:
    """Return documents in the order of their dates, with what each says."""
    pairs = zip(documents, suggested, strict=True)
    ordered = sorted(pairs, key=lambda pair: (pair[0].date, pair[0].document_id))
    stream = []
    for row, model in track(ordered, "documents to learn from", transient=True):
        assigned = candidates.label_space.positions(row.assigned)
        learned = candidates.decided(row.document, 0, assigned, NO_CONCEPTS, model.counted())
        stream.append(StreamedDocument(row, model, learned))
    return stream


def walk(
    candidates: FinishedCandidates,
    stream: Sequence[StreamedDocument],
    *,
    starts: Sequence[int] = (),
    step: int = STEP,
    always: Sequence[LearnedDocument] = (),
) -> Iterator[tuple[int, Candidates, Experience]]:
    """Yield each document's candidates, given what was decided on those before it.

    Args:
        always: documents that are known from the beginning.
        starts: before these documents, all that was learned is forgotten.
        step: what was decided is known after so many documents, as learning takes time here.
    """
    ends = [0, *starts, len(stream)]
    for start, end in pairwise(ends):
        learned = candidates.nothing_decided(always)
        for first in range(start, end, step):
            numbers = range(first, min(first + step, end))
            experience = learned.experience()
            for number in numbers:
                row, suggested, _ = stream[number]
                yield number, candidates(row.document, experience, suggested), experience
            learned.add(stream[number].learned for number in numbers)


def examples_of_walk(
    walked: Iterator[tuple[int, Candidates, Experience]],
    stream: Sequence[StreamedDocument],
    chosen: npt.NDArray[np.bool_],
) -> Examples:
    """Return the candidates of some documents of a stream as what a ranker is fitted on.

    Args:
        chosen: which documents, (n_documents,).
    """
    return Examples.gathered(
        DescribedDocument(row.document_id, row.is_full_text, here, learned.assigned)
        for n, here, _ in track(walked, "stream", total=len(stream), transient=True)
        if chosen[n]
        for row, _, learned in (stream[n],)
    )


@dataclass(frozen=True)
class PastExamples:
    """Candidates of documents that came after what a bundle has learned from, as it finds them."""

    titles: Examples
    texts: Examples

    @classmethod
    def of(
        cls,
        mean: MeanEnsemble,
        before: Sequence[LabelledDocument],
        after: Sequence[LabelledDocument],
        what: str,
    ) -> PastExamples:
        """Find the candidates of documents.

        Args:
            mean: of the bundle.
            before: what it has learned from.
            what: said beside the bar.
        """
        finder = finder_of(mean, before)
        titled = [row for row in after if row.document.title]
        alone = [row.title_alone() for row in titled]
        return cls(
            examples_of(mean, finder, alone, f"titles of {what}"),
            examples_of(mean, finder, full_texts(titled), f"full texts of {what}"),
        )

    def held_out(self) -> Readings:
        """Return what the bundle with a ranker suggests, by rankers that have not seen the document
        for which they rank.
        """
        return Readings(*(suggestions(part, _held_out(part)) for part in (self.titles, self.texts)))

    def ranked(self, ranker: Ranker) -> Readings:
        """Return what the bundle with this ranker suggests."""
        parts = (self.titles, ranker.title), (self.texts, ranker.text)
        return Readings(*(suggestions(part, scorer(part.rows)) for part, scorer in parts))


class Readings(NamedTuple):
    """What a model suggests for documents by their ids: by the title alone, and with the text."""

    by_title: Mapping[str, Suggested]
    by_text: Mapping[str, Suggested]

    def stream(
        self,
        candidates: FinishedCandidates,
        documents: Sequence[LabelledDocument],
        *,
        titles: bool = True,
        texts: bool = True,
    ) -> list[StreamedDocument]:
        """Return documents as they come.

        Args:
            titles: whether those come whose texts are not known.
            texts: whether texts are known at all.
        """
        rows, suggested = [], []
        for row in documents:
            if texts and row.document_id in self.by_text:
                rows.append(row)
                suggested.append(self.by_text[row.document_id])
            elif titles and row.document_id in self.by_title:
                rows.append(row.title_alone())
                suggested.append(self.by_title[row.document_id])
        return arrivals(candidates, rows, suggested)


def _held_out(examples: Examples) -> Array:
    log_odds = crossed(examples)
    return fit_platt(log_odds, examples.is_assigned.astype(np.float32))(log_odds)


def suggestions(examples: Examples, chances: Array) -> dict[str, Suggested]:
    """Return the best candidates of each document, by its id."""
    by_document = {}
    for number, document_id in enumerate(examples.document_ids.tolist()):
        here = examples.of(number)
        best = np.argsort(-chances[here], kind="stable")[:MOST_SUGGESTED]
        positions = examples.positions[here][best].astype(np.int32)
        by_document[document_id] = Suggested(positions, chances[here][best])
    return by_document


# ---------------------------------------------------------------------- fitting


def fit_corrector(
    candidates: FinishedCandidates,
    readings: Readings,
    documents: Sequence[LabelledDocument],
    *,
    say: Say,
) -> Ranker:
    """Fit on documents that came after a model's origin, titles and full texts apart.

    Learning begins anew several times, so that the weights suit projects that have just begun.
    """
    titles = readings.stream(candidates, documents, texts=False)
    starts = fresh_starts(len(titles))
    chosen = np.random.default_rng(0).random(len(titles)) < SHARE_OF_TITLES
    chosen[: (starts or [0])[-1]] = True
    by_title = examples_of_walk(walk(candidates, titles, starts=starts), titles, chosen)
    say(f"{len(by_title):,} titles, {len(by_title.rows):,} candidates")
    mixed = readings.stream(candidates, documents)
    are_texts = np.array([row.is_full_text for row, *_ in mixed], dtype=bool)
    alone = readings.stream(candidates, documents, titles=False)
    among_titles = examples_of_walk(walk(candidates, mixed), mixed, are_texts)
    alone_walked = walk(candidates, alone, step=STEP // 4)
    by_themselves = examples_of_walk(alone_walked, alone, np.ones(len(alone), dtype=bool))
    by_text = Examples.joined([among_titles, by_themselves])
    say(f"{len(alone):,} full texts, {len(by_text.rows):,} candidates")
    return Ranker(fit_scorer(by_title, max_leaf_nodes=31), fit_scorer(by_text), CORRECTION_FEATURES)


def fresh_starts(n_documents: int) -> list[int]:
    """Return before which documents learning begins anew."""
    lengths = [length for length, times in SEGMENTS for _ in range(times)]
    ends = np.cumsum(lengths).tolist()
    return [end for end in ends if end < n_documents - SEGMENTS[-1][0]]


def parted(
    documents: Sequence[LabelledDocument], date: str
) -> tuple[list[LabelledDocument], list[LabelledDocument]]:
    """Return the documents before a date, and those from it on."""
    before = [row for row in documents if row.date < date]
    return before, [row for row in documents if row.date >= date]


def write_corrector(
    folder: Path, origin: Path, date: str, options: DataConfig, *, say: Say
) -> None:
    """Fit the weights of the correction, and write them into a folder.

    Args:
        origin: a bundle that has learned from the documents of train before `date`.
    """
    corpus = load_corpus(over(DataConfig(), options))
    mean = mean_of(origin)
    before, later = parted(corpus.train, date)
    readings = PastExamples.of(mean, before, later, "train").held_out()
    candidates = FinishedCandidates(mean.label_space)
    ranker = fit_corrector(candidates, readings, later, say=say)
    folder.mkdir(parents=True, exist_ok=True)
    ranker.save(folder)
