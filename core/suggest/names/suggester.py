"""Names of codes beside a model: what it suggests, and what stands in the text by its name.

A code that no model has seen is suggested all the same where its name or a synonym is in the text.
Where both speak for a code, the higher probability counts, for neither was fitted with the other.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import tee
from pathlib import Path

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.evidence.spans import Evidence, Explanation, Passage, Span, without_spans
from core.suggest.names.index import FORMAT, index_file
from core.suggest.names.matcher import LexicalMatcher
from core.suggest.names.mentions import Mention, Named, named_in
from core.suggest.service import Suggester
from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.concepts import Hierarchy

_LOG = logging.getLogger(__name__)
SOURCE = "lexical"


class NamedSuggester:
    """A model, or what stands in its place, and the names of all codes of a vocabulary beside it."""

    def __init__(self, model: Suggester, matcher: LexicalMatcher) -> None:
        self.model = model
        self.matcher = matcher
        self.name = model.name
        self.max_tokens = model.max_tokens
        self.vocabulary_id = model.vocabulary_id
        # What was read without names, or with other ones, is not up to date.
        self.bundle_hash = f"{model.bundle_hash}+names{FORMAT}"

    @property
    def linear(self) -> object:
        """The model's linear suggester, by whose terms documents are compared; None without."""
        return getattr(self.model, "linear", None)

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Prediction:
        """The most probable codes of one document, best first."""
        prediction = self.model.suggest(
            document, limit=limit, threshold=threshold, on_progress=on_progress
        )
        return self._joined(prediction, document, limit, threshold)

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Predictions in the order of the documents."""
        to_model, here = tee(documents)
        predictions = self.model.suggest_batch(
            to_model, limit=limit, threshold=threshold, batch_size=batch_size
        )
        for document, prediction in zip(here, predictions, strict=True):
            yield self._joined(prediction, document, limit, threshold)

    def explain(self, document: Document) -> NamedExplanation:
        """What the model can say about why, and the names."""
        return NamedExplanation(self.model.explain(document), document, self.matcher)

    def _joined(
        self, prediction: Prediction, document: Document, limit: int, threshold: float
    ) -> Prediction:
        started = time.perf_counter()
        best = {one.concept_id: one for one in prediction.suggestions}
        for named in named_in(document, self.matcher):
            known = best.get(named.concept_id)
            if known is None or known.probability < named.probability:
                best[named.concept_id] = self._suggestion(named)
        ordered = sorted(best.values(), key=lambda one: (-one.probability, one.concept_id))
        kept = [one for one in ordered if one.probability >= threshold][:limit]
        branches = self._branches(prediction.branch_probability, kept)
        return replace(
            prediction,
            suggestions=tuple(_ranked(kept, branches)),
            branch_probability=branches,
            bundle_hash=self.bundle_hash,
            seconds=prediction.seconds + time.perf_counter() - started,
        )

    def _suggestion(self, named: Named) -> Suggestion:
        concept = self.matcher.hierarchy[named.concept_id]
        return Suggestion(
            concept_id=concept.concept_id,
            uri=concept.uri,
            notation=concept.notation,
            pref_label=concept.label(self.matcher.language),
            probability=named.probability,
            branch_probability=named.probability,
            rank=0,
            source=SOURCE,
        )

    def _branches(
        self, known: Mapping[str, float], suggestions: Iterable[Suggestion]
    ) -> dict[str, float]:
        """Of every broader concept, never less than of what is below it."""
        hierarchy, branches = self.matcher.hierarchy, dict(known)
        for one in suggestions:
            least = max(one.probability, branches.get(one.concept_id, 0.0))
            above = hierarchy.ancestors(one.concept_id) if one.concept_id in hierarchy else ()
            for broader in above:
                branches[broader] = max(least, branches.get(broader, 0.0))
        return branches


def with_names(model: Suggester, hierarchy: Hierarchy, home: Path) -> NamedSuggester:
    """A model, or what stands in its place, with the names of a vocabulary beside it.

    The first time, that takes some seconds; where the index cannot be kept in the home folder, it
    is made anew at every start.
    """
    try:
        matcher = LexicalMatcher.open(hierarchy, index_file(hierarchy, home))
    except VocabularyError:
        _LOG.warning("the index of names is not kept", exc_info=True)
        matcher = LexicalMatcher(hierarchy)
    return NamedSuggester(model, matcher)


class NamedExplanation:
    """Why codes are suggested for a document: the model's passages, and the names in the text."""

    def __init__(self, model: Explanation, document: Document, matcher: LexicalMatcher) -> None:
        self._model = model
        self._document = document
        self._matcher = matcher
        self._named = {one.concept_id: one for one in named_in(document, matcher)}

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """What speaks for each of these codes; those that nothing speaks for are left out."""
        found = self._model.evidence(concept_ids)
        return {
            concept_id: _with_names(found.get(concept_id), self._named.get(concept_id))
            for concept_id in concept_ids
            if concept_id in found or concept_id in self._named
        }

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """The code's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: neither the model nor the vocabulary has this code.
        """
        try:
            after, before = self._model.without(concept_id, spans)
        except VocabularyError:
            if concept_id not in self._matcher.hierarchy:
                raise
            after = before = 0.0
        cut = without_spans(self._document, spans)
        left = {one.concept_id: one.probability for one in named_in(cut, self._matcher)}
        named = self._named.get(concept_id)
        return max(after, left.get(concept_id, 0.0)), max(before, named.probability if named else 0)


def _ranked(kept: list[Suggestion], branches: Mapping[str, float]) -> Iterator[Suggestion]:
    for rank, one in enumerate(kept, start=1):
        branch = max(one.branch_probability, branches.get(one.concept_id, 0.0))
        yield replace(one, rank=rank, branch_probability=branch)


def _with_names(evidence: Evidence | None, named: Named | None) -> Evidence:
    """The names first, each side with as much of the whole as it makes the code probable.

    A passage of the model's that is a name counts with it.
    """
    if named is None:
        return evidence or Evidence((), {})
    sources = {**(evidence.sources if evidence else {}), SOURCE: named.probability}
    passages = evidence.passages if evidence else ()
    by_model = (
        max((evidence.sources.values() if evidence else ()), default=0.0) if passages else 0.0
    )
    share = named.probability / (named.probability + by_model)
    names = {one.text.casefold(): one for one in _passages(named, share)}
    others = []
    for one in (replace(one, share=(1 - share) * one.share) for one in passages):
        same = names.get(one.text.casefold())
        if same is None:
            others.append(one)
        else:
            names[one.text.casefold()] = replace(same, share=same.share + one.share)
    return Evidence((*names.values(), *others), sources)


def _passages(named: Named, share: float) -> list[Passage]:
    """The wordings in which the names stand in the text, those that are worth most first."""
    by_wording: dict[str, list[Mention]] = {}
    for one in named.mentions:
        by_wording.setdefault(one.written.casefold(), []).append(one)
    return [
        Passage(
            text=those[0].written,
            share=share * len(those) / len(named.mentions),
            spans=tuple(one.span for one in those),
            is_name=True,
        )
        for those in by_wording.values()
    ]
