"""Tables of flat tasks: measures of the task, and class by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from training.judging.rows import ResultRow
from training.results.report import MOST_CLASSES, class_names, class_table, report, task_table
from training.results.tables import compare_arms


def row(**means: float) -> ResultRow:
    named: Mapping[str, float] = {name.replace("__", ":"): value for name, value in means.items()}
    return ResultRow(
        facts={},
        means={"all": named},
        values={},
        full_text=np.zeros(4, dtype=bool),
        documents="a",
        depth=1,
        label_counts=(2,),
        sizes={"all": 4, "titles": 4, "full_texts": 0},
    )


SINGLE = {
    "accuracy": 0.75,
    "mcc": 0.5,
    "f1": 0.7,
    "precision__sea": 1.0,
    "precision__farm": 0.5,
    "recall__sea": 0.5,
    "recall__farm": 1.0,
    "f1__sea": 2 / 3,
    "f1__farm": 2 / 3,
}


def test_classes_have_a_line_each_with_the_spread_over_seeds() -> None:
    table = class_table({"plain": [row(**SINGLE), row(**{**SINGLE, "precision__sea": 0.5})]})
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]

    assert lines[0] == ["Arm", "Class", "Precision", "Recall", "F1", "ROC-AUC"]
    assert lines[2] == ["plain", "sea", "75.0 ± 35.4", "50.0 ± 0.0", "66.7 ± 0.0", "–"]
    assert lines[3][:3] == ["plain", "farm", "50.0 ± 0.0"]


def test_the_task_has_the_columns_that_were_measured() -> None:
    table = task_table({"plain": [row(**SINGLE)], "labels": [row(accuracy=0.8)]})
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    assert lines[0] == ["Arm", "Accuracy", "MCC", "F1"]
    assert lines[2:] == [["plain", "75.0", "50.0", "70.0"], ["labels", "80.0", "–", "–"]]


def test_a_hierarchy_and_a_long_list_have_no_such_tables() -> None:
    acts = {"flat": [row(r_precision_micro=0.7, f1=0.5)]}
    long = {"plain": [row(**{f"f1__{n}": 0.5 for n in range(MOST_CLASSES + 1)})]}
    assert task_table(acts) == class_table(acts) == class_table(long) == ""
    assert class_names(long["plain"][0])[:2] == ["0", "1"]


def test_areas_under_the_curve_are_shown_of_any_task() -> None:
    assert "ROC-AUC, levels" in task_table({"flat": [row(roc_auc=0.99, roc_auc_levels=0.98)]})


def test_the_page_of_a_flat_task_shows_both() -> None:
    page = report({"plain": [row(**SINGLE)]}, against="plain", title="Mail")
    assert "## Classes, cells and areas under the ROC curve (%)" in page
    assert "## Class by class (%)" in page
    assert "by depth" not in page


def test_the_page_says_once_what_stands_for_what() -> None:
    said = replace(row(**SINGLE), facts={"remarks": ["Test is dev itself."]})
    page = report({"plain": [said], "labels": [said]}, against="plain", title="Mail")
    assert page.endswith("## Data\n\n- Test is dev itself.\n")


def fold(number: int, *right: int, seed: int = 0) -> ResultRow:
    values = {"accuracy": np.array(right, dtype=float)}
    facts = {"seed": seed or number}
    return replace(row(), facts=facts, values=values, documents=f"fold {number}")


def test_folds_are_compared_over_all_their_documents() -> None:
    ours = [fold(1, 1, 1, 1), fold(2, 1, 0, 1, 1)]
    theirs = [fold(1, 0, 1, 1), fold(2, 0, 0, 0, 1)]
    result = compare_arms(ours, theirs, "accuracy")
    assert result is not None
    assert result.mean_difference == pytest.approx(3 / 7)


def test_a_document_counts_once_where_several_seeds_judged_its_fold() -> None:
    ours = [fold(1, 1, 1, 1), fold(2, 1, 0, 1, 1), fold(1, 1, 0, 1, seed=3)]
    theirs = [fold(1, 0, 1, 1), fold(2, 0, 0, 0, 1), fold(1, 0, 1, 1, seed=3)]
    result = compare_arms(ours, theirs, "accuracy")
    assert result is not None
    assert result.n_documents == 7
    assert result.mean_difference == pytest.approx((1 - 0.5 + 0 + 1 + 0 + 1 + 0) / 7)
