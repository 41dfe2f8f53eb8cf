"""What a suggester elsewhere names, as concepts of the vocabulary; what is not known counts for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from core.vocabulary.concepts import Concept, Hierarchy, plain_uri
from core.vocabulary.folding import fold_text, stemming

QUALIFIER = re.compile(r"\([^()]*\)")


class NamedElsewhere(NamedTuple):
    """Something that was named in an answer.

    Attributes:
        score: in [0, 1].
        uri: "" where the answer has none; then the label decides.
    """

    label: str
    score: float
    uri: str = ""


class KnownConcepts:
    """Finds the concepts that may be assigned, by URI or by label.

    Labels are compared as search does it, without case, marks and punctuation, and then word by
    word without their endings. A label that means several concepts means none.

    Args:
        language: of the labels.
    """

    def __init__(self, hierarchy: Hierarchy, language: str = "en") -> None:
        self.hierarchy, self.language = hierarchy, language
        self._stem = stemming(language)

    def scores(self, named: Iterable[NamedElsewhere]) -> dict[str, float]:
        """Return the highest score of each concept that was named, by its id."""
        scores: dict[str, float] = {}
        for row in named:
            concept_id = (
                self._by_uri.get(plain_uri(row.uri)) if row.uri else self._by_label(row.label)
            )
            if concept_id is not None:
                scores[concept_id] = max(row.score, scores.get(concept_id, 0.0))
        return scores

    def _by_label(self, label: str) -> str | None:
        folded = fold_text(label)
        exact = self._exact.get(folded)
        return exact if exact is not None else self._stemmed.get(self._without_endings(folded))

    @cached_property
    def _by_uri(self) -> dict[str, str]:
        return {plain_uri(concept.uri): concept.concept_id for concept in self._assignable()}

    @cached_property
    def _exact(self) -> dict[str, str]:
        """Folded labels, and notations; a preferred label before others."""
        exact = _of_one(self._preferred())
        others = _of_one(self._others())
        return {**others, **exact}

    @cached_property
    def _stemmed(self) -> dict[str, str]:
        wordings = [*self._preferred(), *self._others()]
        return _of_one((self._without_endings(text), i) for text, i in wordings)

    def _preferred(self) -> Iterator[tuple[str, str]]:
        for concept in self._assignable():
            yield fold_text(concept.label(self.language)), concept.concept_id

    def _others(self) -> Iterator[tuple[str, str]]:
        for concept in self._assignable():
            label = concept.label(self.language)
            others = *concept.other_labels(self.language), QUALIFIER.sub("", label)
            for text in (*others, concept.notation or ""):
                yield fold_text(text), concept.concept_id

    def _assignable(self) -> Iterator[Concept]:
        concepts = (self.hierarchy[concept_id] for concept_id in self.hierarchy)
        return (concept for concept in concepts if concept.assignable)

    def _without_endings(self, folded: str) -> str:
        return " ".join(self._stem(word) for word in folded.split())


def _of_one(wordings: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the wordings that mean one concept alone."""
    meant: dict[str, set[str]] = {}
    for text, concept_id in wordings:
        meant.setdefault(text, set()).add(concept_id)
    return {text: min(ids) for text, ids in meant.items() if text and len(ids) == 1}
