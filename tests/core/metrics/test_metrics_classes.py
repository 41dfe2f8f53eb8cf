"""Accuracy, Matthews' correlation, scores by class and ROC-AUC: values by hand, and a peer's."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sklearn.metrics
from scipy import sparse

from core import metrics

NAN = float("nan")
# Three classes, six documents; the last has no gold class and counts nowhere.
GOLD = [0, 0, 1, 1, 2, -1]
CHOSEN = [0, 1, 1, 1, 0, 2]


def test_a_document_without_a_class_is_neither_right_nor_wrong() -> None:
    np.testing.assert_array_equal(metrics.correct(GOLD, CHOSEN), [1, 0, 1, 1, 0, NAN])
    assert metrics.mean_defined(metrics.correct(GOLD, CHOSEN)) == pytest.approx(3 / 5)


def test_the_confusion_has_gold_rows_and_predicted_columns() -> None:
    expected = [[1, 1, 0], [0, 2, 0], [1, 0, 0]]
    np.testing.assert_array_equal(metrics.confusion(GOLD, CHOSEN, 3), expected)


def test_matthews_of_two_classes_by_hand() -> None:
    # 3 true and 1 false positives, 2 true and 2 false negatives: (3·2 - 1·2) / √(4·5·3·4).
    gold, chosen = [1] * 5 + [0] * 3, [1, 1, 1, 0, 0, 1, 0, 0]
    assert metrics.matthews(gold, chosen, 2) == pytest.approx(4 / math.sqrt(240))
    assert metrics.matthews(gold, gold, 2) == 1
    assert metrics.matthews(gold, [1] * 8, 2) == 0
    assert math.isnan(metrics.matthews([-1], [0], 2))


def test_scores_by_class_by_hand() -> None:
    found = metrics.scores_by_class(GOLD, CHOSEN, 4)
    # The third class is gold and never predicted, the fourth is neither.
    np.testing.assert_allclose(found.precision, [1 / 2, 2 / 3, 0, NAN])
    np.testing.assert_allclose(found.recall, [1 / 2, 1, 0, NAN])
    np.testing.assert_allclose(found.f1, [1 / 2, 4 / 5, 0, NAN])


# Three documents over four labels; the last document has no label.
Y_TRUE = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
SCORES = np.array([[0.9, 0.5, 0.2, 0.1], [0.1, 0.8, 0.3, 0.2], [0.7, 0.1, 0.2, 0.3]])


@pytest.mark.parametrize("gold", [Y_TRUE, sparse.csr_matrix(Y_TRUE)])
def test_cells_are_right_or_wrong_and_documents_have_an_f1(gold: object) -> None:
    # At 0.5 the first document gets labels 0 and 1 (0 and 2 are gold), the second label 1, the
    # third label 0.
    np.testing.assert_allclose(metrics.cell_accuracy(gold, SCORES), [0.5, 1, 0.75])
    np.testing.assert_allclose(metrics.f1_by_document(gold, SCORES), [0.5, 1, NAN])
    found = metrics.scores_by_label(gold, SCORES)
    np.testing.assert_allclose(found.precision, [1 / 2, 1 / 2, 0, NAN])
    np.testing.assert_allclose(found.recall, [1, 1, 0, NAN])


@pytest.mark.parametrize("gold", [Y_TRUE, sparse.csr_matrix(Y_TRUE)])
def test_roc_auc_by_hand(gold: object) -> None:
    # Label 0: 0.9 above 0.1 and 0.7. Label 1: 0.8 above both. Label 2: its 0.2 is below 0.3 and
    # equals 0.2, half a win of two. Label 3 is gold nowhere.
    np.testing.assert_allclose(metrics.roc_auc_by_label(gold, SCORES), [1, 1, 0.25, NAN])
    assert metrics.macro_roc_auc(gold, SCORES) == pytest.approx(0.75)
    # Positives 0.9, 0.8, 0.2 against 0.5 0.1 0.1 0.3 0.2 0.7 0.1 0.2 0.3: 9 + 9 + 3 + 2 halves.
    assert metrics.micro_roc_auc(gold, SCORES) == pytest.approx((9 + 9 + 3 + 1) / 27)


def test_roc_auc_without_both_kinds_is_not_measured_and_columns_without_scores_are_last() -> None:
    assert math.isnan(metrics.micro_roc_auc(np.zeros((2, 2)), np.ones((2, 2))))
    assert math.isnan(metrics.micro_roc_auc(np.ones((2, 2)), np.ones((2, 2))))
    gold, scores = np.array([[1], [0], [0]]), np.array([[0.5], [-np.inf], [0.7]])
    assert metrics.micro_roc_auc(gold, scores) == 0.5
    with pytest.raises(ValueError, match="NaN"):
        metrics.micro_roc_auc(gold, np.array([[0.5], [NAN], [0.7]]))


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_a_peer_agrees_on_random_rows_with_ties(dtype: type) -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(2, size=(60, 5))
    scores = rng.integers(9, size=(60, 5)).astype(dtype) / 10
    peer = sklearn.metrics.roc_auc_score(gold, scores, average=None)
    np.testing.assert_allclose(metrics.roc_auc_by_label(gold, scores), peer)
    micro = sklearn.metrics.roc_auc_score(gold, scores, average="micro")
    assert metrics.micro_roc_auc(gold, scores) == pytest.approx(micro)


def test_a_peer_agrees_on_random_classes() -> None:
    rng = np.random.default_rng(4)
    gold, chosen = rng.integers(4, size=(2, 90))
    found = metrics.scores_by_class(gold, chosen, 4)
    peer = sklearn.metrics.precision_recall_fscore_support(gold, chosen)
    np.testing.assert_allclose(found, peer[:3])
    expected = sklearn.metrics.matthews_corrcoef(gold, chosen)
    assert metrics.matthews(gold, chosen, 4) == pytest.approx(expected)
