"""Candidates with their features for a document whose vocabulary no model has learned.

Source of the features of labels: Maui and MLLM (https://github.com/NatLibFi/Annif/wiki), read, not
copied.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.clinical.encounters import is_called_by_note
from core.documents.document import Document
from core.errors import TooSlowError
from core.model.terms import StemmedWords, unit_length
from core.suggest.branches import logits
from core.suggest.cold_start.reading import TextReader
from core.suggest.ranking.decided import (
    EMPTY_ROW,
    Experience,
    LearnedDocument,
    LearnedDocuments,
    Positions,
    SparseRow,
)
from core.suggest.ranking.features import Candidates
from core.suggest.ranking.label_features import (
    TEXT_FEATURES,
    TITLE_FEATURES,
    filled,
    standing,
    text_features,
    title_features,
)
from core.suggest.ranking.label_matcher import LabelMatcher, LabelMatches
from core.suggest.similar import N_HASHED, READ_CHARACTERS, TITLE_SHARE
from core.vocabulary.labels import LabelSpace

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import HashingVectorizer

Array = npt.NDArray[np.float32]

N_SIMILAR = 20
LEAST_VOTE = 0.04
LEAST_LIKENESS = 0.4
"""Of the similar documents that have a concept, together, before any is finished; it falls to 0."""
FEW_FINISHED = 10
"""Of fewer documents, shares say little: of one, all that it has is all that similar ones have."""
MOST_FREQUENT = 20
FEW_DOCUMENTS = 20.0  # the share of a concept among fewer says little

FEATURES = (
    *TITLE_FEATURES,
    *TEXT_FEATURES,
    "standing",
    "narrower_standing",
    "broader_standing",
    "siblings_standing",
    "narrower",
    "words",
    "length",
    "right_in_titles",
    "right_in_texts",
    "seen_in_titles",
    "seen_in_texts",
    "frequency",
    "share",
    "votes",
    "votes_of_nearest",
    "nearest",
    "decided",
)
"""Columns of the rows of candidates, by name."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "label": (
        *TITLE_FEATURES,
        *TEXT_FEATURES,
        "standing",
        "right_in_titles",
        "right_in_texts",
        "seen_in_titles",
        "seen_in_texts",
        "words",
    ),
    "branch": ("narrower_standing", "broader_standing", "siblings_standing", "narrower"),
    "similar": ("votes", "votes_of_nearest", "nearest"),
    "habit": ("frequency", "share", "length", "decided"),
}
"""Features by what they are of, as a reader is told of them."""


class SimilarDecided(NamedTuple):
    """Decided documents that read like another: rows of an `Experience`, and how like they are."""

    rows: Positions
    likeness: Array


NOTHING = SimilarDecided(np.empty(0, np.int32), np.empty(0, np.float32))


class _SimilarVotes(NamedTuple):
    """What similar documents have: the likeness of those that have each concept, together; its share
    of the likeness of all; and the best likeness.
    """

    likeness: Array
    share: Array
    of_nearest: Array
    nearest: Array


class Reading(NamedTuple):
    """What is in a document whatever was decided: labels in its title and text, and its terms."""

    in_title: LabelMatches
    in_text: LabelMatches
    terms: SparseRow


NO_MATCHES = LabelMatches({}, 0)


