"""The ranked suggester: the candidates of several suggesters in the order of a learned ranker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from core.documents.document import Document
from core.suggest.backends.protocol import Progress
from core.suggest.ensemble import MeanEnsemble
from core.suggest.evidence.explanation import Explained, WeightedAttribution
from core.suggest.evidence.spans import DocumentWords, Grounds, GroundsOf
from core.suggest.label_suggester import LabelSuggester
from core.suggest.ranking.features import CandidateFeatures, Candidates, kinds_of_features
from core.suggest.ranking.ranker import Ranker
from core.suggest.scores import LabelScores
from core.suggest.windows import ReadDocument

Array = npt.NDArray[np.float32]

NAMES = "names"
"""Source of evidence: labels that stand in the document."""


class RankedSuggester(LabelSuggester):
    """Ranks what the members of a mean suggest, and what stands in the text or in similar documents.

    Candidates get the ranker's probability. All other concepts come behind them, in the order of
    the mean. Branches are those of the mean, raised to the concepts below.

    Args:
        mean: of the guided and the linear suggester.
    """

    def __init__(self, mean: MeanEnsemble, features: CandidateFeatures, ranker: Ranker) -> None:
        n_levels = len(mean.level_columns)
        super().__init__(mean.facts, mean.sources, n_levels=n_levels, objective=mean.objective)
        self.mean, self.features, self.ranker = mean, features, ranker
        self.device = mean.device

    @property
    def members(self) -> tuple[MeanEnsemble, ...]:
        """What its candidates come from."""
        return (self.mean,)

    def read(self, document: Document) -> ReadDocument:
        """Find how much of a document is read, as the mean does."""
        return self.mean.read(document)

    def skipped(self, text: str) -> bytearray:
        """Return for each character and the end 1 where the mean does not read it."""
        return self.mean.skipped(text)

    def score(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[LabelScores]:
        """Yield the ranked scores of documents; progress is that of the mean."""
        for document, candidates, mean in self.candidates(
            documents, batch_size=batch_size, on_progress=on_progress
        ):
            yield self._ranked(document, candidates, mean)

    def candidates(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[tuple[ReadDocument, Candidates, LabelScores]]:
        """Yield each document with its candidates and the mean of the members."""
        scored = self.mean.score_apart(documents, batch_size=batch_size, on_progress=on_progress)
        for document, (members, mean) in zip(documents, scored, strict=True):
            yield document, self.features(document, members, mean), mean

    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        """Return the members' attributions and the places of labels, each of which counts half; and
        the grounds of each concept.
        """
        members, mean = self.mean.explained_apart(document, words)
        candidates = self.features(document, members, mean.scores)
        names = self.features.label_words(document, words)
        return Explained(
            [
                *(attribution.weighed(0.5) for attribution in mean.attributions),
                WeightedAttribution(NAMES, 0.5, names),
            ],
            self._ranked(document, candidates, mean.scores),
            self.grounds(document, candidates),
        )

    def grounds(self, document: ReadDocument, candidates: Candidates) -> GroundsOf:
        """Return how concepts were assigned, to all indexed documents and similar ones, and what
        counts for and against each candidate.
        """
        scorer = self.ranker.scorer(has_text=document.n_characters_read > 0)
        kinds = kinds_of_features(scorer.contributions(candidates.rows))
        counted = dict(zip(candidates.positions.tolist(), kinds, strict=True))

        def grounds_of(columns: npt.NDArray[np.int64]) -> Sequence[Grounds | None]:
            indexed = self.features.indexing(document, columns)
            return [
                Grounds(*numbers, *counted.get(column, ((), ())))
                for column, numbers in zip(columns.tolist(), indexed, strict=True)
            ]

        return grounds_of

    def uncalibrated(self) -> LabelSuggester:
        """Return the mean of the members without calibration."""
        return self.mean.uncalibrated()

    def changed(self, change: Callable[[LabelSuggester], LabelSuggester]) -> RankedSuggester:
        """Return a copy with each member of the mean replaced."""
        changed = copy(self)
        changed.mean = self.mean.changed(change)
        changed.device = changed.mean.device
        return changed

    def _ranked(
        self, document: ReadDocument, candidates: Candidates, mean: LabelScores
    ) -> LabelScores:
        scorer = self.ranker.scorer(has_text=document.n_characters_read > 0)
        assigned = self._assigned(mean, candidates, scorer(candidates.rows))
        return LabelScores(mean.levels, assigned, mean.leading)

    def _assigned(self, mean: LabelScores, candidates: Candidates, probability: Array) -> Array:
        columns = self.assigned_columns[candidates.positions]
        # What is no candidate comes behind them all, in its own order.
        assigned = mean.assigned * (probability.min(initial=1.0) / max(mean.assigned.max(), 1e-9))
        assigned = np.asarray(assigned, dtype=np.float32)
        assigned[columns] = probability
        return assigned
