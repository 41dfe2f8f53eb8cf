"""What flat tasks are judged by, on rows computed by hand, down to the row and the threshold."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from core.vocabulary.labels import LabelSpace
from tests.support.labelled import act, scores_of, tiny_label_space
from training.corpora.label_spaces import flat_hierarchy
from training.judging.evaluate import Evaluation, evaluate
from training.judging.rows import ROWS, ResultRow

TRIAGE = LabelSpace(flat_hierarchy("triage", {"medium": "", "routine": "", "urgent": ""}))
MESSAGES = [
    act("a", "urgent"),
    act("b", "routine", text="Thank you."),
    act("c", "routine"),
    act("d", "medium"),
]
# Columns by id: medium, routine, urgent. The first two are right, the others taken for urgent.
BELIEFS = [[0.1, 0.2, 0.7], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]]


def triage() -> Evaluation:
    scores = scores_of(MESSAGES, assigned=BELIEFS)
    return evaluate(scores, MESSAGES, TRIAGE, threshold=0.4, single_label=True)


def test_the_best_scored_label_is_the_one_that_is_predicted() -> None:
    found = triage()
    np.testing.assert_array_equal(found.values["accuracy"], [1, 1, 0, 0])
    means = found.means["all"]
    assert means["accuracy"] == means["micro_f1"] == 0.5
    # Gold 1 medium, 2 routine, 1 urgent; predicted 0, 1, 3; hits 0, 1, 1.
    assert means["f1:medium"] == 0
    assert means["precision:routine"] == 1
    assert means["recall:routine"] == 0.5
    assert means["f1:urgent"] == pytest.approx(2 / 4)
    assert means["macro_f1"] == means["f1"] == pytest.approx((0 + 2 / 3 + 1 / 2) / 3)
    # (2·4 - (0 + 2·1 + 1·3)) / √((16 - 10)(16 - 6))
    assert means["mcc"] == pytest.approx(3 / math.sqrt(60))
    assert "hierarchical_f1" not in means
    assert found.means["full_texts"]["accuracy"] == 1


def test_roc_auc_by_label_and_over_all_pairs() -> None:
    means = triage().means["all"]
    assert means["roc_auc:urgent"] == 1
    # 0.5 and 0.3 of the routine ones against 0.2 and 0.3: two wins, and a win and a half.
    assert means["roc_auc:routine"] == pytest.approx(3.5 / 4)
    assert means["roc_auc_macro"] == pytest.approx((1 + 3.5 / 4 + 1) / 3)
    # Gold 0.7, 0.5, 0.3, 0.3 against 0.1 0.2 0.2 0.3 0.1 0.6 0.3 0.4.
    assert means["roc_auc"] == pytest.approx((8 + 7 + 2 * (4 + 1)) / 32)


def test_of_two_labels_the_one_called_1_is_the_positive() -> None:
    space = LabelSpace(flat_hierarchy("mrpc", {"0": "", "1": ""}))
    pairs = [act("a", "1"), act("b", "1"), act("c", "0")]
    scores = scores_of(pairs, assigned=[[0.1, 0.9], [0.6, 0.4], [0.3, 0.7]])
    means = evaluate(scores, pairs, space, single_label=True).means["all"]
    assert (means["precision"], means["recall"], means["f1"]) == (0.5, 0.5, 0.5)
    assert means["f1:0"] == 0


def test_several_labels_are_cut_at_a_half_and_by_the_tuned_threshold() -> None:
    space = LabelSpace(flat_hierarchy("topics", {"x": "", "y": ""}))
    rows = [act("a", "x"), act("b", "x", "y"), act("c")]
    scores = scores_of(rows, assigned=[[0.9, 0.5], [0.6, 0.45], [0.1, 0.2]])
    found = evaluate(scores, rows, space, threshold=0.45)
    means = found.means["all"]
    np.testing.assert_allclose(found.values["f1_by_document"], [2 / 3, 2 / 3, math.nan])
    assert means["cell_accuracy"] == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert means["micro_f1@0.5"] == pytest.approx(2 * 2 / (3 + 3))
    assert means["micro_f1"] == pytest.approx(2 * 3 / (3 + 4))
    assert means["recall:y"] == 0
    assert "accuracy" not in means


def test_levels_have_an_area_each() -> None:
    acts = [act("a", "grape"), act("b", "fish")]
    # farm, sea | crops, fish | grape, wheat; gold: farm, crops, grape and sea, fish.
    levels = [[0.9, 0.1, 0.8, 0.2, 0.3, 0.6], [0.2, 0.9, 0.7, 0.4, 0.1, 0.1]]
    found = evaluate(scores_of(acts, levels=levels), acts, tiny_label_space(), depth=3)
    means = found.means["all"]
    assert means["roc_auc@1"] == 1
    assert means["roc_auc@2"] == 0.75  # 0.8 beats 0.2 and 0.7, 0.4 beats 0.2 alone
    assert means["roc_auc@3"] == pytest.approx(2 / 3)
    assert means["roc_auc_levels"] == pytest.approx((7 + 7 + 5 + 7 + 5) / 35)


def test_a_row_keeps_accuracy_by_document_and_cells_as_a_mean(tmp_path: Path) -> None:
    ResultRow.of(triage(), {"arm": "plain"}).save(tmp_path / ROWS / "plain")
    row = ResultRow.load(tmp_path / ROWS / "plain")
    np.testing.assert_array_equal(row.values["accuracy"], [1, 1, 0, 0])
    assert row.mean("f1:urgent") == 0.5
    assert row.depth == 1
