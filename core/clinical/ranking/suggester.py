"""Codes for a note: what a model suggests and what stands in the note by name, ranked together.

A name is no suggestion of its own beside a model: it is one of the things that a learned ranker
weighs, so that a model can speak against it. It is not asked about a note that is unlike those that
it has learned, if that names any code. What the note denies comes last, whoever suggests it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from core.clinical.asserting.cues import HISTORICAL
from core.clinical.assertions import AssertedPlace, Assertion, assertions_at
from core.clinical.familiar import Familiarity
from core.clinical.names.explanation import SOURCE
from core.clinical.names.index import FORMAT
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import Named, named_in
from core.clinical.notation import category_of
from core.clinical.ranking.denied import denied_last, denied_of, lowered, with_narrower
from core.clinical.ranking.explanation import CodesExplanation
from core.clinical.ranking.features import CodeFeatures, CodeRows
from core.clinical.ranking.outpatients import as_coded
from core.clinical.ranking.ranked import PROBABLE, RankedCodes, in_icd9
from core.clinical.ranking.ranker import CodeRanker
from core.clinical.ranking.reading import AsRead
from core.clinical.sections import has_headings_alone
from core.clinical.stays.rules import OfStay, rank_stay
from core.documents.document import Document
from core.suggest.backends.protocol import Progress
from core.suggest.evidence.spans import Span
from core.suggest.protocol import Suggester
from core.suggest.suggestions import (
    Prediction,
    Suggestion,
    new_suggestion,
    raised_branches,
    ranked,
)
from core.vocabulary.full_titles import full_title

VERSION = f"codes{FORMAT}.26"
"""What changes whenever codes are found or ranked otherwise; part of the hash of what suggests."""
GROUPS = 4
"""Batches of documents that a model is asked for at once."""
N_ASKED = 300
"""Codes that a model is asked for, at least."""
WORTH_A_ROW = 0.3
"""Least probability of a code of a note without any name that the model does not know."""
BESIDE_ANOTHER = 0.1
"""Below it a code has no row where names alone count and another one of its category is probable: of
158 such rows in the invented hospital notes one was right."""
BEHIND = 0.9
"""Of a specific code's probability, what a vague one of its category has at most."""


