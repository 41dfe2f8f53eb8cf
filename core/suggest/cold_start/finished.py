"""Reads documents, and finds their candidates in the light of what was decided on others: where no
model has learned the vocabulary, or to correct one.

Another process may look through the text. What was decided is known in the server, which reads no
text for it: it gets the labels that stand there, without their places, and hashed terms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from core.clinical.encounters import is_called_by_note
from core.documents.document import Document
from core.errors import TooSlowError
from core.model.terms import StemmedWords, count_words, end_of_word, unit_length
from core.suggest.evidence.spans import Evidence
from core.suggest.ranking.candidates import N_FINISHED, CandidateGenerator, Candidates, Suggested
from core.suggest.ranking.decided import (
    EMPTY_ROW,
    Array,
    Experience,
    LearnedDocument,
    LearnedDocuments,
    Positions,
    SimilarRows,
    SparseRow,
)
from core.suggest.ranking.features import COLD_START_FEATURES, CORRECTION_FEATURES
from core.suggest.ranking.label_matcher import LabelMatcher, LabelMatches
from core.suggest.similar import N_HASHED, READ_CHARACTERS, TITLE_SHARE
from core.vocabulary.labels import LabelSpace

Right = dict[str, Array]
"""By field, the probability that a concept is assigned whose label stands there, (n_assignable,)."""

NO_MATCHES = LabelMatches({}, 0)


class TextReading(NamedTuple):
    """The words and labels of a document, and how much of it is read."""

    in_title: LabelMatches = NO_MATCHES
    in_text: LabelMatches = NO_MATCHES
    terms: SparseRow = EMPTY_ROW
    n_tokens: int = 0
    n_tokens_read: int = 0
    n_characters_read: int = 0

    def without_places(self) -> TextReading:
        """Return what does not grow with the text, but for the number of concepts."""
        in_title, in_text = (
            matches._replace(
                concepts={i: replace(match, places=[]) for i, match in matches.concepts.items()}
            )
            for matches in (self.in_title, self.in_text)
        )
        return self._replace(in_title=in_title, in_text=in_text)


class TextReader(Protocol):
    """Looks through documents elsewhere; each raises `TooSlowError` and `ModelStoppedError`."""

    def reading(self, document: Document) -> TextReading:
        """Return what is in a document."""

    def labels(
        self, document: Document, concept_ids: Sequence[str], right: Right
    ) -> Mapping[str, Evidence]:
        """Return where labels of concepts that may be assigned stand."""


MAX_WORDS = 200_000  # a long book; some ten seconds
N_KEPT = 64
"""Readings: a document that was just suggested for is explained or learned next, and a group of
documents is read before the first of them is ranked.
"""


class FinishedCandidates:
    """Finds the candidates of a document, given what was decided on those that are finished; may be
    used from several threads.

    Args:
        language: of the labels that are looked for, and of the documents.
        labels: whether labels are looked for at all; names of codes are found by a suggester of
            their own, which knows what a note asserts of them.
        reader: looks through texts elsewhere; None where that is done here.
    """

    def __init__(
        self,
        label_space: LabelSpace,
        language: str = "en",
        *,
        labels: bool = True,
        reader: TextReader | None = None,
    ) -> None:
        self.label_space, self.reader = label_space, reader
        self.matcher = LabelMatcher(label_space, language) if labels and reader is None else None
        self._generator = CandidateGenerator(label_space, language)
        self.words = StemmedWords(language)
        self.reading = lru_cache(N_KEPT)(reader.reading if reader is not None else self._reading)

    def nothing_decided(self, always: Iterable[LearnedDocument] = ()) -> LearnedDocuments:
        """Return what is known before anything was decided.

        Args:
            always: documents that are known from the beginning.
        """
        return LearnedDocuments(len(self._generator), N_HASHED, always)

    def __call__(
        self, document: Document, experience: Experience, suggested: Suggested | None = None
    ) -> Candidates:
        """Return the candidates of a document, given what was decided before.

        Args:
            suggested: by the model that is corrected; None where there is none.
        """
        return self.described(self.reading(document), experience, suggested)

    def described(
        self, reading: TextReading, experience: Experience, suggested: Suggested | None = None
    ) -> Candidates:
        """Return the candidates of what was read before."""
        generator, similar = self._generator, experience.similar(reading.terms, N_FINISHED)
        sources = [
            generator.of_labels(reading.in_title, reading.in_text),
            generator.of_finished(experience, similar),
        ]
        if suggested is None:
            return generator(COLD_START_FEATURES, *sources)
        return generator(
            CORRECTION_FEATURES, *sources, generator.of_model(suggested, experience, similar)
        )

    def similar(self, document: Document, experience: Experience) -> SimilarRows:
        """Return the decided documents most similar to this one."""
        return experience.similar(self.reading(document).terms, N_FINISHED)

    def decided(
        self,
        document: Document,
        version: int,
        assigned: Positions,
        rejected: Positions,
        suggested: SparseRow = EMPTY_ROW,
    ) -> LearnedDocument:
        """Return what a finished document says; of a text that takes too long, its concepts alone."""
        try:
            reading = self.reading(document)
        except TooSlowError:
            reading = TextReading()
        return LearnedDocument(
            document_id=document.document_id,
            version=version,
            assigned=assigned,
            rejected=rejected,
            standing={"title": _alone(reading.in_title), "text": _alone(reading.in_text)},
            terms=reading.terms,
            suggested=suggested,
        )

    def terms_among(self, document: Document, words: Collection[str]) -> SparseRow:
        """Return the terms of a document as if it had these words alone, stemmed."""
        return self._vector(document, lambda text: [w for w in self.words(text) if w in words])

    def _reading(self, document: Document) -> TextReading:
        """Look through a document, up to the word of the greatest number."""
        n_title, n_text = count_words(document.title), count_words(document.text)
        end = end_of_word(document.text, MAX_WORDS) if n_text > MAX_WORDS else len(document.text)
        text = document.text[:end]
        return TextReading(
            in_title=self._matches(document.title),
            in_text=self._matches(text),
            terms=self._vector(document, self.words),
            n_tokens=n_title + n_text,
            n_tokens_read=n_title + min(n_text, MAX_WORDS),
            n_characters_read=len(text) if n_text else 0,
        )

    def _matches(self, text: str) -> LabelMatches:
        return self.matcher.find(text) if self.matcher is not None else NO_MATCHES

    def _vector(self, document: Document, cut: Callable[[str], list[str]]) -> SparseRow:
        # It takes half a second to import, which a server whose projects have models need not spend.
        from sklearn.feature_extraction.text import HashingVectorizer

        words = HashingVectorizer(
            n_features=N_HASHED, alternate_sign=False, norm=None, analyzer=cut
        )
        # What names the kind and the day of a note says nothing of what it is about.
        title = "" if is_called_by_note(document) else document.title
        counts = words.transform([title, document.text[:READ_CHARACTERS]])
        of_title, of_text = (self._unit(counts[row]) for row in (0, 1))
        joined = sp.csr_matrix(TITLE_SHARE * of_title + (1 - TITLE_SHARE) * of_text)
        return SparseRow(joined.indices.astype(np.int32), unit_length(joined.data))

    def _unit(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        weights = unit_length(1 + np.log(np.maximum(counts.data, 1), dtype=np.float32))
        return sp.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)


def _alone(matches: LabelMatches) -> Positions:
    """Return the concepts of which a label stands in no longer one."""
    columns = sorted(concept for concept, match in matches.concepts.items() if match.n_alone)
    return np.array(columns, dtype=np.int32)
