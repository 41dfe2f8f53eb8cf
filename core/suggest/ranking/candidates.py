"""What a candidate is: a concept that is considered for a document, with the numbers by which a
ranker ranks it.

A concept is a candidate where a label of it stands in the document (`of_labels`), where similar
documents have it (`of_indexed`, `of_finished`), where suggesters find it (`of_suggesters`) or a
model that is corrected does (`of_model`), and where people assign it most of all (`of_finished`).
Each of these sources also knows numbers of all concepts, the features that `features.TABLE` lists;
a candidate has those for which its ranker has weights.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.suggest.branches import LabelScores
from core.suggest.calibration import logits
from core.suggest.evidence.spans import Grounds
from core.suggest.ranking.decided import Experience, Positions, SimilarRows, SparseRow
from core.suggest.ranking.features import (
    IN_TEXT,
    IN_TITLE,
    MEMBERS,
    CountedKinds,
    kinds_of_features,
)
from core.suggest.ranking.indexed import IndexedDocuments, highest
from core.suggest.ranking.label_matcher import LabelMatches
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]

BEST_OF_MEAN, BEST_OF_MEMBER, BEST_OF_MODEL = 100, 40, 100
N_INDEXED, N_FINISHED = 10, 20
"""Documents that are most similar to one, of those that are indexed, and of those finished here."""
LEAST_VOTE_OF_INDEXED, LEAST_VOTE_OF_FINISHED = 0.15, 0.04
"""Of what all similar documents say."""
LEAST_LIKENESS = 0.4
"""Of the similar documents that have a concept, together, before any is finished; it falls to 0."""
FEW_FINISHED = 10
"""Of fewer documents, shares say little: of one, all that it has is all that similar ones have."""
MOST_FREQUENT = 20

N_SUPPORTING = 12
FAR, NOWHERE = 12.0, 1.5
"""Of a text without a label: the logarithm of the word's number, and its share of the text."""
NO_BRANCH = -20.0  # log-odds
LEAST_CHANCE = 1e-5
"""Of a concept that the model does not suggest."""
UNRANKED = 300
LEAST_EXPECTED = 0.01
"""What a model gave less than this on finished documents is not counted."""


class Candidates(NamedTuple):
    """What may be suggested for a document.

    Attributes:
        positions: of the concepts among those that may be assigned, ascending, (n_candidates,).
        rows: their features, (n_candidates, n_features).
        features: the names of these, by column.
    """

    positions: npt.NDArray[np.int64]
    rows: Array
    features: tuple[str, ...]

    def column(self, name: str) -> Array:
        """Return a feature of all candidates."""
        column: Array = self.rows[:, self.features.index(name)]
        return column


class Source(NamedTuple):
    """What one source knows of the concepts of a document.

    Attributes:
        chosen: positions of those that it makes candidates.
        columns: its features by name, (n_concepts,) each.
    """

    chosen: Collection[int]
    columns: Mapping[str, Array]


class Suggested(NamedTuple):
    """Concepts that a model suggests for a document, best first.

    Attributes:
        chances: its probabilities.
    """

    positions: Positions
    chances: Array

    @classmethod
    def of(cls, chances: SparseRow) -> Suggested:
        """Return the remembered suggestions in the order of their probabilities."""
        order = np.argsort(-chances.values, kind="stable")
        return cls(chances.columns[order], chances.values[order])

    def counted(self) -> SparseRow:
        """Return the suggestions to remember when the document is finished."""
        counted = self.chances >= LEAST_EXPECTED
        return SparseRow(self.positions[counted], self.chances[counted])


