"""Suggesters that are made of suggesters: the weighted mean of some, and what supports a concept
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from core.documents.document import Document
from core.suggest.backends.protocol import Progress
from core.suggest.branches import LabelScores
from core.suggest.evidence.explanation import Explained
from core.suggest.evidence.spans import DocumentWords, Evidence, Passage
from core.suggest.fusion import Fusion
from core.suggest.label_suggester import BundleFacts, LabelSuggester
from core.suggest.windows import ReadDocument


class MeanEnsemble(LabelSuggester):
    """The weighted mean of what several suggesters find, concept by concept.

    The first decides how much of a document is read: what it does not see, the others do not see
    either. A suggestion's source is the member that finds the concept most probable.

    Args:
        members: of one label space; each calibrated on its own.
    """

    def __init__(
        self, facts: BundleFacts, members: Sequence[LabelSuggester], fusion: Fusion
    ) -> None:
        first, sources = members[0], [source for member in members for source in member.sources]
        n_levels = len(first.level_columns)
        super().__init__(facts, tuple(sources), n_levels=n_levels, objective=first.objective)
        self.members, self.fusion = tuple(members), fusion
        self.device = first.device

    def read(self, document: Document) -> ReadDocument:
        """Find how much of a document is read, as the first member does."""
        return self.members[0].read(document)

    def skipped(self, text: str) -> bytearray:
        """Return for each character and the end 1 where the first member does not read it."""
        return self.members[0].skipped(text)

    def score(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[LabelScores]:
        """Yield the mean scores of documents; progress is that of the first member."""
        apart = self.score_apart(documents, batch_size=batch_size, on_progress=on_progress)
        for _, mean in apart:
            yield mean

    def score_apart(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[tuple[list[LabelScores], LabelScores]]:
        """Yield for each document the scores of the members, and their mean."""
        callbacks = (on_progress, *(None for _ in self.members[1:]))
        by_member = [
            member.score(documents, batch_size=batch_size, on_progress=progress)
            for member, progress in zip(self.members, callbacks, strict=True)
        ]
        for document, *scores in zip(documents, *by_member, strict=True):
            yield scores, self._mean(scores, has_text=document.has_text)

    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        """Return the mean of the members, and their attributions with the weights of the mean."""
        _, explained = self.explained_apart(document, words)
        return explained

    def explained_apart(
        self, document: ReadDocument, words: DocumentWords
    ) -> tuple[list[LabelScores], Explained]:
        """Read a document once for the scores of the members, and for the mean of them."""
        members = [member.explained(document, words) for member in self.members]
        weights = self.fusion.weights(has_text=document.has_text)
        attributions = [
            attribution.weighed(weight)
            for member, weight in zip(members, weights, strict=True)
            for attribution in member.attributions
        ]
        scores = [member.scores for member in members]
        return scores, Explained(attributions, self._mean(scores, has_text=document.has_text))

    def uncalibrated(self) -> MeanEnsemble:
        """Return the mean of the members without calibration, with the same weights."""
        return self.changed(lambda member: member.uncalibrated())

    def changed(self, change: Callable[[LabelSuggester], LabelSuggester]) -> MeanEnsemble:
        """Return a copy with each member replaced."""
        changed = copy(self)
        changed.members = tuple(member.changed(change) for member in self.members)
        changed.device = changed.members[0].device
        return changed

    def _mean(self, scores: Sequence[LabelScores], *, has_text: bool) -> LabelScores:
        assigned = [of_member.assigned for of_member in scores]
        levels = [of_member.levels for of_member in scores]
        best = np.argmax(np.stack(assigned), axis=0)[None]
        offsets = np.cumsum([0, *(len(member.sources) for member in self.members[:-1])])
        leading = np.stack([of_member.leading for of_member in scores]) + offsets[:, None]
        return LabelScores(
            levels=self.fusion.branches(levels, self.label_space.levels),
            assigned=self.fusion.assigned(assigned, has_text=has_text),
            leading=np.take_along_axis(leading, best, axis=0)[0],
        )


def joined_evidence(evidence: Sequence[Evidence]) -> Evidence:
    """Join what supports a concept, each part weighed by the probability that it gives the concept.

    Names come first; passages of the same words count together.
    """
    weights = [_weight(some) for some in evidence]
    total = sum(weights) or 1.0
    passages: dict[str, Passage] = {}
    weighed = [
        replace(passage, share=weight / total * passage.share)
        for some, weight in zip(evidence, weights, strict=True)
        for passage in some.passages
    ]
    for passage in sorted(weighed, key=lambda passage: not passage.is_name):
        same = passages.get(passage.text.casefold())
        share = passage.share + (same.share if same else 0.0)
        passages[passage.text.casefold()] = replace(same or passage, share=share)
    sources = {name: p for some in evidence for name, p in some.sources.items()}
    return Evidence(tuple(passages.values()), sources)


def _weight(evidence: Evidence) -> float:
    """The probability that the likeliest source gives the concept; 0 of one without passages."""
    return max(evidence.sources.values(), default=0.0) if evidence.passages else 0.0
