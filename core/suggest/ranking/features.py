"""The numbers by which a candidate is ranked: what each suggester, the tree, the text and indexed
documents say of it.

Source of the features of labels: Maui and MLLM (https://github.com/NatLibFi/Annif/wiki), read, not
copied; that a concept is likelier among others that go with it is as old as label ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.suggest.branches import logits
from core.suggest.evidence.spans import DocumentWords
from core.suggest.ranking.indexed import IndexedDocuments
from core.suggest.ranking.label_features import (
    TEXT_FEATURES,
    TITLE_FEATURES,
    filled,
    standing,
    text_features,
    title_features,
)
from core.suggest.ranking.label_matcher import LabelMatcher, LabelMatches, LabelWords
from core.suggest.scores import LabelScores
from core.suggest.similar import READ_CHARACTERS, Vectorize
from core.suggest.windows import ReadDocument
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]
Positions = npt.NDArray[np.int64]
"""Concepts, by their positions among those that may be assigned."""

BEST_OF_MEAN, BEST_OF_MEMBER = 100, 40
N_NEIGHBOURS = 10
LEAST_VOTE = 0.15  # share of what all neighbours say
N_SUPPORTING = 12
NO_BRANCH = -20.0  # log-odds

MEMBERS = ("guided", "linear")
FEATURES = (
    *MEMBERS,
    "mean",
    "rank",
    "branch",
    "broader",
    "expected",
    "support",
    *TITLE_FEATURES,
    *TEXT_FEATURES,
    "standing",
    "right_in_titles",
    "right_in_texts",
    "rarity_in_titles",
    "rarity_in_texts",
    "frequency",
    "recent_frequency",
    "level",
    "length",
    "votes",
    "nearest",
)
"""Columns of the rows of candidates, by name; a ranker names those that it learned."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "suggesters": (*MEMBERS, "mean", "rank", "expected"),
    "branch": ("branch", "broader"),
    "label": tuple(
        name
        for name in FEATURES
        if name.startswith(("title_", "text_", "right_", "rarity_", "standing"))
    ),
    "similar": ("votes", "nearest"),
    "company": ("support",),
    "habit": ("frequency", "recent_frequency", "level", "length"),
}
"""Features by what they are of, as a reader is told of them."""
NOTICED = 0.3
"""Log-odds from which on a kind of features is said to have counted."""


CountedKinds = tuple[tuple[str, ...], tuple[str, ...]]
"""Kinds of features that count for a candidate, and those that count against it."""


class Candidates(NamedTuple):
    """What may be suggested for a document.

    Attributes:
        positions: of the concepts, ascending, (n_candidates,).
        rows: their features, (n_candidates, n_features).
    """

    positions: Positions
    rows: Array


@dataclass(frozen=True, slots=True)
class _Votes:
    """What similar indexed documents have: for each concept its share, and the best similarity."""

    share: Array
    nearest: Array


