"""What a model suggests for the words of a query, beside what search finds by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.documents.document import Document
from core.suggest.protocol import AsksElsewhere, Suggester, find_part
from core.suggest.similar import DocumentVectors
from core.vocabulary.search.hits import SearchHit, Why
from core.vocabulary.search.vocabulary_index import MAX_QUERY_CHARACTERS, VocabularyIndex

ENOUGH = 5  # sure hits, beside which nothing related is looked for
MOST_RELATED = 10
LEAST_PROBABILITY = 0.05
PER_RANK = 0.3  # what a label with some of the words is worth beside a probability
LEAST_WORTH, LEAST_SHARE = 0.09, 0.2  # below this, and below this share of the best, none is a hit
SURE = (Why.EXACT, Why.WITHDRAWN, Why.PREFIX, Why.INFLECTED, Why.SYNONYM)


def wants_related(query: str, hits: Sequence[SearchHit]) -> bool:
    """Return whether a query has words, and so few sure hits that a model is asked as well."""
    is_word = any(character.isalpha() for character in query)
    return is_word and sum(hit.why in SURE for hit in hits) < ENOUGH


def suggested_for(query: str, suggester: Suggester, index: VocabularyIndex) -> dict[str, float]:
    """Return what a suggester finds for a title of these words, each with its probability.

    Of words that neither labels nor the model know it would say what is frequent. None is sent to
    another machine, which is asked about documents alone.
    """
    if not index.knows(query) and not _has_term(query, suggester):
        return {}
    document = Document.from_text("", query, "")
    asking = find_part(suggester, AsksElsewhere)  # type: ignore[type-abstract]  # mypy#4717
    here = suggester if asking is None else asking.others
    prediction = here.suggest(document, limit=MOST_RELATED, threshold=LEAST_PROBABILITY)
    return {suggestion.concept_id: suggestion.probability for suggestion in prediction.suggestions}


def with_related(
    hits: Sequence[SearchHit],
    suggested: Mapping[str, float],
    index: VocabularyIndex,
    *,
    language: str,
    limit: int,
) -> list[SearchHit]:
    """Return hits with those that a model suggests, after the sure ones, without weak ones.

    Args:
        suggested: concepts with their probabilities; those that the index lacks are left out.
    """
    sure = [hit for hit in hits if hit.why in SURE]
    near = {hit.concept_id: hit for hit in hits if hit.why is Why.RELATED}
    worth = {concept_id: PER_RANK / rank for rank, concept_id in enumerate(near, start=1)}
    concept_ids = {hit.concept_id for hit in sure}
    for concept_id, probability in suggested.items():
        if concept_id not in concept_ids and concept_id in index:
            worth[concept_id] = worth.get(concept_id, 0) + probability
    least = max(LEAST_WORTH, LEAST_SHARE * max(worth.values(), default=0.0))
    worthy = [concept_id for concept_id in worth if worth[concept_id] >= least]
    best = sorted(worthy, key=lambda concept_id: -worth[concept_id])
    related = [near.get(concept_id) or index.hit(concept_id, language) for concept_id in best]
    taken = concept_ids.union(worth)
    rest = [hit for hit in hits if hit.concept_id not in taken]
    return [*sure, *related, *rest][:limit]


def _has_term(query: str, suggester: Suggester) -> bool:
    vectors = find_part(suggester, DocumentVectors)  # type: ignore[type-abstract]  # mypy#4717
    return vectors is not None and vectors.vector(query, "").nnz > 0


class ConceptSearch:
    """Searches as the search box does, with the related concepts that it adds.

    Args:
        suggester: opens a model when the first query wants one; None where there is none.
    """

    def __init__(
        self, index: VocabularyIndex, suggester: Callable[[], Suggester] | None = None
    ) -> None:
        self._index, self._open = index, suggester
        self._opened: Suggester | None = None

    def find(self, query: str, *, language: str = "en", limit: int = 20) -> list[SearchHit]:
        """Return the concepts that may be assigned, best first."""
        hits = self._index.search(query, language=language, limit=limit, divisions=False)
        if self._open is None or not wants_related(query, hits):
            return hits
        if self._opened is None:
            self._opened = self._open()
        suggested = suggested_for(query[:MAX_QUERY_CHARACTERS], self._opened, self._index)
        return with_related(hits, suggested, self._index, language=language, limit=limit)
