"""Why codes are suggested: where their names stand, what the model says, and what a change does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol

from core.clinical.names.explanation import SOURCE, NamesExplanation
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.ranking.ranked import RankedCodes
from core.clinical.ranking.reading import AsRead
from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.ensemble import joined_evidence
from core.suggest.evidence.spans import Evidence, Passage, Span, without_spans
from core.suggest.protocol import Explainer, Explanation, Suggester
from core.vocabulary.concepts import Hierarchy


class RanksCodes(Protocol):
    """What ranks the codes that are explained."""

    matcher: LexicalMatcher
    model: Suggester | None
    hierarchy: Hierarchy

    def chances(self, document: Document) -> Mapping[str, float]:
        """Return the probability of every candidate of a document."""
        ...

    def by_rules(self, document: Document) -> RankedCodes | None:
        """Return what rules found in a document; None of one that a model speaks for."""
        ...

    def asserts_by_rules(self, document: Document) -> bool:
        """Return whether rules alone say what a document asserts of a name."""
        ...


class CodesExplanation:
    """What can be said of the codes of one document."""

    def __init__(self, document: Document, suggester: RanksCodes) -> None:
        self._document, self._suggester = document, suggester
        self._names = NamesExplanation(
            document, suggester.matcher, by_rules=suggester.asserts_by_rules(document)
        )
        self._read = AsRead.of(document)

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these codes, without those that nothing supports.

        What supports its parts supports a combination code, and the words that a rule found its code.
        """
        parts = self._by_rules.parts if self._by_rules else {}
        asked = dict.fromkeys(
            (*concept_ids, *(i for code in concept_ids for i in parts.get(code, ())))
        )
        by_names = self._evidence(list(asked))
        by_code = {
            code: [by_names[i] for i in (code, *parts.get(code, ())) if i in by_names]
            for code in concept_ids
        }
        return {code: joined_evidence(some) for code, some in by_code.items() if some}

    def _evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        sources = [self._names.evidence(concept_ids)]
        asked = list(concept_ids)
        if self._by_rules is not None:
            sources.append(self._of_rules(self._by_rules.places))
            # Of what names and rules found, a model that they were asked without has no say.
            found_so = {*self._by_rules.parts, *(i for some in sources for i in some)}
            asked = [i for i in asked if i not in found_so]
        if asked and self._model is not None:
            sources.append(self._read.given_evidence(self._model.evidence(asked)))
        by_code = {i: [some[i] for some in sources if i in some] for i in concept_ids}
        return {i: joined_evidence(evidence) for i, evidence in by_code.items() if evidence}

    def _of_rules(self, places: Mapping[str, tuple[Span, ...]]) -> dict[str, Evidence]:
        text = self._document.text
        return {
            code: Evidence(
                tuple(Passage(text[s.start : s.end], 1 / len(spans), (s,)) for s in spans),
                {SOURCE: self._chances.get(code, 0.0)},
            )
            for code, spans in places.items()
            if spans and code not in self._names.evidence([code])
        }

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the code's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: the vocabulary has no such code.
        """
        if concept_id not in self._suggester.hierarchy and concept_id not in self._chances:
            raise VocabularyError(f"The vocabulary has no {concept_id}.")
        cut = self._suggester.chances(without_spans(self._document, spans))
        return cut.get(concept_id, 0.0), self._chances.get(concept_id, 0.0)

    @cached_property
    def _model(self) -> Explanation | None:
        model: object = self._suggester.model
        return model.explain(self._read.document) if isinstance(model, Explainer) else None

    @cached_property
    def _by_rules(self) -> RankedCodes | None:
        return self._suggester.by_rules(self._document)

    @cached_property
    def _chances(self) -> Mapping[str, float]:
        by_rules = self._by_rules
        return by_rules.chances if by_rules else self._suggester.chances(self._document)