class ColdStartCandidates:
    """Finds a document's candidates and their features; may be used from several threads.

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
        self.label_space, self.language, self.reader = label_space, language, reader
        self.matcher = LabelMatcher(label_space, language) if labels and reader is None else None
        self.words = StemmedWords(language)
        self._columns = np.flatnonzero(label_space.assignable)
        # The document that was just suggested for is the one that is explained, or learned, next.
        self.read_elsewhere = lru_cache(maxsize=4)(reader.reading) if reader is not None else None
        self.matches = lru_cache(maxsize=4)(self._matches)
        self.terms = lru_cache(maxsize=4)(self._terms)

    def __len__(self) -> int:
        """How many concepts may be assigned."""
        return len(self._columns)

    def nothing_decided(self, always: Iterable[LearnedDocument] = ()) -> LearnedDocuments:
        """Return what is known before anything was decided.

        Args:
            always: documents that are known from the beginning.
        """
        return LearnedDocuments(len(self), N_HASHED, always)

    def __call__(
        self, document: Document, experience: Experience, also: Positions = NOTHING.rows
    ) -> Candidates:
        """Return the candidates of a document, given what was decided before.

        Args:
            also: concepts that are candidates whatever is known of them.
        """
        return self.described(self.reading(document), experience, also)

    def reading(self, document: Document) -> Reading:
        """Return what is in a document."""
        return Reading(*self.matches(document), self.terms(document))

    def described(
        self, reading: Reading, experience: Experience, also: Positions = NOTHING.rows
    ) -> Candidates:
        """Return the candidates of what was read before."""
        in_title, in_text, terms = reading
        votes = self._votes(SimilarDecided(*experience.similar(terms, N_SIMILAR)), experience)
        table = {
            **title_features(in_title, len(self)),
            **text_features(in_text, len(self)),
            **self._around(in_title, in_text),
            **self._constant,
            **_experience(experience, len(self)),
            "length": filled(len(self), np.log1p(in_title.n_words + in_text.n_words)),
            "votes": votes.share,
            "votes_of_nearest": votes.of_nearest,
            "nearest": votes.nearest,
        }
        chosen = {*in_title.concepts, *in_text.concepts, *also.tolist()}
        chosen.update(_of_similar(votes, experience.n_documents).tolist())
        chosen.update(_most_frequent(experience).tolist())
        positions = np.array(sorted(chosen), dtype=np.int64)
        rows = np.stack([table[name][positions] for name in FEATURES], axis=1)
        return Candidates(positions, rows.astype(np.float32))

    def similar(self, document: Document, experience: Experience) -> SimilarDecided:
        """Return the decided documents most similar to this one."""
        return SimilarDecided(*experience.similar(self.terms(document), N_SIMILAR))

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
            reading = Reading(NO_MATCHES, NO_MATCHES, EMPTY_ROW)
        matches_by_field = {"title": reading.in_title, "text": reading.in_text}
        return LearnedDocument(
            document_id=document.document_id,
            version=version,
            assigned=assigned,
            rejected=rejected,
            standing={where: _alone(matches) for where, matches in matches_by_field.items()},
            terms=reading.terms,
            suggested=suggested,
        )

    def _matches(self, document: Document) -> tuple[LabelMatches, LabelMatches]:
        if self.read_elsewhere is not None:
            return self.read_elsewhere(document)[:2]
        if self.matcher is None:
            return NO_MATCHES, NO_MATCHES
        return self.matcher.find(document.title), self.matcher.find(document.text)

    def terms_among(self, document: Document, words: Collection[str]) -> SparseRow:
        """Return the terms of a document as if it had these words alone, stemmed."""
        return self._vector(document, lambda text: [w for w in self.words(text) if w in words])

    def _terms(self, document: Document) -> SparseRow:
        if self.read_elsewhere is not None:
            return self.read_elsewhere(document).terms
        return self._vector(document, self.words)

    def _vector(self, document: Document, cut: Callable[[str], list[str]]) -> SparseRow:
        # What names the kind and the day of a note says nothing of what it is about.
        title = "" if is_called_by_note(document) else document.title
        counts = _hashed(cut).transform([title, document.text[:READ_CHARACTERS]])
        of_title, of_text = (self._unit(counts[row]) for row in (0, 1))
        joined = sp.csr_matrix(TITLE_SHARE * of_title + (1 - TITLE_SHARE) * of_text)
        return SparseRow(joined.indices.astype(np.int32), unit_length(joined.data))

    def _unit(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        weights = unit_length(1 + np.log(np.maximum(counts.data, 1), dtype=np.float32))
        return sp.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)

    def _votes(self, similar: SimilarDecided, experience: Experience) -> _SimilarVotes:
        rows, likeness = similar
        if not len(rows):
            return _SimilarVotes(*(filled(len(self), 0.0) for _ in _SimilarVotes._fields))
        decided = sp.csr_matrix(experience.assigned[rows] - experience.rejected[rows])
        together = decided.T @ likeness
        share = together / likeness.sum()
        few = max(len(rows) // 4, 1)
        of_nearest = decided[:few].T @ likeness[:few] / likeness[:few].sum()
        having = sp.csr_matrix(experience.assigned[rows].multiply(likeness[:, None]))
        nearest = having.max(axis=0).toarray()[0]
        return _SimilarVotes(
            *(np.asarray(part, np.float32) for part in (together, share, of_nearest, nearest))
        )

    def _around(self, in_title: LabelMatches, in_text: LabelMatches) -> dict[str, Array]:
        """Return in how many places of the tree around each concept a label stands as well."""
        here = standing(in_title, in_text, len(self))
        stands = (here > 0).astype(np.float32)
        above = self._broader @ stands
        below = self._broader.T @ stands
        # Of what is below the concepts above it; itself is counted once for each of them.
        beside = self._broader @ below - stands * np.asarray(self._broader.sum(axis=1)).ravel()
        return {
            "standing": here,
            "broader_standing": above,
            "narrower_standing": np.log1p(below),
            "siblings_standing": np.log1p(np.maximum(beside, 0)),
        }

    @cached_property
    def _broader(self) -> sp.csr_matrix:
        """Return a matrix with 1 where the column's concept is broader than the row's."""
        position = np.full(len(self.label_space), -1)
        position[self._columns] = np.arange(len(self))
        pairs = position[self.label_space.broader_pairs]
        narrower, broader = pairs[(pairs >= 0).all(axis=1)].T
        ones = np.ones(len(narrower), dtype=np.float32)
        return sp.csr_matrix((ones, (narrower, broader)), shape=(len(self), len(self)))

    @cached_property
    def _constant(self) -> dict[str, Array]:
        """Return what is the same for all documents."""
        ids = [self.label_space.concept_ids[column] for column in self._columns.tolist()]
        hierarchy, language = self.label_space.hierarchy, self.language
        n_words = [len(hierarchy[i].label(language).split()) for i in ids]
        return {
            "narrower": np.log1p(np.asarray(self._broader.sum(axis=0)).ravel()),
            "words": np.array(n_words, dtype=np.float32),
        }


def _experience(experience: Experience, n_concepts: int) -> dict[str, Array]:
    """Return what decided documents say of concepts, whatever the document at hand."""
    return {
        "right_in_titles": logits(experience.right("title")),
        "right_in_texts": logits(experience.right("text")),
        "seen_in_titles": np.log1p(experience.n_standing["title"]),
        "seen_in_texts": np.log1p(experience.n_standing["text"]),
        "frequency": np.log1p(experience.n_assigned),
        "share": experience.n_assigned / (experience.n_documents + FEW_DOCUMENTS),
        "decided": filled(n_concepts, np.log1p(experience.n_documents)),
    }


def _of_similar(votes: _SimilarVotes, n_finished: int) -> Positions:
    """Return the concepts that similar documents have; the fewer are finished, the more alike."""
    least = LEAST_LIKENESS * max(0.0, 1 - n_finished / FEW_FINISHED)
    is_chosen = (votes.share > LEAST_VOTE) & (votes.likeness >= least)
    return np.flatnonzero(is_chosen).astype(np.int32)


def _most_frequent(experience: Experience) -> Positions:
    """Return the concepts that were assigned most often, to more than one document of not few."""
    if experience.n_documents < FEW_FINISHED:
        return NOTHING.rows
    number = min(MOST_FREQUENT, len(experience.n_assigned))
    best = (
        np.argpartition(-experience.n_assigned, number - 1)[:number] if number else np.empty(0, int)
    )
    return best[experience.n_assigned[best] > 1].astype(np.int32)


def _hashed(cut: Callable[[str], list[str]]) -> HashingVectorizer:
    # It takes half a second to import, which a server whose projects have models need not spend.
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(n_features=N_HASHED, alternate_sign=False, norm=None, analyzer=cut)


def _alone(matches: LabelMatches) -> Positions:
    """Return the concepts of which a label stands in no longer one."""
    columns = sorted(concept for concept, match in matches.concepts.items() if match.n_alone)
    return np.array(columns, dtype=np.int32)
