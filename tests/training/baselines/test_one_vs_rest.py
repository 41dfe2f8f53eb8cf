"""Logistic regression and the linear SVM: the same as scikit-learn's own, label by label."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from core.errors import ConfigError
from training.baselines import classical
from training.baselines.classical import ALWAYS, NEVER, fit_one_vs_rest

RNG = np.random.default_rng(3)
X = sp.csr_matrix(RNG.random((40, 6)) * (RNG.random((40, 6)) > 0.5))
Y = np.stack([X.toarray()[:, 0] > 0.2, X.toarray()[:, 1] + X.toarray()[:, 2] > 0.6], axis=1) * 1.0


@pytest.mark.parametrize("c", [1.0, 10.0])
def test_logistic_regression_is_that_of_scikit_learn(c: float) -> None:
    theirs = OneVsRestClassifier(LogisticRegression(C=c, solver="liblinear")).fit(X, Y)
    ours = fit_one_vs_rest(X, sp.csr_matrix(Y), "lr", c=c)
    assert np.allclose(ours.scores(X), theirs.predict_proba(X), atol=1e-5)
    assert np.array_equal(ours.scores(X) >= 0.5, theirs.predict(X).astype(bool))
    assert ours.n_parameters == 2 * 6 + 2


def test_the_machine_is_that_of_scikit_learn_and_one_half_is_its_margin_0() -> None:
    theirs = OneVsRestClassifier(LinearSVC(dual=True, random_state=0)).fit(X, Y)
    ours = fit_one_vs_rest(X, sp.csr_matrix(Y), "svm", seed=0)
    assert np.allclose(ours.margins(X), theirs.decision_function(X), atol=1e-5)
    assert np.array_equal(ours.scores(X) >= 0.5, theirs.decision_function(X) >= 0)


def test_one_label_a_document_is_that_of_the_best_margin() -> None:
    classes = X.toarray()[:, :3].argmax(axis=1)
    theirs = LinearSVC(dual=True, random_state=0).fit(X, classes)
    ours = fit_one_vs_rest(X, sp.csr_matrix(np.eye(3)[classes]), "svm", seed=0)
    assert np.array_equal(ours.scores(X).argmax(axis=1), theirs.predict(X))


def test_a_label_of_no_document_is_never_given_and_one_of_all_always() -> None:
    y = np.stack([np.zeros(40), np.ones(40), Y[:, 0]], axis=1)
    ours = fit_one_vs_rest(X, sp.csr_matrix(y), "lr")
    assert (ours.margins(X)[:, 0] == NEVER).all()
    assert (ours.margins(X)[:, 1] == ALWAYS).all()
    assert (ours.scores(X)[:, 0] < 1e-6).all()


def test_of_a_large_model_only_weights_that_count_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fit_one_vs_rest(X, sp.csr_matrix(Y), "lr")
    monkeypatch.setattr(classical, "ALL_KEPT", 1)
    monkeypatch.setattr(classical, "NEGLIGIBLE", 0.05)
    few = fit_one_vs_rest(X, sp.csr_matrix(Y), "lr")
    assert sp.issparse(few.weights)
    assert np.abs(few.weights.data).min() > 0.05
    assert np.abs(few.margins(X) - whole.margins(X)).max() < 6 * 0.05
    assert few.n_parameters == whole.n_parameters


def test_it_is_counted_where_the_solver_did_not_converge() -> None:
    # Of two rows alike with and without the label no large C is ever sure.
    x = sp.csr_matrix(np.tile(RNG.random((30, 4)), (2, 1)))
    y = sp.csr_matrix(np.repeat([1.0, 0.0], 30)[:, None])
    assert fit_one_vs_rest(x, y, "svm", c=1e4).n_unfinished == 1
    assert fit_one_vs_rest(X, sp.csr_matrix(Y), "svm").n_unfinished == 0


def test_progress_is_told_and_the_same_seed_gives_the_same_weights() -> None:
    heard: list[tuple[int, int]] = []
    first = fit_one_vs_rest(
        X, sp.csr_matrix(Y), "svm", seed=4, on_progress=lambda *told: heard.append(told)
    )
    second = fit_one_vs_rest(X, sp.csr_matrix(Y), "svm", seed=4)
    assert heard == [(1, 2), (2, 2)]
    assert np.array_equal(first.weights, second.weights)


def test_what_cannot_be_learned_is_said() -> None:
    with pytest.raises(ConfigError, match="both a label and a word"):
        fit_one_vs_rest(X, sp.csr_matrix((40, 2)), "lr")
