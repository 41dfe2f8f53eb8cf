"""The ranked suggester: the candidates of several suggesters in the order of a learned ranker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy

import numpy as np

from core.documents.document import Document
from core.suggest.backends.protocol import Progress
from core.suggest.branches import LabelScores
from core.suggest.ensemble import MeanEnsemble
from core.suggest.evidence.explanation import Explained, WeightedAttribution
from core.suggest.evidence.spans import DocumentWords
from core.suggest.label_suggester import LabelSuggester
from core.suggest.ranking.candidates import N_INDEXED, CandidateGenerator, Candidates, grounds_of
from core.suggest.ranking.decided import SimilarRows
from core.suggest.ranking.features import RANKER_FEATURES
from core.suggest.ranking.indexed import IndexedDocuments
from core.suggest.ranking.label_matcher import LabelMatcher, LabelMatches, LabelWords
from core.suggest.ranking.ranker import Ranker
from core.suggest.similar import READ_CHARACTERS, Vectorize
from core.suggest.windows import ReadDocument
from core.vocabulary.labels import LabelSpace

NAMES = "names"
"""Source of evidence: labels that stand in the document."""


class IndexedCandidates:
    """Finds the candidates of what a bundle suggests, given the documents that it has indexed; may be
    used from several threads.

    Args:
        vector: of a document's title and text, (1, n_terms), as `indexed` has them.
    """

    def __init__(
        self, label_space: LabelSpace, indexed: IndexedDocuments, vector: Vectorize
    ) -> None:
        self.indexed, self._vector = indexed, vector
        self._generator, self._matcher = CandidateGenerator(label_space), LabelMatcher(label_space)

    def __call__(
        self, document: ReadDocument, members: Sequence[LabelScores], mean: LabelScores
    ) -> Candidates:
        """Return the candidates of a document, given the scores of its suggesters and their mean."""
        generator = self._generator
        return generator(
            RANKER_FEATURES,
            generator.of_labels(*self._matches(document)),
            generator.of_suggesters(members, mean),
            generator.of_indexed(self.indexed, self.similar(document), mean),
        )

    def similar(self, document: ReadDocument) -> SimilarRows:
        """Return the indexed documents most similar to this one."""
        n_read = min(document.n_characters_read, READ_CHARACTERS)
        vector = self._vector(document.document.title, document.document.text[:n_read])
        return self.indexed.similar(vector, N_INDEXED)

    def label_words(self, document: ReadDocument, words: DocumentWords) -> LabelWords:
        """Return where labels stand in a document, as evidence."""
        return LabelWords(words, *self._matches(document), self.indexed.labels.right())

    def _matches(self, document: ReadDocument) -> tuple[LabelMatches, LabelMatches]:
        """Return what is found in the title, and in as much of the text as is read."""
        title, text = document.document.title, document.document.text
        return self._matcher.find(title), self._matcher.find(text[: document.n_characters_read])


class RankedSuggester(LabelSuggester):
    """Ranks what the members of a mean suggest, and what stands in the text or in similar documents.

    Candidates get the ranker's probability. All other concepts come behind them, in the order of
    the mean. Branches are those of the mean, raised to the concepts below.

    Args:
        mean: of the guided and the linear suggester.
    """

    def __init__(self, mean: MeanEnsemble, features: IndexedCandidates, ranker: Ranker) -> None:
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
        scored = self.mean.score_apart(documents, batch_size=batch_size, on_progress=on_progress)
        for document, (members, mean) in zip(documents, scored, strict=True):
            yield self._ranked(document, self.features(document, members, mean), mean)

    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        """Return the members' attributions and the places of labels, each of which counts half; and
        the grounds of each concept.
        """
        members, mean = self.mean.explained_apart(document, words)
        candidates = self.features(document, members, mean.scores)
        names = self.features.label_words(document, words)
        scorer = self.ranker.scorer(has_text=document.n_characters_read > 0)
        added = scorer.contributions(candidates.rows)
        return Explained(
            [
                *(attribution.weighed(0.5) for attribution in mean.attributions),
                WeightedAttribution(NAMES, 0.5, names),
            ],
            self._ranked(document, candidates, mean.scores),
            grounds_of(self.features.indexed, self.features.similar(document), candidates, added),
        )

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
        probability = scorer(candidates.rows)
        # What is no candidate comes behind them all, in its own order.
        assigned = mean.assigned * (probability.min(initial=1.0) / max(mean.assigned.max(), 1e-9))
        assigned = np.asarray(assigned, dtype=np.float32)
        assigned[self.assigned_columns[candidates.positions]] = probability
        return LabelScores(mean.levels, assigned, mean.leading)