class CodesSuggester:
    """Suggests codes by their names in the text, and by a model where there is one.

    Args:
        model: None for names alone.
        alone: ranks the names of documents that are not like those that the model has learned
            from, without the model; None for `ranker`.
        newer: opens what ranks the codes of the system that took the place of this one, and knows names
            and rules; where it finds any, they alone count, as the published mappings translate them.
    """

    def __init__(
        self,
        matcher: LexicalMatcher,
        ranker: CodeRanker,
        model: Suggester | None = None,
        alone: CodeRanker | None = None,
        newer: Callable[[], CodesSuggester] | None = None,
    ) -> None:
        self.matcher, self.model, self.ranker = matcher, model, ranker.ranker
        self.features = CodeFeatures(matcher, ranker.counts)
        self.documents = ranker.documents
        self._alone = CodesSuggester(matcher, alone, newer=newer) if alone and model else None
        self._open_newer = newer if model is None else None
        self.hierarchy = matcher.hierarchy
        self.name = model.name if model else "No model"
        # What was read with other names, or ranked otherwise, is not up to date.
        self.bundle_hash = f"{model.bundle_hash if model else 'no-model'}+{VERSION}"

    @property
    def members(self) -> tuple[Suggester, ...]:
        """The model, if there is one."""
        return (self.model,) if self.model else ()

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Progress | None = None,
    ) -> Prediction:
        """Return the most probable codes of one document, best first."""
        prediction, ranking = None, self._by_names(document)
        if ranking is None and self.model is not None:
            read = AsRead.of(document).document
            asked = max(limit, N_ASKED)
            prediction = self.model.suggest(read, limit=asked, on_progress=on_progress)
        return self._joined(document, prediction, ranking, limit=limit, threshold=threshold)

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Yield predictions in the order of the documents."""
        remaining = iter(documents)
        while group := list(islice(remaining, GROUPS * batch_size)):
            rankings = [self._by_names(document) for document in group]
            asked = [d for d, ranking in zip(group, rankings, strict=True) if ranking is None]
            predictions = self._read(asked, max(limit, N_ASKED), batch_size)
            for document, ranking in zip(group, rankings, strict=True):
                prediction = next(predictions) if ranking is None else None
                yield self._joined(document, prediction, ranking, limit=limit, threshold=threshold)

    def explain(self, document: Document) -> CodesExplanation:
        """Read a document for where names stand, and for what the model says of itself."""
        return CodesExplanation(document, self)

    def ranked(self, document: Document, prediction: Prediction | None) -> RankedCodes:
        """Rank the candidates of a document.

        Args:
            prediction: what the model suggests.
        """
        return self._by_names(document) or self._ranked(document, prediction)

    def _by_names(self, document: Document) -> RankedCodes | None:
        """Rank a document by its names; None where the model is to be asked, or there is none."""
        if self._alone is None or self.is_familiar(document):
            return None
        started = time.perf_counter()
        ranking = self._alone.ranked(document, None)
        if not ranking.chances:
            return None
        return replace(ranking, seconds=time.perf_counter() - started)

    @cached_property
    def _newer(self) -> CodesSuggester | None:
        return self._open_newer() if self._open_newer else None

    def _ranked(self, document: Document, prediction: Prediction | None) -> RankedCodes:
        if prediction is None and self._newer is not None:
            newer = self._newer.ranked(document, None)
            # What has no code here has no name here either: an edition without a code for pneumonia
            # due to MRSA would find the words in "Personal history of pneumonia".
            if newer.chances:
                return in_icd9(newer, self.hierarchy)
        # A strange note without any name is left to the model, as far as that is worth a look.
        is_strange = self._alone is not None and not self.is_familiar(document)
        least = WORTH_A_ROW if is_strange else 0.0
        named = self._named(document)
        if prediction is None:
            named = as_coded(named, document)
        if prediction and not named and _has_headings_alone(document):
            prediction = replace(prediction, suggestions=())
        candidates = self.features(document, named, prediction)
        scorer = self.ranker.scorer(has_text=bool(document.text.strip()))
        scored = scorer(candidates.rows).tolist() if candidates.ids else []
        chances = dict(zip(candidates.ids, scored, strict=True))
        denied = with_narrower(denied_of(named), named, candidates.alone, self.matcher)
        chances = _vague_behind(chances, candidates, denied)
        of_stay = OfStay(chances)
        if prediction is None:
            of_stay = rank_stay(document, self.hierarchy, chances, named, candidates, denied)
            chances = dict(of_stay.chances)
            # What other words say is not denied where a name of it is.
            denied = {i: status for i, status in denied.items() if i not in of_stay.places}
        chances |= {i: lowered(chances[i]) for i in denied if i in chances}
        if prediction is None:
            by_name = {i: n for i, n in candidates.named.items() if i not in of_stay.places}
            chances |= _no_surer_than_affirmed(chances, by_name)
            chances = denied_last(_without_poorer(chances, denied), denied)
        best = sorted(chances.items(), key=lambda item: (-item[1], item[0]))
        best = [(code, chance) for code, chance in best if chance >= least]
        denied |= dict.fromkeys(of_stay.over, HISTORICAL)
        return RankedCodes(dict(best), candidates, denied, of_stay.parts, of_stay.places)

    def chances(self, document: Document) -> Mapping[str, float]:
        """Return the probability of every candidate of a document."""
        ranking, prediction = self._by_names(document), None
        if ranking is None and self.model is not None:
            prediction = self.model.suggest(AsRead.of(document).document, limit=N_ASKED)
        return (ranking or self._ranked(document, prediction)).chances

    def by_rules(self, document: Document) -> RankedCodes | None:
        """Return the codes of a document that is ranked by names and rules; None of any other."""
        if self._alone is not None and not self.is_familiar(document):
            return self._alone.by_rules(document)
        return None if self.model is not None else self.ranked(document, None)

    def places(self, document: Document) -> dict[str, tuple[Span, ...]]:
        """Return by code where a document says it, by a name or by a rule, without denying it."""
        return self.ranked(document, None).said_at()

    def denied(self, document: Document) -> Mapping[str, str]:
        """Return the codes that a document names only to deny them, with how it does."""
        if self._alone is not None and not self.is_familiar(document):
            return self._alone.denied(document)
        if self._newer is not None:
            return self.ranked(document, None).denied
        return denied_of(self._named(document))

    def assertions(
        self, document: Document, places: Sequence[AssertedPlace]
    ) -> list[Assertion | None]:
        """Return what is asserted of each of these places; None where it is affirmed.

        Of a name it is what the ranking went by.
        """
        if self._alone is not None and not self.is_familiar(document):
            return self._alone.assertions(document, places)
        if self._newer is not None:
            return self._newer.assertions(document, places)
        mentions = (m for code in self._named(document) for m in code.mentions)
        of_names = {m.span: m.assertion for m in mentions}
        by_rules = assertions_at(document, places)
        return [
            of_names.get(Span(place.field, place.start, place.end), assertion)
            for place, assertion in zip(places, by_rules, strict=True)
        ]

    def familiarity(self, document: Document) -> Familiarity | None:
        """Compare a document with the learned ones; None where nothing is recorded of them."""
        return self.documents(document) if self.documents is not None else None

    def is_familiar(self, document: Document) -> bool:
        """Return whether a document is like those that were learned, as far as that is known."""
        familiarity = self.familiarity(document)
        return familiarity is None or familiarity.is_familiar

    def asserts_by_rules(self, document: Document) -> bool:
        """Return whether rules alone say what a document asserts of a name: of a report that is
        like those that were learned.
        """
        known = self.documents
        return known is not None and known.are_reports and known(document).is_familiar

    # ------------------------------------------------------------------ predictions

    def _named(self, document: Document) -> list[Named]:
        return named_in(document, self.matcher, by_rules=self.asserts_by_rules(document))

    def _read(
        self, documents: Iterable[Document], limit: int, batch_size: int
    ) -> Iterator[Prediction | None]:
        if self.model is None:
            return (None for _ in documents)
        read = (AsRead.of(document).document for document in documents)
        return self.model.suggest_batch(read, limit=limit, batch_size=batch_size)

    def _joined(
        self,
        document: Document,
        prediction_of_model: Prediction | None,
        ranking: RankedCodes | None,
        *,
        limit: int,
        threshold: float,
    ) -> Prediction:
        started = time.perf_counter()
        ranking = ranking or self._ranked(document, prediction_of_model)
        by_model = (
            {row.concept_id: row for row in prediction_of_model.suggestions}
            if prediction_of_model
            else {}
        )
        suggestions = [
            self._suggestion(concept_id, chance, by_model.get(concept_id), ranking)
            for concept_id, chance in list(ranking.chances.items())[:limit]
            if chance >= threshold
        ]
        # A branch is as probable as its best code: many weak ones make none.
        branches = raised_branches({}, suggestions, self.hierarchy)
        own_probability = (
            {i: p for i, p in prediction_of_model.own_probability.items() if i in branches}
            if prediction_of_model
            else {}
        )
        prediction = prediction_of_model or self._of_names(document)
        return replace(
            prediction,
            suggestions=tuple(ranked(suggestions, branches)),
            branch_probability=branches,
            own_probability=own_probability,
            bundle_hash=self.bundle_hash,
            seconds=prediction.seconds + ranking.seconds + time.perf_counter() - started,
        )

    def _of_names(self, document: Document) -> Prediction:
        """Return what is to be said of a reading without a model; its tokens are words."""
        n_words = len(document.title.split()) + len(document.text.split())
        return Prediction((), {}, n_words, n_words, 1, "", self.hierarchy.version, 0.0)

    def _suggestion(
        self, concept_id: str, chance: float, row: Suggestion | None, these: RankedCodes
    ) -> Suggestion:
        named = these.candidates.named.get(concept_id)
        # The row of what is found by name has a badge that says how the note denies it.
        is_denied = named is not None and concept_id in these.denied
        by_name = named is not None and row is not None and named.probability > row.probability
        if row is None or by_name or is_denied:
            title = full_title(concept_id, self.hierarchy)
            row = new_suggestion(self.hierarchy[concept_id], title, SOURCE)
        denied = these.denied.get(concept_id, "")
        return replace(row, probability=chance, branch_probability=chance, denied=denied)


def _no_surer_than_affirmed(
    chances: Mapping[str, float], named: Mapping[str, Named]
) -> dict[str, float]:
    """Return the probabilities of named codes, at most as sure as that the note affirms the name."""
    return {i: min(chances[i], code.affirmed) for i, code in named.items() if i in chances}


def _has_headings_alone(document: Document) -> bool:
    texts = [part.text for part in document.parts]
    return bool(texts) and all(map(has_headings_alone, texts))


def _without_poorer(chances: Mapping[str, float], denied: Mapping[str, str]) -> dict[str, float]:
    """Return probabilities without the faint ones beside a probable one of their category."""
    probable = {category_of(i) for i, chance in chances.items() if chance >= PROBABLE}
    return {
        i: chance
        for i, chance in chances.items()
        if chance >= BESIDE_ANOTHER or i in denied or category_of(i) not in probable
    }


def _vague_behind(
    chances: Mapping[str, float], candidates: CodeRows, denied: Mapping[str, str]
) -> dict[str, float]:
    """Return probabilities where no vague code stands before a specific one that the note names."""
    vague = candidates.having("is_unspecified")
    best: dict[str, float] = {}
    for concept_id in candidates.named.keys() - vague - denied.keys():
        category = category_of(concept_id)
        best[category] = max(best.get(category, 0.0), chances[concept_id])
    return {
        i: min(chance, BEHIND * best.get(category_of(i), 2.0)) if i in vague else chance
        for i, chance in chances.items()
    }