class CandidateGenerator:
    """Puts together what sources know of a document; may be used from several threads.

    Args:
        language: of the labels whose words are counted.
    """

    def __init__(self, label_space: LabelSpace, language: str = "en") -> None:
        self.label_space, self.language = label_space, language
        self.columns = label_space.assignable_columns

    def __len__(self) -> int:
        """How many concepts may be assigned."""
        return len(self.columns)

    def __call__(self, features: tuple[str, ...], *sources: Source) -> Candidates:
        """Return all that any source makes a candidate, described by these features."""
        positions = np.array(sorted(set().union(*(s.chosen for s in sources))), dtype=np.int64)
        columns = dict(self._constant)
        for source in sources:
            columns |= source.columns
        rows = np.stack([columns[name][positions] for name in features], axis=1)
        return Candidates(positions, rows.astype(np.float32), features)

    # ------------------------------------------------------------------ sources

    def of_labels(self, in_title: LabelMatches, in_text: LabelMatches) -> Source:
        """Return every concept of which a label stands in the title or the text."""
        title = np.zeros((len(self), len(IN_TITLE)), dtype=np.float32)
        places, alone, _, words, preferred = _counts(in_title)
        title[list(in_title.concepts)] = np.stack([places, alone, words, preferred], axis=1)
        nothing = [0, 0, FAR, NOWHERE, 0, 0, 0]
        text = np.tile(np.array(nothing, dtype=np.float32), (len(self), 1))
        places, alone, first, words, preferred = _counts(in_text)
        n_words = max(in_text.n_words, 1)
        logarithms, density = np.log1p([places, alone, first]), 1000 * places / n_words
        of_text = np.stack([*logarithms, first / n_words, words, preferred, density], axis=1)
        text[list(in_text.concepts)] = of_text
        standing = self._filled(0)
        standing[list(in_title.concepts)] += 1
        standing[list(in_text.concepts)] += 2
        columns = {
            **dict(zip(IN_TITLE, title.T, strict=True)),
            **dict(zip(IN_TEXT, text.T, strict=True)),
            **self._around(standing),
            "standing": standing,
            "length": self._filled(np.log1p(in_title.n_words + in_text.n_words)),
        }
        return Source({*in_title.concepts, *in_text.concepts}, columns)

    def of_suggesters(self, members: Sequence[LabelScores], mean: LabelScores) -> Source:
        """Return the best of the mean of a bundle's suggesters, and of each.

        Args:
            members: calibrated scores of each of `MEMBERS`.
            mean: of them.
        """
        probability = mean.assigned[self.columns]
        by_member = [logits(scores.assigned[self.columns]) for scores in members]
        best = [
            highest(probability, BEST_OF_MEAN),
            *(highest(m, BEST_OF_MEMBER) for m in by_member),
        ]
        rank = self._filled(0)
        rank[np.argsort(-probability, kind="stable")] = np.arange(len(self))
        branches = np.where(np.isneginf(mean.levels), NO_BRANCH, logits(np.maximum(mean.levels, 0)))
        above = np.full(len(self.label_space), NO_BRANCH, dtype=np.float32)
        narrower, broader = self.label_space.broader_pairs.T
        np.maximum.at(above, narrower, branches[broader])
        columns = {
            **dict(zip(MEMBERS, by_member, strict=True)),
            "mean": logits(probability),
            "rank": np.log1p(rank),
            "expected": self._filled(np.log(probability.sum() + 1e-9)),
            "branch": branches[self.columns],
            "broader": above[self.columns],
        }
        return Source(np.concatenate(best).tolist(), columns)

    def of_indexed(
        self, indexed: IndexedDocuments, similar: SimilarRows, mean: LabelScores
    ) -> Source:
        """Return what similar documents have, of those with which a bundle was made.

        Args:
            mean: of the bundle's suggesters.
        """
        assigned = indexed.assigned[similar.rows]
        share = _share(similar.likeness, assigned)
        probability = mean.assigned[self.columns]
        best = highest(probability, N_SUPPORTING)
        support = sp.csr_matrix(probability[best][None]) @ indexed.together[best]
        columns = {
            **indexed.columns,
            "votes": share,
            "nearest": _nearest(similar.likeness, assigned),
            "support": support.toarray()[0],
        }
        return Source(np.flatnonzero(share > LEAST_VOTE_OF_INDEXED).tolist(), columns)

    def of_finished(self, experience: Experience, similar: SimilarRows) -> Source:
        """Return what similar documents have, and what was assigned most often, of those that were
        finished here; the fewer are finished, the more alike they must be.
        """
        rows, likeness = similar
        assigned = experience.assigned[rows]
        decided = sp.csr_matrix(assigned - experience.rejected[rows])
        share, together = _share(likeness, decided), np.asarray(decided.T @ likeness)
        few = max(len(rows) // 4, 1)
        least = LEAST_LIKENESS * max(0.0, 1 - experience.n_documents / FEW_FINISHED)
        is_chosen = (share > LEAST_VOTE_OF_FINISHED) & (together >= least)
        columns = {
            **experience.columns,
            "votes": share,
            "votes_of_nearest": _share(likeness[:few], decided[:few]),
            "nearest": _nearest(likeness, assigned),
        }
        chosen = np.concatenate([np.flatnonzero(is_chosen), _most_frequent(experience)])
        return Source(chosen.tolist(), columns)

    def of_model(
        self, suggested: Suggested, experience: Experience, similar: SimilarRows
    ) -> Source:
        """Return the best that a model suggests, and how right it was on finished documents."""
        chance, rank = self._filled(LEAST_CHANCE), self._filled(UNRANKED + 1)
        chance[suggested.positions] = np.maximum(suggested.chances, LEAST_CHANCE)
        rank[suggested.positions] = np.arange(1, len(suggested.positions) + 1)
        total = max(float(similar.likeness.sum()), 1e-9)
        surplus = experience.surplus[similar.rows].T @ similar.likeness / total
        columns = {
            "model": logits(chance),
            "model_rank": np.log(rank),
            "surplus_of_similar": surplus.astype(np.float32),
        }
        return Source(suggested.positions[:BEST_OF_MODEL].tolist(), columns)

    # ------------------------------------------------------------------ the vocabulary

    def _filled(self, value: float) -> Array:
        return np.full(len(self), value, dtype=np.float32)

    def _around(self, standing: Array) -> dict[str, Array]:
        """Return in how many places of the tree around each concept a label stands as well."""
        stands = (standing > 0).astype(np.float32)
        below = self._broader.T @ stands
        # Of what is below the concepts above it; itself is counted once for each of them.
        beside = self._broader @ below - stands * np.asarray(self._broader.sum(axis=1)).ravel()
        return {
            "broader_standing": self._broader @ stands,
            "narrower_standing": np.log1p(below),
            "siblings_standing": np.log1p(np.maximum(beside, 0)),
        }

    @cached_property
    def _broader(self) -> sp.csr_matrix:
        """Return a matrix with 1 where the column's concept is broader than the row's."""
        position = np.full(len(self.label_space), -1)
        position[self.columns] = np.arange(len(self))
        pairs = position[self.label_space.broader_pairs]
        narrower, broader = pairs[(pairs >= 0).all(axis=1)].T
        ones = np.ones(len(narrower), dtype=np.float32)
        return sp.csr_matrix((ones, (narrower, broader)), shape=(len(self), len(self)))

    @cached_property
    def _constant(self) -> dict[str, Array]:
        """Return the features that are the same for all documents."""
        hierarchy, ids = self.label_space.hierarchy, self.label_space.concept_ids
        labels = (hierarchy[ids[column]].label(self.language) for column in self.columns.tolist())
        return {
            "level": self.label_space.levels[self.columns].astype(np.float32),
            "narrower": np.log1p(np.asarray(self._broader.sum(axis=0)).ravel()),
            "words": np.array([len(label.split()) for label in labels], dtype=np.float32),
        }


def _counts(matches: LabelMatches) -> npt.NDArray[np.float64]:
    """Return of the concepts of which labels stand: how many do, how many are in no longer label,
    the first word, the words of the longest, and whether the preferred one does, (5, n_concepts).
    """
    rows = [
        (match.n_places, match.n_alone, match.first, match.n_words, match.is_preferred)
        for match in matches.concepts.values()
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 5).T


def _share(likeness: Array, counted: sp.csr_matrix) -> Array:
    """Return the share of similar documents that have each concept, by how similar they are.

    Args:
        likeness: of each to the document at hand, (n_similar,).
        counted: 1 where one speaks for a concept, -1 where it speaks against it.
    """
    return np.asarray(counted.T @ likeness / (likeness.sum() or 1), dtype=np.float32)


def _nearest(likeness: Array, assigned: sp.csr_matrix) -> Array:
    """Return the likeness of the most similar document that has each concept."""
    nearest = np.zeros(assigned.shape[1], dtype=np.float32)
    np.maximum.at(nearest, assigned.indices, np.repeat(likeness, np.diff(assigned.indptr)))
    return nearest


def _most_frequent(experience: Experience) -> npt.NDArray[np.int64]:
    """Return the concepts that were assigned most often, to more than one document of not few."""
    counts = experience.n_assigned
    if experience.n_documents < FEW_FINISHED or not len(counts):
        return np.empty(0, dtype=np.int64)
    number = min(MOST_FREQUENT, len(counts))
    best = np.argpartition(-counts, number - 1)[:number]
    return best[counts[best] > 1]


def grounds_of(
    documents: IndexedDocuments | Experience,
    similar: SimilarRows,
    candidates: Candidates,
    contributions: Array | None,
) -> Callable[[npt.NDArray[np.int64]], list[Grounds]]:
    """Return a function that says how documents have concepts, by their positions, and what counted
    for and against those that are candidates.

    Args:
        contributions: of each feature to the log-odds of candidates; None where nothing ranked them.
    """
    in_similar = np.asarray(documents.assigned[similar.rows].sum(axis=0)).ravel()
    counted: dict[int, CountedKinds] = {}
    if contributions is not None:
        kinds = kinds_of_features(contributions, candidates.features)
        counted = dict(zip(candidates.positions.tolist(), kinds, strict=True))

    def grounds(positions: npt.NDArray[np.int64]) -> list[Grounds]:
        return [
            Grounds(
                int(documents.n_assigned[position]),
                int(in_similar[position]),
                len(similar.rows),
                *counted.get(position, ((), ())),
                is_local=isinstance(documents, Experience),
            )
            for position in positions.tolist()
        ]

    return grounds
