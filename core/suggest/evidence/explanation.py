"""Why a suggester suggests a concept: the passages of a document that support it most.

A word's score is its part in each suggester's logit (the guided one's is weighed by the attention
that the last layer pays to it), as much as that moves the probability that is suggested. That costs
one reading of the document for all concepts. It is an approximation, though one that finds what the
probability depends on about as well as integrated gradients do: see docs/results/evidence.md.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.documents.document import Document
from core.suggest.branches import LabelScores
from core.suggest.evidence.passages import passages
from core.suggest.evidence.spans import (
    DocumentWords,
    Evidence,
    GroundsOf,
    Span,
    no_grounds,
    without_spans,
)
from core.suggest.windows import ReadDocument
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]
Columns = npt.NDArray[np.int64]


class Attribution(Protocol):
    """What each word of one document adds to one suggester's logits.

    Columns are those of the concepts that may be assigned.
    """

    def terms(self, columns: Columns) -> Array:
        """Return each word's part in the logits, (n_words + 1, concepts), the last of no word."""

    def logits(self, columns: Columns) -> Array:
        """Return the logits of these concepts, (concepts,)."""

    def bias(self, columns: Columns) -> Array:
        """Return the logits of a document that says nothing, (concepts,)."""

    def probability(self, columns: Columns) -> Callable[[Array], Array]:
        """Return the concepts' probabilities as a function of their logits."""


@dataclass(frozen=True, slots=True)
class WeightedAttribution:
    """An attribution, and how much its suggester counts in the mean probability.

    Attributes:
        source: the suggester's name in evidence.
        weight: in [0, 1]; those of one document sum to 1.
    """

    source: str
    weight: float
    attribution: Attribution

    def weighed(self, weight: float) -> WeightedAttribution:
        """Return it as part of something that has a weight itself."""
        return replace(self, weight=weight * self.weight)

    def probability(self, columns: Columns) -> Array:
        """Return what the suggester alone finds of each concept, (concepts,)."""
        return self.attribution.probability(columns)(self.attribution.logits(columns))

    def slopes(self, columns: Columns) -> Array:
        """Return by how much the mean probability rises with the logit, on the way there.

        A slope at the end would be flat where a probability is near one, though taking its words
        away changes it much; so it is the mean slope from what the bias alone gives.
        """
        probability = self.attribution.probability(columns)
        logits, bias = self.attribution.logits(columns), self.attribution.bias(columns)
        rise = probability(logits) - probability(bias)
        slopes = rise / np.where(np.abs(logits - bias) < 1e-6, 1e-6, logits - bias)
        return np.asarray(self.weight * np.maximum(slopes, 1e-9), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Explained:
    """What one reading of a document gives.

    Attributes:
        attributions: what each word adds to the scores.
        scores: those by which concepts are suggested.
        grounds: what a ranker goes by, where there is one.
    """

    attributions: list[WeightedAttribution]
    scores: LabelScores
    grounds: GroundsOf = field(default=no_grounds)


class ExplainedSuggester(Protocol):
    """What is asked of the suggester that is explained."""

    @property
    def label_space(self) -> LabelSpace:
        """The concepts that it knows."""

    def read(self, document: Document) -> ReadDocument:
        """Find how much of a document is read."""

    def skipped(self, text: str) -> bytearray:
        """Return for each character and the end 1 where it is not read."""

    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        """Read a document once for its scores and for what each of its words adds to them."""

    def probabilities_of(self, documents: Iterable[Document]) -> Iterator[LabelScores]:
        """Yield the probabilities of every concept for every document."""

    def can_assign(self, concept_id: str) -> bool:
        """Return whether it could suggest this concept."""

    def assigned_column(self, concept_id: str) -> int:
        """Return the column of a concept among those that may be assigned."""


class DocumentExplanation:
    """One document as a suggester reads it, with its words' parts in every concept.

    Reads the document once, when it is made, and may be asked from several threads.
    """

    def __init__(self, suggester: ExplainedSuggester, document: Document) -> None:
        self.suggester = suggester
        self.read = suggester.read(document)
        self.words = DocumentWords(document, self.read.n_characters_read, suggester.skipped)
        explained = suggester.explained(self.read, self.words)
        self.attributions, self._grounds = explained.attributions, explained.grounds
        self._before = explained.scores.assigned
        self._found: dict[str, Evidence] = {}
        self._lock = threading.Lock()

    @property
    def document(self) -> Document:
        """The document that is explained."""
        return self.read.document

    def attribution(self, source: str) -> Attribution | None:
        """Return the attribution of the suggester with this name; None where there is none."""
        named = (part for part in self.attributions if part.source == source)
        return next((part.attribution for part in named), None)

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these concepts, without those that cannot be assigned.

        What was found is remembered.
        """
        assignable_ids = [i for i in dict.fromkeys(concept_ids) if self.suggester.can_assign(i)]
        with self._lock:
            missing = [i for i in assignable_ids if i not in self._found]
            if missing:
                self._find(missing)
            return {i: self._found[i] for i in assignable_ids}

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the concept's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: the suggester cannot assign this concept.
        """
        column = self.suggester.label_space.column(concept_id)
        after = next(self.suggester.probabilities_of([without_spans(self.document, spans)]))
        return float(after.assigned[column]), float(self._before[column])

    def scores(self, concept_ids: Sequence[str]) -> Array:
        """Return how much each word supports each concept, (n_words, concepts)."""
        columns = self._columns(concept_ids)
        combined = np.zeros((len(self.words), len(columns)), dtype=np.float32)
        for part, terms in zip(self.attributions, self.parts(columns), strict=True):
            combined += part.slopes(columns) * terms
        return combined

    def parts(self, columns: Columns) -> list[Array]:
        """Return each suggester's score of each word, (n_words, concepts)."""
        return [part.attribution.terms(columns)[: len(self.words)] for part in self.attributions]

    def sources(self, columns: Columns) -> list[dict[str, float]]:
        """Return for each concept the probability that each suggester alone gives it, but 0."""
        probs = {part.source: part.probability(columns) for part in self.attributions}
        return [
            {name: float(p[i]) for name, p in probs.items() if p[i] > 0}
            for i in range(len(columns))
        ]

    def _find(self, concept_ids: Sequence[str]) -> None:
        columns = self._columns(concept_ids)
        scores, sources = self.scores(concept_ids), self.sources(columns)
        grounds = self._grounds(columns)
        for i, concept_id in enumerate(concept_ids):
            spans_found = tuple(passages(self.words, scores[:, i]))
            self._found[concept_id] = Evidence(spans_found, sources[i], grounds[i])

    def _columns(self, concept_ids: Sequence[str]) -> Columns:
        """Return columns among the concepts that may be assigned, the same for every suggester."""
        return np.array([self.suggester.assigned_column(i) for i in concept_ids], dtype=np.int64)
