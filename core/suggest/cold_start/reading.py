"""What is in a document whatever was decided, where another process looks through its text.

What was decided is known in the server, which reads no text for it: it gets the labels that stand
there, without their places, and hashed terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from core.documents.document import Document
from core.suggest.evidence.spans import Evidence, GroundsOf, Span, without_spans
from core.suggest.ranking.decided import Array, Experience, SparseRow
from core.suggest.ranking.label_matcher import LabelMatches
from core.suggest.scores import LabelScores
from core.vocabulary.labels import LabelSpace

Right = dict[str, Array]
"""By field, the probability that a concept is assigned whose label stands there, (n_assignable,)."""


class TextReading(NamedTuple):
    """The words and labels of a document, and how much of it is read."""

    in_title: LabelMatches
    in_text: LabelMatches
    terms: SparseRow
    n_tokens: int
    n_tokens_read: int
    n_characters_read: int

    def without_places(self) -> TextReading:
        """Return what does not grow with the text, but for the number of concepts."""
        title, text = (_without_places(matches) for matches in (self.in_title, self.in_text))
        return self._replace(in_title=title, in_text=text)


class TextReader(Protocol):
    """Looks through documents elsewhere; each raises `TooSlowError` and `ModelStoppedError`."""

    def reading(self, document: Document) -> TextReading:
        """Return what is in a document."""
        ...

    def labels(
        self, document: Document, concept_ids: Sequence[str], right: Right
    ) -> Mapping[str, Evidence]:
        """Return where labels of concepts that may be assigned stand."""
        ...


class RanksDocuments(Protocol):
    """What an explanation asks of the suggester that ranks concepts here."""

    label_space: LabelSpace

    def experience(self) -> Experience:
        """Return what all finished documents say together."""
        ...

    def ranked_with_grounds(
        self, document: Document, experience: Experience
    ) -> tuple[LabelScores, GroundsOf]:
        """Return the scores of a document, and what finished documents say of each concept."""
        ...

    def can_assign(self, concept_id: str) -> bool:
        """Return whether this concept could be suggested."""
        ...

    def assigned_column(self, concept_id: str) -> int:
        """Return the column of a concept among those that may be assigned."""
        ...


class ReadElsewhereExplanation:
    """Why labels and finished documents speak for concepts, where another process has the text."""

    def __init__(self, suggester: RanksDocuments, reader: TextReader, document: Document) -> None:
        self._suggester, self._reader, self._document = suggester, reader, document
        self._known = suggester.experience()
        before, self._grounds = suggester.ranked_with_grounds(document, self._known)
        self._before = before.assigned

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these concepts, without those that cannot be assigned."""
        assignable_ids = [i for i in dict.fromkeys(concept_ids) if self._suggester.can_assign(i)]
        if not assignable_ids:
            return {}
        right = {where: self._known.right(where) for where in ("title", "text")}
        labels = self._reader.labels(self._document, assignable_ids, right)
        columns = np.array(
            [self._suggester.assigned_column(i) for i in assignable_ids], dtype=np.int64
        )
        grounds = self._grounds(columns)
        return {
            i: replace(labels[i], grounds=of) for i, of in zip(assignable_ids, grounds, strict=True)
        }

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the concept's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: the vocabulary has no such concept.
        """
        column = self._suggester.label_space.column(concept_id)
        cut = without_spans(self._document, spans)
        after, _ = self._suggester.ranked_with_grounds(cut, self._known)
        return float(after.assigned[column]), float(self._before[column])


def _without_places(matches: LabelMatches) -> LabelMatches:
    concepts = {i: replace(match, places=[]) for i, match in matches.concepts.items()}
    return matches._replace(concepts=concepts)
