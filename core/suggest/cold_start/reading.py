"""What is in a document whatever was decided: labels and hashed terms.

Another process may look through the text. What was decided is known in the server, which reads no
text for it: it gets the labels that stand there, without their places, and the terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from core.documents.document import Document
from core.suggest.evidence.spans import Evidence
from core.suggest.ranking.decided import EMPTY_ROW, Array, SparseRow
from core.suggest.ranking.label_matcher import LabelMatches

Right = dict[str, Array]
"""By field, the probability that a concept is assigned whose label stands there, (n_assignable,)."""

NO_MATCHES = LabelMatches({}, 0)


class TextReading(NamedTuple):
    """The words and labels of a document, and how much of it is read."""

    in_title: LabelMatches = NO_MATCHES
    in_text: LabelMatches = NO_MATCHES
    terms: SparseRow = EMPTY_ROW
    n_tokens: int = 0
    n_tokens_read: int = 0
    n_characters_read: int = 0

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


def _without_places(matches: LabelMatches) -> LabelMatches:
    concepts = {i: replace(match, places=[]) for i, match in matches.concepts.items()}
    return matches._replace(concepts=concepts)