class CandidateFeatures:
    """Finds a document's candidates and their features; may be used from several threads.

    Args:
        vector: of a document's title and text, (1, n_terms), as `indexed` has them.
    """

    def __init__(
        self, label_space: LabelSpace, indexed: IndexedDocuments, vector: Vectorize
    ) -> None:
        self.label_space, self.indexed = label_space, indexed
        self.matcher = LabelMatcher(label_space)
        self._vector = vector
        self._columns = np.flatnonzero(label_space.assignable)
        self._broader = _broader(label_space)
        self._constant = self._known_before()

    def __call__(
        self, document: ReadDocument, members: Sequence[LabelScores], mean: LabelScores
    ) -> Candidates:
        """Return the candidates of a document.

        Args:
            members: calibrated scores of each of `MEMBERS`.
            mean: of them.
        """
        in_title, in_text = self._matches(document)
        votes = self._votes(document)
        by_member = [logits(scores.assigned[self._columns]) for scores in members]
        probability = mean.assigned[self._columns]
        table = {
            **dict(zip(MEMBERS, by_member, strict=True)),
            "mean": logits(probability),
            **self._relative(probability),
            **self._above(mean.levels),
            **title_features(in_title, len(probability)),
            **text_features(in_text, len(probability)),
            "standing": standing(in_title, in_text, len(probability)),
            "length": filled(len(probability), np.log1p(in_title.n_words + in_text.n_words)),
            "votes": votes.share,
            "nearest": votes.nearest,
            **self._constant,
        }
        chosen = {*in_title.concepts, *in_text.concepts}
        chosen.update(np.flatnonzero(votes.share > LEAST_VOTE).tolist())
        chosen.update(_best(probability, BEST_OF_MEAN).tolist())
        for logit in by_member:
            chosen.update(_best(logit, BEST_OF_MEMBER).tolist())
        positions = np.array(sorted(chosen), dtype=np.int64)
        rows = np.stack([table[name][positions] for name in FEATURES], axis=1)
        return Candidates(positions, rows.astype(np.float32))

    def label_words(self, document: ReadDocument, words: DocumentWords) -> LabelWords:
        """Return where labels stand in a document, as evidence."""
        labels = self.indexed.labels
        right = {"title": labels.right_in_titles(), "text": labels.right_in_texts()}
        return LabelWords(words, *self._matches(document), right)

    def indexing(self, document: ReadDocument, positions: Positions) -> list[tuple[int, int, int]]:
        """Return of how many indexed documents have each concept: of all, of the similar ones, and
        how many these are.
        """
        similar, _ = self._neighbours(document)
        in_similar = np.asarray(self.indexed.assigned[similar].sum(axis=0)).ravel()
        return [
            (int(self.indexed.n_assigned[position]), int(in_similar[position]), len(similar))
            for position in positions.tolist()
        ]

    def _neighbours(self, document: ReadDocument) -> tuple[Positions, Array]:
        """Return the indexed documents most similar to this one, with their similarities."""
        n_read = min(document.n_characters_read, READ_CHARACTERS)
        query = self._vector(document.document.title, document.document.text[:n_read])
        similarities = (query @ self.indexed.by_term).toarray()[0]
        best = _best(similarities, N_NEIGHBOURS)
        best = best[similarities[best] > 0]
        return best, similarities[best]

    def _matches(self, document: ReadDocument) -> tuple[LabelMatches, LabelMatches]:
        """Return what is found in the title, and in as much of the text as is read."""
        title, text = document.document.title, document.document.text
        return self.matcher.find(title), self.matcher.find(text[: document.n_characters_read])

    def _relative(self, probability: Array) -> dict[str, Array]:
        """Return how a concept stands among the others of its document."""
        best = _best(probability, N_SUPPORTING)
        certainty = sp.csr_matrix(probability[best][None])
        support = (certainty @ self.indexed.together[best]).toarray()[0]
        rank = np.empty(len(probability), dtype=np.float32)
        rank[np.argsort(-probability, kind="stable")] = np.arange(len(probability))
        expected = np.log(probability.sum() + 1e-9)
        return {
            "rank": np.log1p(rank),
            "support": support,
            "expected": filled(len(probability), expected),
        }

    def _above(self, levels: Array) -> dict[str, Array]:
        """Return the log-odds of a concept's own branch, and of the likeliest above it."""
        branches = np.where(np.isneginf(levels), NO_BRANCH, logits(np.maximum(levels, 0)))
        padded = np.append(branches, NO_BRANCH)
        return {"branch": branches[self._columns], "broader": padded[self._broader].max(axis=1)}

    def _votes(self, document: ReadDocument) -> _Votes:
        n_concepts = self.indexed.assigned.shape[1]
        share, nearest = np.zeros(n_concepts, np.float32), np.zeros(n_concepts, np.float32)
        best, similarities = self._neighbours(document)
        for row, similarity in zip(best.tolist(), similarities.tolist(), strict=True):
            start, end = self.indexed.assigned.indptr[row : row + 2]
            concepts = self.indexed.assigned.indices[start:end]
            share[concepts] += similarity
            nearest[concepts] = np.maximum(nearest[concepts], similarity)
        share /= max(float(similarities.sum()), 1e-6)
        return _Votes(share, nearest)

    def _known_before(self) -> dict[str, Array]:
        """Return what is the same for all documents."""
        labels = self.indexed.labels
        n_recent = max(float(self.indexed.n_recent.sum()), 1.0)
        return {
            "right_in_titles": logits(labels.right_in_titles()),
            "right_in_texts": logits(labels.right_in_texts()),
            "rarity_in_titles": np.log(labels.in_titles / max(labels.n_titles, 1) + 1e-5),
            "rarity_in_texts": labels.in_texts / max(labels.n_texts, 1),
            "frequency": np.log1p(self.indexed.n_assigned),
            "recent_frequency": np.log1p(self.indexed.n_recent / n_recent * 1e5),
            "level": self.label_space.levels[self._columns].astype(np.float32),
        }


def kinds_of_features(
    contributions: Array,
    kinds: Mapping[str, tuple[str, ...]] = KINDS,
    features: Sequence[str] = FEATURES,
) -> list[CountedKinds]:
    """Return which kinds of features count for each candidate, and which against it.

    Args:
        contributions: to the log-odds, (n_candidates, n_features).
        kinds: the features of each kind, by name.
    """
    columns = [[features.index(name) for name in names] for names in kinds.values()]
    by_kind = np.stack([contributions[:, of_kind].sum(axis=1) for of_kind in columns], axis=1)
    names = list(kinds)
    return [
        (
            tuple(names[n] for n in np.argsort(-sums, kind="stable") if sums[n] >= NOTICED),
            tuple(names[n] for n in np.argsort(sums, kind="stable") if sums[n] <= -NOTICED),
        )
        for sums in by_kind
    ]


def _best(scores: Array, number: int) -> Positions:
    """Return where the highest scores are, in no particular order."""
    if number >= len(scores):
        return np.arange(len(scores))
    return np.argpartition(-scores, number)[:number]


def _broader(label_space: LabelSpace) -> Positions:
    """Return the columns right above each assignable concept, (n_assignable, most); one past the
    last column fills the rest.
    """
    above: dict[int, list[int]] = {}
    for narrower, broader in label_space.broader_pairs.tolist():
        above.setdefault(narrower, []).append(broader)
    columns = np.flatnonzero(label_space.assignable).tolist()
    most = max((len(above.get(column, ())) for column in columns), default=0)
    filled = np.full((len(columns), max(most, 1)), len(label_space), dtype=np.int64)
    for row, column in enumerate(columns):
        columns_above = above.get(column, [])
        filled[row, : len(columns_above)] = columns_above
    return filled
