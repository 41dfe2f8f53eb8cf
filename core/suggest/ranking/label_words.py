"""Labels in the text as evidence: the words of their places, for concepts whose label stands there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.suggest.evidence.spans import DocumentWords, Span
from core.suggest.ranking.label_matcher import LabelMatch, LabelMatches

Array = npt.NDArray[np.float32]
Columns = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LabelWords:
    """The places of labels in a document, as what each word adds.

    Its logit of a concept is 1 where a label stands in the document, and 0 elsewhere; the words
    of all places have equal shares in it.

    Args:
        in_title, in_text: what was found there.
        right: by field, the probability that a concept is assigned whose label stands there,
            (n_assignable,).
    """

    words: DocumentWords
    in_title: LabelMatches
    in_text: LabelMatches
    right: dict[str, Array]

    def terms(self, columns: Columns) -> Array:
        """Return each word's part in the logits, (n_words + 1, concepts), the last of no word."""
        terms = np.zeros((len(self.words) + 1, len(columns)), dtype=np.float32)
        for number, column in enumerate(columns.tolist()):
            if inside := self.words.inside(self._spans(column)):
                terms[inside, number] = 1 / len(inside)
        return terms

    def logits(self, columns: Columns) -> Array:
        """Return 1 where a label of the concept stands in the document, else 0, (concepts,)."""
        standing = [bool(self._spans(column)) for column in columns.tolist()]
        return np.array(standing, dtype=np.float32)

    def bias(self, columns: Columns) -> Array:
        """Return the logits of a document that says nothing, (concepts,)."""
        return np.zeros(len(columns), dtype=np.float32)

    def probability(self, columns: Columns) -> Callable[[Array], Array]:
        """Return how often such a concept is assigned, as a function of whether a label stands."""
        found = [
            max((float(self.right[field][column]) for field, _ in self._matches(column)), default=0)
            for column in columns.tolist()
        ]
        share = np.array(found, dtype=np.float32)
        return lambda standing: np.asarray(standing * share, dtype=np.float32)

    def _matches(self, column: int) -> list[tuple[str, LabelMatch]]:
        fields = (("title", self.in_title), ("text", self.in_text))
        return [(name, of.concepts[column]) for name, of in fields if column in of.concepts]

    def _spans(self, column: int) -> list[Span]:
        """Return the places that are in no longer label; all of them where there is none."""
        found = self._matches(column)
        places = {name: match.places[: match.n_alone] for name, match in found}
        if not any(places.values()):
            places = {name: match.places for name, match in found}
        return [Span(name, *place) for name, of_field in places.items() for place in of_field]
