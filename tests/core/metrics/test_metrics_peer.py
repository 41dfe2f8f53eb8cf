"""scikit-learn as a second opinion, on documents where every value is defined."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peer

from core import metrics


def _judged() -> tuple[np.ndarray, np.ndarray]:
    """Gold labels, one or more a document and three or more a label, and scores without ties."""
    rng = np.random.default_rng(7)
    gold = rng.random((60, 12)) < 0.2
    gold[np.arange(60), np.arange(60) % 12] = True
    scores = rng.permutation(gold.size).reshape(gold.shape) / gold.size
    return gold.astype(int), 0.7 * scores + 0.3 * gold


JUDGED = _judged()


@pytest.mark.parametrize("k", [1, 5, 12])
def test_ndcg_is_that_of_scikit_learn(k: int) -> None:
    mine = metrics.mean_defined(metrics.ndcg_at_k(*JUDGED, k))
    assert mine == pytest.approx(peer.ndcg_score(*JUDGED, k=k, ignore_ties=True))


def test_average_precision_is_that_of_scikit_learn() -> None:
    mine = metrics.mean_defined(metrics.average_precision(*JUDGED))
    assert mine == pytest.approx(peer.label_ranking_average_precision_score(*JUDGED))
    assert mine == pytest.approx(peer.average_precision_score(*JUDGED, average="samples"))


def test_areas_are_those_of_scikit_learn() -> None:
    assert metrics.micro_roc_auc(*JUDGED) == pytest.approx(
        peer.roc_auc_score(*JUDGED, average="micro")
    )
    assert metrics.macro_roc_auc(*JUDGED) == pytest.approx(
        peer.roc_auc_score(*JUDGED, average="macro")
    )


@pytest.mark.parametrize(
    ("average", "measure"),
    [("micro", "precision"), ("micro", "recall"), ("micro", "f1"), ("macro", "f1")],
)
def test_labels_that_are_assigned_count_as_in_scikit_learn(average, measure) -> None:
    gold, scores = JUDGED
    theirs = getattr(peer, f"{measure}_score")(gold, scores >= 0.5, average=average)
    assert getattr(metrics, f"{average}_{measure}")(gold, scores, 0.5) == pytest.approx(theirs)


def test_f1_by_document_is_that_of_scikit_learn() -> None:
    gold, scores = JUDGED
    theirs = peer.f1_score(gold, scores >= 0.5, average="samples")
    assert metrics.mean_defined(metrics.f1_by_document(gold, scores >= 0.5)) == pytest.approx(
        theirs
    )


def test_hits_and_misses_of_classes_are_those_of_scikit_learn() -> None:
    gold, chosen = JUDGED[0].argmax(axis=1), JUDGED[1].argmax(axis=1)
    np.testing.assert_array_equal(
        metrics.confusion(gold, chosen, 12), peer.confusion_matrix(gold, chosen, labels=range(12))
    )
    theirs = peer.precision_recall_fscore_support(gold, chosen, labels=range(12), zero_division=0)
    mine = metrics.scores_by_class(gold, chosen, 12)
    np.testing.assert_allclose(np.nan_to_num(mine.recall), theirs[1])
