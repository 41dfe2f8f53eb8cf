"""Why a corrected model suggests concepts for one document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.evidence.spans import Evidence, Grounds, Span, without_spans
from core.suggest.protocol import Explanation
from core.suggest.suggestions import ELSEWHERE

CORRECTED = "corrected"
"""Source of evidence: the probability of the model after the correction."""


class Corrected(NamedTuple):
    """Probabilities of a document's candidates.

    Attributes:
        chances: by concept id.
        grounds: of those that were ranked anew, what finished documents say for them.
    """

    chances: Mapping[str, float]
    grounds: Mapping[str, Grounds]


class CorrectedExplanation:
    """The model's passages, and labels in the text for what the model does not suggest.

    Args:
        chances: what the model alone gives to concepts.
        explained: corrects what the model gives, and says why.
        of_model: None where the model cannot explain itself.
        of_labels: None where nothing was decided, so that the model stands alone.
    """

    def __init__(
        self,
        document: Document,
        chances: Callable[[Document], Mapping[str, float]],
        explained: Callable[[Document, Mapping[str, float]], Corrected],
        of_model: Explanation | None,
        of_labels: Explanation | None,
    ) -> None:
        self._document, self._chances_of, self._explained = document, chances, explained
        self._of_model, self._of_labels = of_model, of_labels

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these concepts, without those that cannot be assigned."""
        by_concept = self._of_model.evidence(concept_ids) if self._of_model else {}
        if self._of_labels is None:
            return by_concept
        silent = [i for i in concept_ids if i not in by_concept or not by_concept[i].passages]
        by_label = self._of_labels.evidence(silent)
        named = {i: evidence for i, evidence in by_label.items() if evidence.passages}
        whole = self._whole

        def added(concept_id: str) -> Evidence:
            chance = whole.chances.get(concept_id, 0.0)
            here = whole.grounds.get(concept_id)
            if concept_id in named:
                sources = dict.fromkeys(named[concept_id].sources, chance)
                sources |= _from_elsewhere(by_concept.get(concept_id))
                return Evidence(named[concept_id].passages, sources, here=here)
            evidence = by_concept.get(concept_id) or by_label[concept_id]
            corrected = {CORRECTED: chance} if here else {}
            return replace(evidence, sources={**evidence.sources, **corrected}, here=here)

        return {i: added(i) for i in concept_ids if i in by_concept or i in by_label}

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the concept's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: nothing here can assign this concept.
        """
        after, before = self._alone(concept_id, spans)
        if self._of_labels is None:
            return after, before
        cut = without_spans(self._document, spans)
        return (
            self._corrected(cut, concept_id, after),
            self._corrected(self._document, concept_id, before),
        )

    def _alone(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """As `without`, before the correction; (0, 0) of what the model does not know."""
        if self._of_model is not None:
            try:
                return self._of_model.without(concept_id, spans)
            except VocabularyError:
                if self._of_labels is None:
                    raise
        if self._of_labels is None:
            raise VocabularyError("Nothing here can explain itself.")
        self._of_labels.without(concept_id, spans)  # complains where it is not known
        return 0.0, 0.0

    def _corrected(self, document: Document, concept_id: str, chance: float) -> float:
        chances = {**self._chances, concept_id: chance}
        return self._explained(document, chances).chances.get(concept_id, 0.0)

    @cached_property
    def _chances(self) -> Mapping[str, float]:
        return self._chances_of(self._document)

    @cached_property
    def _whole(self) -> Corrected:
        return self._explained(self._document, self._chances)


def _from_elsewhere(evidence: Evidence | None) -> dict[str, float]:
    """Return the source elsewhere, which a label in the text does not make less of a source."""
    sources = evidence.sources if evidence else {}
    return {name: chance for name, chance in sources.items() if name.startswith(ELSEWHERE)}
