"""Names in the text as a suggester: a code is suggested where its name or a synonym stands.

It needs no model, and so suggests codes as well that no model has seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.backends.protocol import Progress
from core.suggest.evidence.spans import Evidence, Passage, Span, without_spans
from core.suggest.names.index import FORMAT
from core.suggest.names.matcher import LexicalMatcher
from core.suggest.names.mentions import Mention, Named, named_in
from core.suggest.names.past_conditions import PastConditions
from core.suggest.suggestions import Prediction, Suggestion, raised_branches, ranked
from core.vocabulary.codes.full_titles import full_title

SOURCE = "lexical"
VERSION = f"names{FORMAT}"
"""What changes whenever names are found otherwise; part of the hash of what they stand in."""
MAX_TOKENS = 1_000_000  # nothing is cut


class NamesSuggester:
    """Suggests the codes of a vocabulary whose names stand in a document."""

    name = "No model"
    bundle_hash = f"no-model+{VERSION}"
    max_tokens = MAX_TOKENS

    def __init__(self, matcher: LexicalMatcher) -> None:
        self.matcher = matcher
        self.vocabulary_id = matcher.hierarchy.vocabulary_id

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Progress | None = None,
    ) -> Prediction:
        """Return the most probable codes of one document, best first; tokens are words here."""
        started = time.perf_counter()
        named = named_in(document, self.matcher, on_progress)
        found = [self._suggestion(concept) for concept in named]
        kept = [suggestion for suggestion in found if suggestion.probability >= threshold][:limit]
        branches = raised_branches({}, kept, self.matcher.hierarchy)
        n_words = len(document.title.split()) + len(document.text.split())
        if on_progress:
            on_progress(1, 1)
        return Prediction(
            suggestions=tuple(ranked(kept, branches)),
            branch_probability=branches,
            n_tokens=n_words,
            n_tokens_read=n_words,
            n_windows=1,
            bundle_hash=self.bundle_hash,
            vocabulary_version=self.matcher.hierarchy.version,
            seconds=time.perf_counter() - started,
        )

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Yield predictions in the order of the documents."""
        for document in documents:
            yield self.suggest(document, limit=limit, threshold=threshold)

    def explain(self, document: Document) -> NamesExplanation:
        """Find where the names stand."""
        return NamesExplanation(document, self.matcher)

    def _suggestion(self, named: Named) -> Suggestion:
        concept = self.matcher.hierarchy[named.concept_id]
        return Suggestion(
            concept_id=concept.concept_id,
            uri=concept.uri,
            notation=concept.notation,
            pref_label=full_title(named.concept_id, self.matcher.hierarchy, self.matcher.language),
            probability=named.probability,
            branch_probability=named.probability,
            rank=0,
            source=SOURCE,
        )


class NamesExplanation:
    """Where the names of codes stand in a document."""

    def __init__(self, document: Document, matcher: LexicalMatcher) -> None:
        self._document = document
        self._matcher = matcher
        self._named = {named.concept_id: named for named in named_in(document, matcher)}

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
        left = {named.concept_id: named.probability for named in named_in(cut, self._matcher)}
        named = self._named.get(concept_id)
        return left.get(concept_id, 0.0), named.probability if named else 0.0


def _passages(named: Named, past: PastConditions) -> tuple[Passage, ...]:
    """Return the wordings in which the names stand in the text, those that are worth most first."""
    by_wording: dict[str, list[Mention]] = {}
    for mention in named.mentions:
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
