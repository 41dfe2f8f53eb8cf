"""What stands in a model's place where no bundle knows the vocabulary: it suggests nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.evidence.spans import Evidence, Explanation, Span
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy

NAME, HASH = "No model", "no-model"
MAX_TOKENS = 1_000_000  # nothing is cut


class NoModel:
    """A suggester without suggestions, to which others can be joined."""

    name = NAME
    bundle_hash = HASH
    max_tokens = MAX_TOKENS

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.vocabulary_id = hierarchy.vocabulary_id

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Prediction:
        """A prediction without suggestions; tokens are words here."""
        started = time.perf_counter()
        n_words = len(document.title.split()) + len(document.text.split())
        if on_progress:
            on_progress(1, 1)
        seconds = time.perf_counter() - started
        return Prediction((), {}, n_words, n_words, 1, HASH, self.hierarchy.version, seconds)

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """The same for each document, in their order."""
        for document in documents:
            yield self.suggest(document, limit=limit, threshold=threshold)

    def explain(self, document: Document) -> Explanation:
        """Nothing speaks for anything."""
        return _NoExplanation()


class _NoExplanation:
    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Of no concept."""
        return {}

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Refused, as nothing can be assigned."""
        raise VocabularyError("No model knows this vocabulary, so there is nothing to try out.")
