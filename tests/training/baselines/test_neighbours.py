"""Nearest neighbours: votes counted by hand, and those of scikit-learn's own classifier."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize

from training.baselines.classical import NearestNeighbours

X = sp.csr_matrix(np.array([[1.0, 0, 0], [0.8, 0.6, 0], [0, 1, 0], [0, 0, 1]]))
Y = sp.csr_matrix(np.array([[1.0, 0], [1, 1], [0, 1], [0, 1]]))
ASKED = sp.csr_matrix(np.array([[0.6, 0.8, 0]]))


def test_neighbours_vote_alike_or_with_their_similarity() -> None:
    """Similarities are 0.6, 0.96, 0.8 and 0: the nearest two have labels 0 and 1, and 1."""
    assert NearestNeighbours(X, Y, k=2).scores(ASKED).tolist() == [[0.5, 1.0]]
    weighed = NearestNeighbours(X, Y, k=2, votes="by_similarity").scores(ASKED)
    assert np.allclose(weighed, [[0.96 / 1.76, 1.0]])


def test_who_shares_no_term_is_no_neighbour() -> None:
    assert NearestNeighbours(X, Y, k=4).scores(ASKED).tolist() == [[0.5, 0.5]]
    assert np.allclose(
        NearestNeighbours(X, Y, k=4, votes="by_similarity").scores(ASKED)[0, 0], 1.56 / 2.36
    )
    nothing = sp.csr_matrix((1, 3))
    assert not NearestNeighbours(X, Y, k=2, votes="by_similarity").scores(nothing).any()


def test_no_more_neighbours_vote_than_there_are_documents() -> None:
    assert np.allclose(NearestNeighbours(X, Y, k=99).scores(ASKED), [[0.5, 0.5]])
    assert NearestNeighbours(X, Y).scores(sp.csr_matrix((0, 3))).shape == (0, 2)


def test_the_votes_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    x = sp.csr_matrix(normalize(rng.random((300, 8))))
    y = (rng.random((300, 3)) > 0.6) * 1.0
    asked = sp.csr_matrix(normalize(rng.random((200, 8))))
    theirs = KNeighborsClassifier(5, metric="cosine", algorithm="brute").fit(x, y)
    expected = np.stack([of_label[:, 1] for of_label in theirs.predict_proba(asked)], axis=1)
    assert np.allclose(NearestNeighbours(x, sp.csr_matrix(y)).scores(asked), expected)
