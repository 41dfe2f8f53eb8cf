"""The suggesters of a project with one elsewhere beside them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.backends.protocol import Progress
from core.suggest.elsewhere.member import ElsewhereMember, Said
from core.suggest.evidence.spans import Evidence, Span
from core.suggest.protocol import Explainer, Explanation, Suggester
from core.suggest.suggestions import (
    FromElsewhere,
    Prediction,
    Suggestion,
    asking,
    new_suggestion,
    rescored,
    source_of,
)

N_ASKED = 100
"""Of the others, at least so many suggestions are compared with those from elsewhere."""
GROUP = 64
"""Documents of a batch that are asked about together."""
DIGITS = 5


def mean_chance(score: float, local: float) -> float:
    """Return the probability of a concept that was suggested elsewhere: the mean of both.

    It is never less than without the suggester elsewhere, which names the best of its concepts only.

    Args:
        score: that it was given elsewhere, in [0, 1].
        local: what the others of the project give it; 0 where they do not suggest it.
    """
    return max(local, (score + local) / 2)


class WithElsewhere:
    """Suggests what others do, and what a suggester elsewhere adds to that.

    Args:
        others: what suggests in the project without it.
        denied: returns concepts that a document says do not hold; they are never raised.
    """

    def __init__(
        self,
        others: Suggester,
        member: ElsewhereMember,
        denied: Callable[[Document], Collection[str]] = lambda _: (),
    ) -> None:
        self.others, self.member, self._denied = others, member, denied
        self.members = (others,)
        self.name, self.hierarchy = others.name, member.hierarchy
        self.source = source_of(member.chosen.said)
        self.bundle_hash = asking(others.bundle_hash, member.chosen.identity)

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Progress | None = None,
    ) -> Prediction:
        """Return the most probable concepts of one document, best first."""
        asked = self.member.ask(document)  # answers while the others read
        prediction = self.others.suggest(
            document, limit=max(limit, N_ASKED), on_progress=on_progress
        )
        answer = self._allowed(document, self.member.answer(asked))
        return self.joined(prediction, answer, limit=limit, threshold=threshold)

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Yield predictions in the order of the documents, some of which are asked about at once."""
        remaining = iter(documents)
        while group := list(islice(remaining, GROUP)):
            asked = [self.member.ask(document) for document in group]
            predictions = self.others.suggest_batch(
                group, limit=max(limit, N_ASKED), batch_size=batch_size
            )
            for document, answer, prediction in zip(group, asked, predictions, strict=True):
                answered = self._allowed(document, self.member.answer(answer))
                yield self.joined(prediction, answered, limit=limit, threshold=threshold)

    def joined(
        self, prediction: Prediction, answer: Said, *, limit: int, threshold: float
    ) -> Prediction:
        """Join the suggestions of the project's suggester with those from elsewhere."""
        given = {row.concept_id: row.probability for row in prediction.suggestions}
        beside = {i: given.get(i, prediction.own_probability.get(i, 0.0)) for i in answer.scores}
        chances = given | {i: mean_chance(s, beside[i]) for i, s in answer.scores.items()}
        joined = rescored(
            prediction, chances, self.hierarchy, limit=limit, threshold=threshold, added=self._added
        )
        return replace(
            joined,
            bundle_hash=self.bundle_hash,
            elsewhere=FromElsewhere(
                name=self.member.chosen.said,
                identity=self.member.chosen.identity,
                found={
                    i: (round(s, DIGITS), round(beside[i], DIGITS))
                    for i, s in answer.scores.items()
                },
                problem=answer.problem,
            ),
        )

    def explain(self, document: Document) -> ExplanationWithElsewhere:
        """Read a document for explanations, and ask elsewhere where the answer is no longer cached."""
        asked = self.member.ask(document)
        explanation = self.others.explain(document) if isinstance(self.others, Explainer) else None
        answer = self._allowed(document, self.member.answer(asked))
        return ExplanationWithElsewhere(explanation, answer.scores, self.source)

    def _allowed(self, document: Document, answer: Said) -> Said:
        """What is said, without what the document itself denies."""
        denied = frozenset(self._denied(document)) if answer.scores else frozenset()
        scores = {i: score for i, score in answer.scores.items() if i not in denied}
        return answer._replace(scores=scores)

    def _added(self, concept_id: str) -> Suggestion:
        concept = self.hierarchy[concept_id]
        return new_suggestion(concept, concept.label(), self.source)


class ExplanationWithElsewhere:
    """What the others say of a document, and that a concept was suggested elsewhere.

    Args:
        own: None where the others cannot explain themselves.
        scores: of the concepts that were suggested elsewhere.
    """

    def __init__(
        self, explanation: Explanation | None, scores: Mapping[str, float], source: str
    ) -> None:
        self._own, self._scores, self._source = explanation, scores, source

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these concepts, without those that cannot be assigned."""
        evidence = self._own.evidence(concept_ids) if self._own else {}
        for concept_id in concept_ids:
            score = self._scores.get(concept_id)
            if score is not None:
                own_evidence = evidence.get(concept_id) or Evidence((), {})
                alone = mean_chance(score, 0.0)
                evidence[concept_id] = replace(
                    own_evidence, sources={**own_evidence.sources, self._source: alone}
                )
        return evidence

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the concept's probability with these characters deleted, and with all of them.

        What was said elsewhere stays as it is: the shortened text is not sent.

        Raises:
            VocabularyError: nothing here can assign this concept.
        """
        score = self._scores.get(concept_id)
        after = before = 0.0
        try:
            if self._own is None:
                raise VocabularyError("Nothing here can explain itself.")
            after, before = self._own.without(concept_id, spans)
        except VocabularyError:
            if score is None:
                raise
        if score is None:
            return after, before
        return mean_chance(score, after), mean_chance(score, before)
