"""Why codes are suggested by their names in a text: the words, and what is left without them."""

from __future__ import annotations

from collections.abc import Sequence

from core.clinical.assertions import is_denying
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import Mention, Named, named_in
from core.clinical.names.past_conditions import PastConditions
from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.evidence.spans import Evidence, Passage, Span, without_spans

SOURCE = "lexical"
"""Of suggestions and of evidence that names in the text make."""


class NamesExplanation:
    """Where the names of codes stand in a document.

    Args:
        by_rules: whether rules alone say what is asserted of a name.
    """

    def __init__(
        self, document: Document, matcher: LexicalMatcher, *, by_rules: bool = False
    ) -> None:
        self._document = document
        self._matcher = matcher
        self._by_rules = by_rules
        self._named = self._named_in(document)

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return the names of each of these codes, without those that no name supports."""
        past = self._matcher.past
        return {
            concept_id: Evidence(_passages(named, past), {SOURCE: named.probability})
            for concept_id in concept_ids
            if (named := self._named.get(concept_id)) is not None
        }

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the code's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: the vocabulary has no such code.
        """
        if concept_id not in self._matcher.hierarchy:
            raise VocabularyError(f"The vocabulary has no {concept_id}.")
        cut = without_spans(self._document, spans)
        left, named = self._named_in(cut).get(concept_id), self._named.get(concept_id)
        return left.probability if left else 0.0, named.probability if named else 0.0

    def _named_in(self, document: Document) -> dict[str, Named]:
        named = named_in(document, self._matcher, by_rules=self._by_rules)
        return {code.concept_id: code for code in named}


def _passages(named: Named, past: PastConditions) -> tuple[Passage, ...]:
    """Return the wordings in which the names stand in the text: affirmed and worth most first."""
    by_wording: dict[str, list[Mention]] = {}
    for mention in sorted(named.mentions, key=lambda mention: is_denying(mention.assertion)):
        by_wording.setdefault(mention.written.casefold(), []).append(mention)
    return tuple(
        Passage(
            text=mentions[0].written,
            share=len(mentions) / len(named.mentions),
            spans=tuple(mention.span for mention in mentions),
            is_name=True,
            lasts=past.lasts(named.concept_id),
        )
        for mentions in by_wording.values()
    )
