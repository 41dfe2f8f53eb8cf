"""Evaluation of scores on hand-computed rows, and the rows in which results are kept."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import ConfigError
from tests.support.labelled import act, scores_of, tiny_label_space
from training.corpora.corpus import Corpus
from training.judging.evaluate import Evaluation, evaluate, macro_shares
from training.judging.folders import JudgedData
from training.judging.judge import with_title_alone
from training.judging.rows import ROWS, ResultRow
from training.judging.scores import tune_threshold
from training.results.tables import compare_pairs

# Columns: farm, sea | crops, fish | grape, wheat; assignable are the last four.
ACTS = [
    act("a", "grape"),  # augmented: farm | crops | grape
    act("b", "fish", "grape", text="Article 1"),  # farm, sea | crops, fish | grape
    act("c", "unknown-9"),  # nothing known is assigned
]
LEVELS = [
    [0.9, 0.1, 0.8, 0.2, 0.3, 0.6],
    [0.2, 0.9, 0.7, 0.8, 0.6, 0.1],
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
]
ASSIGNED = [
    [-np.inf, -np.inf, 0.5, 0.1, 0.4, 0.6],
    [-np.inf, -np.inf, 0.1, 0.9, 0.2, 0.3],
    [-np.inf, -np.inf, 0.5, 0.5, 0.5, 0.5],
]


def judged(threshold: float | None = None) -> Evaluation:
    scores = scores_of(ACTS, levels=LEVELS, assigned=ASSIGNED)
    return evaluate(scores, ACTS, tiny_label_space(), depth=3, threshold=threshold)


def test_r_precision_by_level_on_augmented_labels() -> None:
    means = judged().means["all"]
    assert means["r_precision@1"] == 1.0
    assert means["r_precision@2"] == 1.0
    assert means["r_precision@3"] == 0.5  # a ranks wheat over grape, b has grape first
    # a: top 3 of farm, crops, wheat has 2 gold; b: top 5 of 6 leaves out wheat, all gold.
    assert means["r_precision_micro"] == pytest.approx((2 / 3 + 1) / 2)
    assert means["r_precision_macro"] == pytest.approx(2.5 / 3)


def test_a_document_without_known_labels_does_not_count() -> None:
    result = judged()
    assert math.isnan(result.values["ndcg@5"][2])
    assert math.isnan(result.values["r_precision_micro"][2])


def test_measures_of_assigned_descriptors() -> None:
    result = judged()
    # a: wheat, crops, grape, fish: one gold at rank 3, 1 / log2(4) of an ideal 1.
    assert result.values["ndcg@5"][0] == pytest.approx(0.5)
    # b: fish, wheat, grape, crops: gold at ranks 1 and 3.
    ideal = 1 + 1 / math.log2(3)
    assert result.values["ndcg@5"][1] == pytest.approx(1.5 / ideal)
    assert result.means["all"]["p@5"] == pytest.approx((1 / 5 + 2 / 5) / 2)
    assert result.means["all"]["f1@5"] == pytest.approx((2 / 6 + 4 / 7) / 2)
    assert result.means["all"]["recall@5"] == 1.0
    assert result.means["all"]["r_precision_assigned"] == pytest.approx((0 + 0.5) / 2)


def test_titles_and_full_texts_are_apart() -> None:
    result = judged()
    assert result.sizes == {"all": 3, "titles": 2, "full_texts": 1}
    assert result.means["titles"]["r_precision_assigned"] == 0.0
    assert result.means["full_texts"]["r_precision_assigned"] == 0.5


def test_f1_at_a_threshold_counts_assignable_columns_only() -> None:
    means = judged(threshold=0.4).means["all"]
    # predicted: a crops, grape, wheat; b fish; c all four. Gold: a grape; b fish, grape.
    assert means["micro_f1"] == pytest.approx(2 * 2 / (8 + 3))
    # augmented: a farm, crops, grape, wheat of farm, crops, grape; b sea, fish of five; c six of none.
    assert means["hierarchical_precision"] == pytest.approx(5 / 12)
    assert means["hierarchical_recall"] == pytest.approx(5 / 8)
    assert "micro_f1" not in judged().means["all"]


def test_branch_probabilities_are_judged_beside_the_level_heads() -> None:
    scores = scores_of(ACTS, levels=LEVELS, branch=LEVELS)
    means = evaluate(scores, ACTS, tiny_label_space(), depth=3).means["all"]
    assert means["branch_r_precision@3"] == means["r_precision@3"]
    assert means["branch_r_precision_macro"] == means["r_precision_macro"]
    assert "ndcg@5" not in means


def test_a_subset_without_documents_has_no_numbers() -> None:
    titles = [ACTS[0]]
    scores = scores_of(titles, assigned=ASSIGNED[:1])
    result = evaluate(scores, titles, tiny_label_space(), depth=3, threshold=0.5)
    assert all(math.isnan(value) for value in result.means["full_texts"].values())


def test_the_threshold_that_is_tuned_cuts_best_by_micro_f1() -> None:
    assigned = [document.assigned for document in ACTS[:2]]
    matrix = np.array(ASSIGNED[:2], dtype=np.float16)
    # descending: fish 0.9 hit, wheat 0.6, crops 0.5, grape 0.4 hit, wheat 0.3, grape 0.2 hit, …
    # F1 after each: 2/4, 2/5, 2/6, 4/7, 4/8, 6/9, …
    assert tune_threshold(matrix, assigned, tiny_label_space()) == pytest.approx(0.2, abs=1e-3)


def test_equal_scores_are_not_cut_apart() -> None:
    documents = [act("a", "crops"), act("b", "fish")]
    matrix = np.array([[0, 0, 0.5, 0.1, 0, 0], [0, 0, 0.5, 0.1, 0, 0]], dtype=np.float16)
    assigned = [document.assigned for document in documents]
    threshold = tune_threshold(matrix, assigned, tiny_label_space())
    assert threshold in (pytest.approx(0.5), pytest.approx(0.1, abs=1e-3))


def test_shares_of_the_macro_have_the_macro_as_their_mean() -> None:
    values = {
        "x@1": np.array([1.0, 0.0, np.nan]),
        "x@2": np.array([0.5, np.nan, np.nan]),
        "x@3": np.full(3, np.nan),
    }
    assert macro_shares(values, "x", 3).mean() == pytest.approx((0.5 + 0.5) / 2)


def test_a_row_keeps_facts_means_and_values(tmp_path: Path) -> None:
    row = ResultRow.of(judged(threshold=0.4), {"arm": "flat", "seed": 1})
    row.save(tmp_path / ROWS / "flat")
    loaded = ResultRow.load(tmp_path / ROWS / "flat")

    assert loaded.facts == {"arm": "flat", "seed": 1}
    assert loaded.mean("r_precision_macro") == pytest.approx(2.5 / 3)
    assert loaded.mean("micro_f1", "full_texts") == row.mean("micro_f1", "full_texts")
    assert loaded.label_counts == (2, 2, 2)
    np.testing.assert_array_equal(loaded.full_text, [False, True, False])
    np.testing.assert_allclose(loaded.values["ndcg@5"], judged().values["ndcg@5"], atol=0.0021)
    np.testing.assert_array_equal(
        loaded.values["r_precision_micro"], row.values["r_precision_micro"]
    )


def test_rows_of_the_same_documents_are_compared_in_pairs() -> None:
    first = ResultRow.of(judged(), {})
    better = scores_of(ACTS, levels=[[0.9, 0.1, 0.8, 0.2, 0.7, 0.6], *LEVELS[1:]])
    second = ResultRow.of(evaluate(better, ACTS, tiny_label_space(), depth=3), {})

    result = compare_pairs([(second, first)], "r_precision_macro")
    assert result is not None
    assert result.mean_difference == pytest.approx(0.5 / 3, abs=1e-6)
    assert compare_pairs([(second, first)], "ndcg@5") is None
    others = ResultRow.of(evaluate(better, ACTS[:2], tiny_label_space(), depth=3), {})
    assert compare_pairs([(others, first)], "r_precision@1") is None


def test_a_file_that_is_no_row_is_refused(tmp_path: Path) -> None:
    scores_of(ACTS, levels=LEVELS).save(tmp_path / "scores.npz")
    for name in ("scores.npz", "missing.npz"):
        with pytest.raises(ConfigError, match="not a result row"):
            ResultRow.load(tmp_path / name)


def test_full_texts_by_their_title_alone_are_a_subset_of_their_own() -> None:
    alone = scores_of([ACTS[1]], assigned=[[-np.inf, -np.inf, 0.1, 0.9, 0.8, 0.3]])
    data = JudgedData(Corpus("tiny", (), (), tuple(ACTS)), tiny_label_space())
    untitled = replace(ACTS[1], document=Document.from_text("untitled", "", "fishing " * 90))
    result = with_title_alone(judged(), alone, [*ACTS, untitled], data)
    assert result.sizes["full_texts_title_alone"] == 1
    assert result.means["full_texts_title_alone"]["r_precision_assigned"] == 1.0
    assert result.means["full_texts"]["r_precision_assigned"] == 0.5
